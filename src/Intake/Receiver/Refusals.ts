/**
 * Requests that were refused with 413 or 415 although they may have been deliveries: what a person is told about them,
 * and for how long.
 *
 * Anyone could have sent a request whose signature wasn't checked, so it is forgotten after an hour. A signed one is
 * lost unless a person acts. It is recorded in the Store and remains a reason until the delivery arrives, recognised by
 * its signature or event id, or until a person has seen it. If the process dies before it is recorded, the service's
 * next attempt brings it again.
 */
import { Clock, Duration, Effect, FiberHandle } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import { oneAtATime } from "../../Stores/Sql.ts"
import type { KnownRefusal, RefusedFor, Refusing } from "./Messages.ts"
import { readMeta, Store, type StoreError, writeMeta } from "../../Stores/Store.ts"

export interface Refused {
  readonly for: RefusedFor
  /** Hex. */
  readonly signature: string
  /** From its header, which isn't signed. */
  readonly eventId: string | null
  readonly firstAt: Instant.Instant
  readonly lastAt: Instant.Instant
  readonly times: number
  readonly isSigned: boolean
}

export interface Refusals {
  /** A request was refused, or is on disk after all. */
  readonly heard: (refusing: Refusing) => void
  readonly all: () => ReadonlyArray<KnownRefusal>
  /** Records that a person has seen them; returns which. */
  readonly seen: Effect.Effect<ReadonlyArray<Refused>, StoreError>
}

const key = "refused_deliveries"
const most = 100
const lookEvery = Duration.minutes(1)
const quietMs = Duration.toMillis("1 hour")
/** Beyond this number, and for repetitions, the sentences change only now and then. */
const shownAtOnce = 10
const showEveryMs = Duration.toMillis("1 minute")

/** `onChange`: called after `all` has changed. */
export const make = (maximumBytes: number, onChange: () => void) =>
  Effect.gen(function* () {
    const store = yield* Store
    const clock = yield* Clock.Clock
    const all = new Map<string, Refused>()
    const show = yield* shown(all, maximumBytes, onChange)
    const changed = (when: "at once" | "soon"): void => {
      onChange()
      show(when)
    }
    const keep = keeper(store)
    const runFork = Effect.runForkWith(yield* Effect.context<never>())
    const keepQuietly = (change: Keep): void => void runFork(Effect.ignore(keep(change), { log: "Warn" }))

    /** What the Store holds, which other workers change too. */
    const look = Effect.gen(function* () {
      const kept = bySignature(parse(yield* store.run((db) => readMeta(db, key))))
      for (const one of all.values()) if (one.isSigned && !kept.has(one.signature)) all.delete(one.signature)
      for (const one of kept.values()) all.set(one.signature, one)
      changed("at once")
    }).pipe(Effect.ignore({ log: "Warn" }))
    yield* look
    if (Duration.isFinite(store.pollEvery)) {
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(lookEvery), look)))
    }

    const refused = (refusing: Refusal): void => {
      const before = all.get(refusing.signature)
      const one = oneMore(before, refusing, Instant.fromMillis(clock.currentTimeMillisUnsafe()))
      all.set(one.signature, one)
      if (all.size > most) all.delete([...all.values()].find((each) => !each.isSigned)?.signature ?? one.signature)
      if (one.isSigned) keepQuietly((kept) => kept.set(one.signature, one))
      const isNews = before === undefined || before.isSigned !== one.isSigned
      changed(isNews && all.size <= shownAtOnce ? "at once" : "soon")
    }
    const came = ({ eventId, signature }: KnownRefusal): void => {
      const isSame = (one: Refused): boolean => one.signature === signature || one.eventId === (eventId ?? "")
      const theirs = [...all.values()].filter(isSame)
      if (theirs.length === 0) return
      for (const one of theirs) all.delete(one.signature)
      keepQuietly((kept) => theirs.forEach((one) => kept.delete(one.signature)))
      changed("at once")
    }

    return {
      heard: (refusing) => (refusing.kind === "refused" ? refused(refusing) : came(refusing)),
      all: () => [...all.values()].map(({ eventId, signature }) => ({ eventId, signature })),
      seen: Effect.gen(function* () {
        yield* keep((kept) => kept.clear())
        const seen = [...all.values()]
        all.clear()
        changed("at once")
        return seen
      })
    } satisfies Refusals
  })

type Refusal = Extract<Refusing, { readonly kind: "refused" }>

const oneMore = (
  before: Refused | undefined,
  { eventId, isSigned, signature, why }: Refusal,
  now: Instant.Instant
): Refused => ({
  for: why,
  signature,
  eventId,
  firstAt: before?.firstAt ?? now,
  lastAt: now,
  times: (before?.times ?? 0) + 1,
  isSigned: isSigned || before?.isSigned === true
})

type Keep = (kept: Map<string, Refused>) => void

/** Changes what the Store holds. */
const keeper = (store: Store["Service"]) => (change: Keep) =>
  store.transaction(async (tx) => {
    await oneAtATime(tx, "refused")
    const kept = bySignature(parse(await readMeta(tx, key)))
    change(kept)
    await writeMeta(tx, key, JSON.stringify([...kept.values()].slice(-most)))
  })

/** Shows them whenever they have changed, and whenever one is forgotten. */
const shown = (all: Map<string, Refused>, maximumBytes: number, onForgotten: () => void) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const show = shower(yield* Reasons, maximumBytes)
    const runInstead = yield* FiberHandle.makeRuntime<never>()
    let shownMs = Number.NEGATIVE_INFINITY
    const endMs = ({ isSigned, lastAt }: Refused): number =>
      isSigned ? Number.POSITIVE_INFINITY : Instant.toMicros(lastAt) / 1000 + quietMs
    const keepShown = Effect.gen(function* () {
      while (true) {
        shownMs = clock.currentTimeMillisUnsafe()
        const ended = [...all.values()].filter((one) => endMs(one) <= shownMs)
        for (const one of ended) all.delete(one.signature)
        if (ended.length > 0) onForgotten()
        yield* show([...all.values()])
        const nextMs = Math.min(...[...all.values()].map(endMs))
        if (!Number.isFinite(nextMs)) return
        yield* Effect.sleep(nextMs - shownMs)
      }
    })
    return (when: "at once" | "soon"): void => {
      const waitMs = when === "at once" ? 0 : shownMs + showEveryMs - clock.currentTimeMillisUnsafe()
      runInstead(waitMs > 0 ? Effect.delay(keepShown, waitMs) : keepShown)
    }
  })

const parse = (text: string | undefined): ReadonlyArray<Refused> => JSON.parse(text ?? "[]") as ReadonlyArray<Refused>

const bySignature = (all: ReadonlyArray<Refused>) => new Map(all.map((one) => [one.signature, one]))

/** One reason for signed requests, and one for those that anyone may have sent. */
const shower = (reasons: Reasons["Service"], maximumBytes: number) => {
  const why = {
    "too-large": `larger than ${maximumBytes} bytes (SITELEDGER_WEBHOOK_MAX_BYTES), as sent or unpacked,`,
    encoded: "with a Content-Encoding that siteledger can't unpack, and a signature that doesn't fit the bytes as sent,"
  }
  const advice = {
    "too-large": "allow more and replay it in the service's Admin → API → Webhooks",
    encoded: "let the service send it without that encoding and replay it in its Admin → API → Webhooks"
  }
  const sentence = (refused: ReadonlyArray<Refused>, of: RefusedFor, isSigned: boolean): ReadonlyArray<string> => {
    const these = refused.filter((one) => one.for === of && one.isSigned === isSigned)
    if (these.length === 0) return []
    const noun = isSigned ? "delivery" : "request"
    const subject = these.length === 1 ? `A ${noun}` : `${these.length} ${isSigned ? "deliveries" : "requests"}`
    const [verb, it] = these.length === 1 ? ["was", "it"] : ["were", "each"]
    return [
      `${subject} ${why[of]} ${verb} refused (${details(these)}). ` +
        (isSigned ? `To get ${it}, ${advice[of]}; ` : `If ${it} was a delivery, ${advice[of]}. ${unprovenNote}; `) +
        "if it doesn't matter, run `siteledger replay --refused-seen`."
    ]
  }
  return Effect.fnUntraced(function* (refused: ReadonlyArray<Refused>) {
    for (const [name, isSigned, level] of [
      ["receiver lost", true, "critical"],
      ["receiver unproven", false, "degraded"]
    ] as const) {
      const sentences = [...sentence(refused, "too-large", isSigned), ...sentence(refused, "encoded", isSigned)]
      yield* sentences.length === 0 ? reasons.clear(name) : reasons.set(name, sentences.join(" "), level)
    }
  })
}

const unprovenNote = "The sender is unknown: this clears after an hour without another one"

const details = (these: ReadonlyArray<Refused>): string => {
  const ids = these.flatMap(({ eventId }) => (eventId === null ? [] : [eventId]))
  const named = ids.length === 0 ? "" : `event id ${ids.slice(0, 3).join(", ")}${ids.length > 3 ? ", …" : ""}; `
  const first = these.map(({ firstAt }) => firstAt).toSorted()[0] ?? ""
  const last =
    these
      .map(({ lastAt }) => lastAt)
      .toSorted()
      .at(-1) ?? ""
  const times = these.reduce((sum, one) => sum + one.times, 0)
  return `${named}first at ${first}, last at ${last}, ${times} ${times === 1 ? "time" : "times"}`
}
