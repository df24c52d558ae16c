/**
 * Payments through whole workers (`bin/siteledger start`), with cumulative certificates, rules of what is payable, and
 * a sink that answers at once. Two times are measured from each payment's 2xx: until another process sees its entry in
 * the store, which it polls every few milliseconds, and until the sink has the entry. Payments, workers, sink and
 * database are separate processes. For comparison, bare POSTs go to the same sink at the same rate.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Client } from "pg"
import { type Child, quantile, start } from "./Child.ts"
import type { Engine, Place } from "./Engine.ts"
import { type Receiving, receiving } from "./Receiving.ts"
import { arrivals, bare, paidBy } from "./Arrivals.ts"
import { projects } from "./Signed.ts"
import { pause, until } from "./Waiting.ts"

export const ledgerFile = {
  certificates: "cumulative",
  payable: [
    { name: "retention", percent: "-5", cap: "50000" },
    { name: "VAT", percent: "20" }
  ],
  projects: Object.fromEntries(Array.from({ length: projects }, (_, n) => [n + 1, { certifiedBefore: "0" }]))
}

interface Row {
  readonly sequence: number | string
  readonly event_id: string | null
}

/**
 * A range, because otherwise a server that can't know how few new entries there are reads the whole table each time.
 */
const newEntries = (last: string) =>
  `select sequence, event_id from ledger_entries
   where sequence > ${last} and sequence <= (select max(sequence) from ledger_entries) order by sequence`

/** Reads the store beside its workers. */
const reader = async ({ directory, url }: Place) => {
  if (url === undefined) {
    const file = new DatabaseSync(join(directory, "store.sqlite"), { readOnly: true })
    const query = file.prepare(newEntries("?"))
    return { after: (last: number) => query.all(last) as unknown as ReadonlyArray<Row>, close: () => file.close() }
  }
  const client = new Client({ connectionString: url, options: "-c search_path=ledger,siteledger" })
  // The server may be stopped first.
  client.on("error", () => undefined)
  await client.connect()
  const text = newEntries("$1")
  return {
    after: async (last: number) => (await client.query<Row>({ name: "new", text, values: [last] })).rows,
    close: () => client.end()
  }
}

const lookEveryMs = 3

/** When the first entry of each event was first seen. */
const watched = async (place: Place) => {
  const entries = await reader(place)
  const seenAt = new Map<string, number>()
  let isOver = false
  const watching = (async () => {
    for (let last = 0; !isOver; await pause(lookEveryMs)) {
      const rows = await entries.after(last)
      const now = Date.now()
      for (const { event_id } of rows) if (event_id !== null && !seenAt.has(event_id)) seenAt.set(event_id, now)
      last = Number(rows.at(-1)?.sequence ?? last)
    }
    await entries.close()
  })()
  return { seenAt, end: () => ((isOver = true), watching) }
}

export interface Load {
  readonly perSecond: number
  readonly seconds: number
}

/** How long before its payment an IPC is certified. */
const earlierMs = 1000
const mostBare = 1000

interface Open {
  readonly engine: Engine
  readonly sink: Child
  readonly workers: ReadonlyArray<Receiving>
  readonly seenAt: ReadonlyMap<string, number>
}

/** One store, this many workers, and payments to them; warmed up, so that the code is compiled. */
export const opened = async (engine: Engine, count: number, warming: Load) => {
  const place = await engine.place()
  const sink = await start("SinkServer.ts", 0)
  const file = join(place.directory, "ledger.json")
  writeFileSync(file, JSON.stringify(ledgerFile))
  const workers: Array<Receiving> = []
  for (let n = 0; n < count; n++) {
    const { directory } = n === 0 ? place : await engine.place()
    workers.push(
      await receiving({
        SITELEDGER_LEDGER_SINK_URL: `http://127.0.0.1:${sink.line}/entries`,
        SITELEDGER_LEDGER_SINK_SECRET: "bench-sink-secret",
        SITELEDGER_LEDGER_FILE: file,
        SITELEDGER_KEY: "5".repeat(64),
        ...place.environment,
        SITELEDGER_DATA_DIR: directory
      })
    )
  }
  const { end, seenAt } = await watched(place)
  let first = 0
  const pay = (load: Load) => {
    const from = first
    first += Math.ceil(load.perSecond * load.seconds)
    return paid({ engine, sink, workers, seenAt }, from, load)
  }
  await pay(warming)
  return {
    pay,
    close: async () => {
      await end()
      for (const { worker } of workers) await worker.stop()
      sink.process.kill()
    }
  }
}

/** Measured from each 2xx. */
const paid = async ({ engine, seenAt, sink, workers }: Open, first: number, { perSecond, seconds }: Load) => {
  const count = Math.ceil(perSecond * seconds)
  const ports = workers.map(({ port }) => port).join(",")
  const cpu = () => workers.reduce((sum, { worker }) => sum + worker.cpuMs, 0)
  const [before, server] = [cpu(), engine.serverCpuMicros()]
  const sent = Object.entries(
    paidBy(await start("Payments.ts", ports, count, perSecond, `from-${first}`, earlierMs, first))
  )
  const arrivedAt = await arrivals(
    sink,
    sent.map(([id]) => id)
  )
  await until("all entries are seen", () => sent.every(([id]) => seenAt.has(id)) || undefined)
  const [after, serverAfter] = [cpu(), engine.serverCpuMicros()]
  const waits = (at: (id: string) => number) => sent.map(([id, { acceptedAt }]) => at(id) - acceptedAt)
  const posted = waits((id) => seenAt.get(id)!)
  const acknowledged = waits((id) => arrivedAt[id]!)
  const bareWaits = await bare(sink, Math.min(count, mostBare), perSecond)
  return {
    paid: count,
    postedP50Ms: quantile(posted, 0.5),
    postedP99Ms: quantile(posted, 0.99),
    acknowledgedP50Ms: quantile(acknowledged, 0.5),
    acknowledgedP99Ms: quantile(acknowledged, 0.99),
    acceptedP99Ms: quantile(
      sent.map(([, { acceptedAt, dueAt }]) => acceptedAt - dueAt),
      0.99
    ),
    bareP99Ms: quantile(bareWaits, 0.99),
    workerCpuMs: (after - before) / count,
    serverCpuMs: (serverAfter - server) / 1000 / count
  }
}
