/**
 * How soon each list of the dashboard is there, on a store of 1,000,000 events and 100,000 entries. The verbs that its
 * views use are called over HTTP on a whole worker: the first page and one in the middle, with and without filters.
 * Each is called three times BENCH_ROUNDS times; the line has the median and the slowest of each, and of all together.
 * The bookkeepers' reports are reported separately. Submitted IPCs, which move no money, are filled in directly
 * (`AppliedFill.ts`); the worker applies the other events.
 *
 * Goal: 200 ms, even for the slowest answer of the slowest list.
 * Run: node bench/pages.ts [--engine postgres]
 */
import { ended, quantile, round } from "./Child.ts"
import * as Engine from "./Engine.ts"
import * as Live from "./Live.ts"
import { drained } from "./Phases.ts"
import { connected } from "./PostgresServer.ts"
import type { Worker } from "./WorkerProcess.ts"

const rounds = Math.max(2, Number(process.env["BENCH_ROUNDS"] ?? 3) * 3)
const events = Number(process.env["BENCH_EVENTS"] ?? 1_000_000)
const entries = Math.min(events / 10, Number(process.env["BENCH_ENTRIES"] ?? 100_000))
/** The share of events that are payments waiting for a decision, and the equal share that can't be read. */
const odd = 0.002

await using engine = await Engine.open()
await using live = await Live.at(engine)
const { directory, url } = live.place
// A start creates the tables.
const first = await live.begin()
await first.worker.reaches("it is live", ({ phase }) => phase === "live")
await first.worker.stop()
const database = url === undefined ? [] : [url]
const odds = Math.round(events * odd)
await ended("AppliedFill.ts", "ipcs", directory, "OPEN", events - 2 * (entries + odds), ...database)
await ended("PagesFill.ts", directory, entries, odds, ...database)
const { worker } = await live.begin()
await drained(worker)
await worker.reaches("it is live", ({ inbox, phase }) => phase !== "backfilling" && inbox.pending === 0)
// The server would do this by itself within a minute after so many new rows.
if (url !== undefined) await connected(url, (client) => client.query("vacuum analyze"))
if ((await worker.verb("publish")) === undefined) throw new Error(worker.refusal)
if ((await worker.verb("export")) === undefined) throw new Error(worker.refusal)

type Row = Readonly<Record<string, unknown>>

/** Throws if the verb was refused. */
const asked = async (of: Worker, verb: string, payload: object): Promise<Row> => {
  const answer = await of.verb(verb, payload)
  if (answer === undefined) throw new Error(`${verb} ${JSON.stringify(payload)}: ${of.refusal}`)
  return answer as Row
}

const rowsIn = (answer: Row, name: string): ReadonlyArray<Row> => answer[name] as ReadonlyArray<Row>

const middle = Math.floor(events / 2)
const ipc = `PAID-${Math.floor(entries / 2)}`
const record = { table: "ipcs", id: ipc }

const [told] = rowsIn(await asked(worker, "delivery", { id: String(middle) }), "deliveries")
const changed = rowsIn(await asked(worker, "record", record), "fields").find(({ name }) => name === "_changed_at")
const held = rowsIn(await asked(worker, "ledger-holds", { limit: 1000 }), "rows").at(-1)
const [entry] = rowsIn(await asked(worker, "ledger-list", { limit: 1, ipc }), "rows")
const waiting = rowsIn(await asked(worker, "quarantine", { limit: 1000 }), "rows").at(-1)
const { next: walked } = await asked(worker, "walks", { last: 500 })
if (told === undefined || held === undefined || entry === undefined || waiting === undefined) {
  throw new Error("the store lacks what the lists are to show")
}
const after = { hold_id: held["hold_id"], since: held["since"], amount: held["amount"] }

/** The requests that the views make. */
const lists: ReadonlyArray<readonly [name: string, verb: string, payload: object]> = [
  ["events", "events", { last: 100 }],
  ["events, in the middle", "events", { last: 100, after: middle }],
  ["events of a type", "events", { last: 100, types: ["ipc.paid"] }],
  ["events of an IPC", "events", { last: 100, ipc }],
  ["delivery by number", "delivery", { id: String(middle) }],
  ["delivery by id", "delivery", { id: told["event_id"] }],
  ["quarantine", "quarantine", { limit: 100 }],
  ["quarantine, in the middle", "quarantine", { limit: 100, after: waiting["sequence"] }],
  ["quarantine of a reason", "quarantine", { limit: 100, reason: waiting["reason"] }],
  ["tables", "tables", {}],
  ["records", "records", { table: "ipcs" }],
  ["records, in the middle", "records", { table: "ipcs", after: ipc }],
  ["records that begin", "records", { table: "ipcs", where: [{ column: "id", is: "begins", value: "paid-9" }] }],
  ["records of a status", "records", { table: "ipcs", where: [{ column: "status", is: "equals", value: "paid" }] }],
  ["records that changed", "records", { table: "ipcs", order: "changed" }],
  [
    "records that changed, in the middle",
    "records",
    { table: "ipcs", order: "changed", after: `${String(changed?.["value"])} ${ipc}` }
  ],
  ["record", "record", record],
  ["explain", "explain", { ipc }],
  ["entries", "ledger-list", { limit: 200 }],
  ["entries of an IPC", "ledger-list", { limit: 200, ipc }],
  ["entry", "ledger-show", { id: entry["entry_id"] }],
  ["holds", "ledger-holds", { limit: 200 }],
  ["holds, in the middle", "ledger-holds", { limit: 200, after }],
  ["holds, the largest", "ledger-holds", { limit: 200, order: "largest" }],
  ["hold", "ledger-show", { id: held["hold_id"] }],
  ["outbox", "sink-dead", {}],
  ["walks", "walks", { last: 50 }],
  ["walks, in the middle", "walks", { last: 50, after: walked }],
  ["walks of a list", "walks", { last: 50, list: "list_7" }],
  ["history of an hour", "history", { range: "hour" }],
  ["history of a day", "history", { range: "day" }],
  ["exports", "lake-list", {}],
  ["secrets", "secret-list", {}],
  ["settings", "settings", {}]
]

/** They read all the books, so they take longer with every entry; therefore they aren't among `lists`. */
const reports = ["trial-balance", "statement", "aged", "unposted"].map((name) => [name, "report", { name }] as const)

const times = new Map([...lists, ...reports].map(([name]) => [name, [] as Array<number>]))
for (let each = 0; each < rounds; each++) {
  for (const [name, verb, payload] of each % 5 === 0 ? [...lists, ...reports] : lists) {
    const from = performance.now()
    await asked(worker, verb, payload)
    times.get(name)?.push(performance.now() - from)
  }
}

const found = [...times].map(([name, all]) => ({
  name,
  p50Ms: round(quantile(all, 0.5), 1),
  maxMs: round(Math.max(...all), 1)
}))
const shown = (names: ReadonlyArray<readonly [name: string, ...unknown[]]>) => {
  const those = found.filter(({ name }) => names.some(([known]) => known === name))
  const slowest = those.toSorted((one, other) => other.maxMs - one.maxMs)
  return {
    p50Ms: round(
      quantile(
        those.map(({ p50Ms }) => p50Ms),
        0.5
      ),
      1
    ),
    slowestP50Ms: Math.max(...those.map(({ p50Ms }) => p50Ms)),
    slowestMs: slowest[0]?.maxMs,
    slowest: slowest.slice(0, 3).map(({ name }) => name),
    each: Object.fromEntries(those.map(({ maxMs, name, p50Ms }) => [name, [p50Ms, maxMs]]))
  }
}
process.stdout.write(
  `${JSON.stringify({ bench: "pages", engine: Engine.name, events, entries, rounds, lists: shown(lists), reports: shown(reports) })}\n`
)
