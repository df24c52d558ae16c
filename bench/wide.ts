/**
 * What many wide tables cost a whole worker (`bin/siteledger start`): 500 lists of a review file, of 60 columns each, beside the
 * same rows in one such table. Measured are a restart with nothing to walk, from its start until it is live, and an export; in
 * processor time too, which a busy machine doesn't change (of the worker, and of the database's server).
 *
 * Goals: live within 2 s, an export in 1.3 times the time of one table. Run: node bench/wide.ts [--engine postgres]
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import { receiving } from "./Receiving.ts"
import { reviewOf } from "./WideList.ts"
import { within } from "./Waiting.ts"
import { isUp, type Worker } from "./WorkerProcess.ts"

const tables = Number(process.env["BENCH_TABLES"] ?? 500)
const rows = Number(process.env["BENCH_ROWS"] ?? 100_000)
const columns = 60
const patienceMs = 900_000
/** An answer costs a worker something. */
const lookMs = 100

await using engine = await Engine.open()

interface Cost {
  readonly seconds: number
  readonly cpuSeconds: number
}

const reaches = async (worker: Worker, is: () => Promise<boolean>): Promise<void> => {
  const look = async () => {
    if (worker.hasEnded) throw new Error(`the worker ended with ${worker.exitCode}: ${worker.log.slice(-500)}`)
    return (await is()) || undefined
  }
  const reached = await within(patienceMs, look, lookMs)
  if (reached === undefined) throw new Error(`not within ${patienceMs / 1000} s: ${worker.log.slice(-500)}`)
}

const isLive = async (worker: Worker): Promise<boolean> => isUp((await worker.status()) ?? { phase: "starting" })

/** Its tables are made and filled by a worker that ends; the next one finds nothing to walk. */
const measured = async (count: number): Promise<{ readonly started: Cost; readonly exported: Cost }> => {
  const place = await engine.place()
  const service = await start("ManyListsServer.ts", count, rows, 1000, 0, columns)
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
  await reaches(first, async () => {
    const walks = Object.values((await first.status())?.backfill ?? {})
    return walks.length > count && walks.every((walk) => walk?.at != null) && (await isLive(first))
  })
  await first.stop()
  const before = { ms: performance.now(), server: engine.serverCpuMicros() }
  const { worker } = await receiving(environment)
  await reaches(worker, () => isLive(worker))
  const costSince = (ms: number, cpuMs: number, server: number): Cost => ({
    seconds: round((performance.now() - ms) / 1000, 2),
    cpuSeconds: round((worker.cpuMs - cpuMs) / 1000 + (engine.serverCpuMicros() - server) / 1e6, 2)
  })
  const started = costSince(before.ms, 0, before.server)
  const [from, cpuMs, server] = [performance.now(), worker.cpuMs, engine.serverCpuMicros()]
  if ((await worker.verb("export")) === undefined) throw new Error(`the export failed: ${worker.refusal}`)
  const exported = costSince(from, cpuMs, server)
  await worker.stop()
  service.process.kill()
  return { started, exported }
}

const one = await measured(1)
const many = await measured(tables)

process.stdout.write(
  `${JSON.stringify({
    bench: "wide",
    engine: Engine.name,
    tables,
    columns,
    rows,
    one,
    many,
    exportRatio: round(many.exported.seconds / one.exported.seconds, 2),
    exportCpuRatio: round(many.exported.cpuSeconds / one.exported.cpuSeconds, 2)
  })}\n`
)
