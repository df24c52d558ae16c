/**
 * A service's failures, as the shipped scenarios play them in scaled time; the worker is a separate process. In the end
 * its tables hold the service's truth.
 */
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import * as Scenario from "../../sandbox/Scenario.ts"
import { endOf, startWorker, truthOf } from "./SandboxWorld.ts"

const scenarios = resolve(import.meta.dirname, "../../sandbox/scenarios")

const start = Effect.fnUntraced(function* (file: string, timeScale: number) {
  const scenario = { ...(yield* Scenario.read(join(scenarios, file))), timeScale }
  const sandbox = yield* Sandbox.start({ ...Scenario.options(scenario), plan: Infinity })
  const working = yield* startWorker(sandbox)
  return { scenario, sandbox, working }
})

describe("a worker whose service is cut off for two days", () => {
  it.live("holds the whole truth once the permanently failed deliveries are replayed", () =>
    Effect.gen(function* () {
      const { sandbox, scenario, working } = yield* start("two-day-outage.json", 28_800)
      const lost = sandbox.deliveries.until(({ failed }) => failed >= 200)
      yield* Effect.all([Scenario.play(sandbox, scenario), lost], { concurrency: "unbounded" })
      yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
      assert.strictEqual(sandbox.deliveries.counts().failed, 0)
      const truth = truthOf(sandbox.truth())
      assert.isAbove(Object.keys(truth["ipcs"] ?? {}).length, 40)
      assert.deepStrictEqual(yield* endOf(working, Object.keys(truth)), truth)
    })
  )
})

describe("a worker whose deliveries come late, twice, mislabelled and wrongly signed", () => {
  it.live("holds the whole truth, even if the lists fail and shift", () =>
    Effect.gen(function* () {
      const { sandbox, scenario, working } = yield* start("rough-day.json", 28_800)
      const api = { "error-502": 0.1, "error-503": 0.1, reset: 0.1, html: 0.1, "cut-json": 0.1 } as const
      for (const [name, share] of Object.entries(api)) sandbox.faults.set(name as keyof typeof api, share)
      sandbox.faults.set("page-size-clamp", 70)
      sandbox.faults.set("churn", 1)
      yield* Scenario.play(sandbox, scenario)
      for (const { name } of sandbox.faults.all()) sandbox.faults.set(name, 0)
      yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
      const truth = truthOf(sandbox.truth())
      assert.isTrue(sandbox.truth().project(0).id > 1001)
      assert.deepStrictEqual(yield* endOf(working, Object.keys(truth)), truth)
    })
  )
})
