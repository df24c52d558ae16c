/**
 * The worker's wall clock jumps by up to a day, also across kills, while a list is read at the full rate of the plan
 * and events arrive. No minute has more requests than the plan allows. Events that are in quarantine only because of
 * the wrong clock are applied once it is right.
 */
import { join } from "node:path"
import { Effect } from "effect"
import { WallClock } from "../WallClock.ts"
import { type Goal, shuffled } from "../Goal.ts"
import { judge } from "../Judge.ts"
import { Tale } from "../Tale.ts"
import { pause, within } from "../../bench/Waiting.ts"
import { World } from "../World.ts"

const hourMs = 3_600_000
const jumps = [-25, -24, -1, 0, 1, 24].map((hours) => hours * hourMs)
const plan = 120
const correctionMs = 120_000
/** A little more than the plan's minute. */
const watchedMs = 65_000

/** Judged by the sandbox, whose clock is right. */
const watched = (world: World, signal: AbortSignal) => {
  const most = { used: 0, refused: 0 }
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      const { requests, usedLastMinute } = await Effect.runPromise(world.sandbox.stats)
      most.used = Math.max(most.used, usedLastMinute)
      most.refused = requests.overLimit
      await pause(100)
    }
  }
  return { most, ended: watch() }
}

export const goal: Goal = {
  engines: ["duckdb"],
  runs: 5,
  waits: true,
  run: async (attack) => {
    const { dice } = attack
    await using world = await World.open(attack, {
      sandbox: { plan, projects: 60_000, pageSizeMax: 20 },
      environment: {
        SITELEDGER_REQUESTS_PER_MINUTE: String(plan),
        SITELEDGER_PAGE_SIZE: "20"
      }
    })
    // Recent enough to be in the future for a clock that is behind.
    world.sender.tale = new Tale(dice, "IPC", Date.now() - hourMs / 2)
    const clock = new WallClock(join(world.dataDir, "clock"))
    const started = () => world.start(clock.environment)
    let worker = started()
    await worker.reaches("the subscription is verified", ({ subscription }) => subscription.verifiedAt !== null)
    const over = new AbortController()
    const { ended, most } = watched(world, over.signal)
    const watchedFrom = performance.now()
    const violations: Array<string> = []
    const deepest = { quarantined: 0 }
    let order: Array<number> = []
    let kills = 0
    let runs = 0
    for (const run of attack.runs()) {
      if (order.length === 0) order = shuffled(dice, jumps)
      clock.set((order.pop() ?? 0) + dice.below(60_000))
      if (dice.chance(0.4)) {
        await worker.kill()
        worker = started()
        kills++
        await worker.reaches("the worker is up")
      }
      const statuses = await world.sender.burst(12)
      if (statuses.some((status) => status !== 200)) violations.push(`deliveries were answered ${statuses.join(", ")}`)
      await pause(1500 + dice.below(2000))
      deepest.quarantined = Math.max(deepest.quarantined, (await worker.status())?.inbox.quarantined ?? 0)
      runs = run + 1
    }
    clock.set(0)
    const from = performance.now()
    const isClear = await within(correctionMs, async () =>
      (await worker.status())?.inbox.quarantined === 0 ? true : undefined
    )
    const seconds = Math.round((performance.now() - from) / 1000)
    if (isClear === undefined) violations.push(`events stay in quarantine ${seconds} s after the clock is right`)
    await pause(Math.max(0, watchedMs - (performance.now() - watchedFrom)))
    over.abort()
    await ended
    if (most.used > plan) violations.push(`${most.used} requests in a minute of a plan of ${plan}`)
    if (most.refused > 0) violations.push(`the service refused ${most.refused} requests beyond the plan`)
    const judged = await judge(world, worker)
    const figures = { mostPerMinute: most.used, kills, quarantined: deepest.quarantined, clearAfterSeconds: seconds }
    return { runs, violations: [...violations, ...judged.violations], figures: { ...figures, events: judged.events } }
  }
}
