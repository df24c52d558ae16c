/**
 * How much of the plan the pace uses with a service of 300 ms latency, by the service's own arrival times, for both
 * plans at the same time. The real client, token, pace and store, with more demand than the plan allows. Goals: at
 * least 0.98 of the plan in every whole minute, no more than the plan in any 60 seconds, and no 429.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { ConstructionClient } from "../connectors/construction/ConstructionClient.ts"
import { service } from "../pipelines/service.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"
import * as Sqlite from "../src/Stores/Sqlite/Store.ts"
import { settings } from "./BenchSettings.ts"
import { round, start } from "./Child.ts"

const latencyMs = 300
const windowMs = 60_000
const marginMs = 1000
const lastsMs = Number(process.env["BENCH_SECONDS"] ?? 75) * 1000

const worker = (port: number, plan: number, dataDir: string) =>
  service.pipe(
    Layer.provideMerge(Sqlite.layer),
    Layer.provideMerge(Reasons.layer),
    Layer.provideMerge(
      settings({
        SITELEDGER_BASE_URL: `http://127.0.0.1:${port}/v1`,
        SITELEDGER_AUTH_URL: `http://127.0.0.1:${port}`,
        SITELEDGER_REQUESTS_PER_MINUTE: String(plan),
        SITELEDGER_DATA_DIR: dataDir
      })
    )
  )

const demand = Effect.gen(function* () {
  const client = yield* ConstructionClient
  const call = client.call(
    "backfill",
    (api) => api.projects.list({ query: { page: 1 }, responseMode: "response-only" }),
    () => Effect.void
  )
  yield* Effect.all(
    Array.from({ length: 64 }, () => Effect.forever(call)),
    { concurrency: "unbounded", discard: true }
  )
})

/** Arrivals in [from, from + a minute). */
const inWindow = (arrivals: ReadonlyArray<number>, from: number): number =>
  arrivals.filter((at) => at >= from && at < from + windowMs).length

const measure = async (plan: number) => {
  const server = await start("PlanServer.ts", plan, latencyMs)
  const origin = `http://127.0.0.1:${server.line}`
  const dataDir = mkdtempSync(join(tmpdir(), "siteledger-pace-"))
  const demanding = Effect.timeoutOption(demand, lastsMs)
  await Effect.runPromise(Effect.provide(demanding, worker(Number(server.line), plan, dataDir)))
  const answer = await fetch(`${origin}/arrivals`)
  const { arrivals, refused } = (await answer.json()) as { arrivals: ReadonlyArray<number>; refused: number }
  server.process.kill()
  rmSync(dataDir, { recursive: true })
  // Whole minutes within the demand, starting at any request.
  const starts = arrivals.filter((at) => at + windowMs < (arrivals[0] ?? 0) + lastsMs - marginMs)
  const used = starts.map((from) => inWindow(arrivals, from))
  const most = arrivals.reduce((sum, from) => Math.max(sum, inWindow(arrivals, from)), 0)
  return {
    plan,
    share: round(Math.min(...used) / plan),
    mostIn60s: most,
    answered429: refused,
    worstGapMs: Math.max(...arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? at)))
  }
}

const plans = await Promise.all([measure(600), measure(3000)])
process.stdout.write(
  `${JSON.stringify({ bench: "pace", share: Math.min(...plans.map((each) => each.share)), latencyMs, plans })}\n`
)
