/**
 * What many wide tables cost a whole worker (`bin/siteledger start`): 500 lists of a review file, with 60 columns each,
 * compared with the same rows in one such table. Measured are a restart with nothing to walk, from its start until it
 * is live, the whole copy for analysts that is then due, and an export. Processor time is measured too (the worker's,
 * and the database server's), because a busy machine doesn't change it. All of it is done with 2,000,000 rows, and with
 * so few rows that hardly anything but the tables counts.
 *
 * Goals: live within 2 s, an export in 1.3 times the time of one table. Run: node bench/wide.ts [--engine postgres]
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ended, round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import { receiving } from "./Receiving.ts"
import { reviewOf } from "./WideList.ts"
import { within } from "./Waiting.ts"
import { isUp, type Status, type Worker } from "./WorkerProcess.ts"

const tables = Number(process.env["BENCH_TABLES"] ?? 500)
const rows = Number(process.env["BENCH_ROWS"] ?? 2_000_000)
const fewRows = Math.min(rows, 200 * tables)
const columns = 60
const patienceMs = 900_000
/** Each answer costs a worker something. */
const lookMs = 100

await using engine = await Engine.open()

interface Cost {
  readonly seconds: number
  readonly cpuSeconds: number
  /** The worker's peak so far. */
  readonly peakMb: number
}

const reaches = async (worker: Worker, is: (status: Status) => boolean): Promise<void> => {
  const look = async () => {
    if (worker.hasEnded) throw new Error(`the worker ended with ${worker.exitCode}: ${worker.log.slice(-500)}`)
    const status = await worker.status()
    return (status !== undefined && is(status)) || undefined
  }
  const reached = await within(patienceMs, look, lookMs)
  if (reached === undefined) throw new Error(`not within ${patienceMs / 1000} s: ${worker.log.slice(-500)}`)
}

/** Costs since this call, or since the last cost; `worker`: once there is one. */
const costs = () => {
  let before = { ms: performance.now(), cpuMs: 0, server: engine.serverCpuMicros() }
  return (worker: Worker): Cost => {
    const now = { ms: performance.now(), cpuMs: worker.cpuMs, server: engine.serverCpuMicros() }
    const cost = {
      seconds: round((now.ms - before.ms) / 1000, 2),
      cpuSeconds: round((now.cpuMs - before.cpuMs) / 1000 + (now.server - before.server) / 1e6, 2),
      peakMb: worker.peakMb
    }
    before = now
    return cost
  }
}

/** A worker that finds no rows creates the tables, and ends; the next worker finds nothing to walk. */
const measured = async (count: number, of: number) => {
  const place = await engine.place()
  const service = await start("ManyListsServer.ts", count, 0, 1000, 0, columns)
  const origin = `http://127.0.0.1:${service.line}`
  const review = join(place.directory, "resources.json")
  writeFileSync(review, JSON.stringify(reviewOf(count, columns)))
  const environment = {
    SITELEDGER_BASE_URL: `${origin}/v1`,
    SITELEDGER_AUTH_URL: origin,
    SITELEDGER_REQUESTS_PER_MINUTE: "600000",
    SITELEDGER_RESOURCES: review,
    SITELEDGER_WALK_EVERY: "1 hour",
    ...place.environment
  }
  const first = (await receiving(environment)).worker
  await reaches(first, (status) => {
    const walks = Object.values(status.backfill)
    return walks.length > count && walks.every((walk) => walk?.at != null) && isUp(status)
  })
  await first.stop()
  const where = place.url ?? join(place.directory, "warehouse.duckdb")
  await ended("WideRows.ts", "--engine", Engine.name, where, count, of / count, columns)
  // It is older than the rows; a copy that is made from it wouldn't be whole.
  rmSync(join(place.directory, "analytics.duckdb"), { force: true })
  await engine.checkpointed()
  const cost = costs()
  const { worker } = await receiving(environment)
  await reaches(worker, isUp)
  const started = cost(worker)
  await reaches(worker, ({ published }) => published.at !== null)
  const copied = cost(worker)
  if ((await worker.verb("export")) === undefined) throw new Error(`the export failed: ${worker.refusal}`)
  const exported = cost(worker)
  await worker.stop()
  service.process.kill()
  return { started, copied, exported }
}

const beside = async (of: number) => {
  const [one, many] = [await measured(1, of), await measured(tables, of)]
  return {
    rows: of,
    one,
    many,
    exportRatio: round(many.exported.seconds / one.exported.seconds, 2),
    exportCpuRatio: round(many.exported.cpuSeconds / one.exported.cpuSeconds, 2)
  }
}

const whole = await beside(rows)
const few = await beside(fewRows)

process.stdout.write(`${JSON.stringify({ bench: "wide", engine: Engine.name, tables, columns, ...whole, few })}\n`)
