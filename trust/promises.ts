/**
 * Each promise of README, the goal that attacks it, which of the goal's figures to show, and the one-line break of the
 * product that makes the goal fail.
 */
export interface Promised {
  readonly promise: string
  readonly goal: string
  /** Names of figures; the number of runs is always shown. */
  readonly figures: ReadonlyArray<string>
  /** The place of the break, and its new text. */
  readonly breakIt: string
}

export const promises: ReadonlyArray<Promised> = [
  {
    promise: "`kill -9` at any instruction loses no acknowledged event and repeats no effect.",
    goal: "kill",
    figures: ["kills", "points", "acknowledged"],
    breakIt: "`Receiver/Requests`: `stored()` called at once, beside `answer.groups.offer(…)`"
  },
  {
    promise: "A delivery answered 2xx is on disk first: a power cut loses none.",
    goal: "power",
    figures: ["cuts", "acknowledged"],
    breakIt: "`Segments/Appending`: without `await flushed(…)` in `appending`"
  },
  {
    promise: "A damaged or missing file costs no acknowledged event.",
    goal: "damage",
    figures: ["acknowledged"],
    breakIt: "`Segments/Recover`: `inOrder` without the frames of the copy beside"
  },
  {
    promise: "What can't be written isn't acknowledged, and a full disk is survived.",
    goal: "disk",
    figures: ["limited", "smallDisk"],
    breakIt: "`Receiver/Requests`: 200 for 503 in `failed`"
  },
  {
    promise: "PostgreSQL may end, restart or be out of reach: nothing is lost or doubled.",
    goal: "postgres",
    figures: ["recoverySeconds", "events"],
    breakIt: "`Receiver/Requests`: 200 for 503 in `failed`"
  },
  {
    promise: "Every peer may fail in every way of a network; each entry reaches accounting once.",
    goal: "network",
    figures: ["cells", "slowestRecovery"],
    breakIt: '`Outbox/Sending`: `verdict._tag !== "Refused"` for `verdict._tag === "Taken"`'
  },
  {
    promise:
      "After a month with two companies, two currencies, corrections and kills, every trial balance is the same to the last digit.",
    goal: "month",
    figures: ["ipcs", "kills", "entries", "deliveries", "answered", "skipped"],
    breakIt: "`node trust/month/breaks.ts` plants them, one at a time"
  },
  {
    promise: "The plan's rate is never exceeded, and nothing that only a wrong clock quarantined stays there.",
    goal: "clock",
    figures: ["mostPerMinute", "kills", "quarantined", "clearAfterSeconds"],
    breakIt: "`Walk/Slots`: `windowMs = 20_000` (the rate); `Intake/Apply`: `Instant.fromMillis(0)` in `release`"
  },
  {
    promise:
      "Lists whose records and fields change between two pages, while the service and the worker fail, end in tables that equal them.",
    goal: "lists",
    figures: ["services", "lists", "happened", "records", "workers", "columns"],
    breakIt: "`Walk/Verdict`: `finish` without `buryAbsent`"
  },
  {
    promise: "Strangers don't get in, and don't keep deliveries out.",
    goal: "requests",
    figures: ["genuine", "share", "p99Ms"],
    breakIt: "`ConstructionWebhooks`: lengths compared instead of `timingSafeEqual`"
  },
  {
    promise: "The admin listener answers only with the token, or on this machine's own names.",
    goal: "admin",
    figures: ["combinations"],
    breakIt: '`Operate/Admin`: `loopback.test("localhost")`'
  },
  {
    promise: "No secret is shown, logged or stored in clear.",
    goal: "secrets",
    figures: ["secrets", "places"],
    breakIt: "`Runtime/Seal`: `seal` returns the text itself"
  },
  {
    promise: "A query can't write, read other files, reach the network or run for long.",
    goal: "sql",
    figures: ["statements"],
    breakIt:
      "`Query/Query`: `time: Duration.hours(1)`, with `--runs 62` (writes and reads are refused twice: no single line opens them)"
  },
  {
    promise: "Steady traffic with a failing service needs steady memory, and everything arrives.",
    goal: "soak",
    figures: ["mbWarm", "mbEnd", "mbPerHour", "p99Ms", "deliveries"],
    breakIt:
      "`Intake/Apply`: `step` keeps `Buffer.alloc(20_000, 1)` (from `--seconds 3600` on), or settles batches of several events unapplied"
  },
  {
    promise: "The decisions are right whatever crashes, repeats, comes late or is cut off.",
    goal: "simulation",
    figures: ["busyDays"],
    breakIt: "`node trust/simulation/breaks.ts` plants them, one at a time"
  },
  {
    promise: "Dependencies are pinned, hashed, fitly licensed, and run no script that wasn't allowed.",
    goal: "supply",
    figures: ["packages", "shipped", "components"],
    breakIt: '`package.json`: `"effect": "^4.1.0"`'
  }
]
