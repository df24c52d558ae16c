/**
 * Steady traffic and lists, with the service's faults, for as long as asked: how memory grows, how deliveries are
 * answered, and whether everything arrives. Memory is judged after the first half hour (`--seconds 3600` or more).
 */
import { quantile } from "../../bench/Child.ts"
import type { Goal } from "../Goal.ts"
import { judge } from "../Judge.ts"
import { pause, text } from "../../bench/Waiting.ts"
import { usualBudgetMb } from "../../src/Stores/DuckDb/Memory.ts"
import { World } from "../World.ts"

const perRunMs = 1000
const perSecond = { short: 20, long: 120 }
const mostMbPerHour = 10
const warmUpSeconds = 1800
const judgedSeconds = 1800
const windowSeconds = 300

interface Sample {
  readonly hours: number
  readonly mb: number
}

/** The slope of the straight line through the samples (least squares). */
const slope = (samples: ReadonlyArray<Sample>): number => {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const [hours, mb] = [mean((sample) => sample.hours), mean((sample) => sample.mb)]
  const across = samples.reduce((sum, sample) => sum + (sample.hours - hours) * (sample.mb - mb), 0)
  return across / samples.reduce((sum, sample) => sum + (sample.hours - hours) ** 2, 0)
}

const windows = (samples: ReadonlyArray<Sample>): ReadonlyArray<ReadonlyArray<Sample>> => [
  ...Map.groupBy(samples, ({ hours }) => Math.floor((hours * 3600) / windowSeconds)).values()
]

/**
 * The median of each window: the usual memory, without the moments in which a copy for analysts or a vacuum needs more.
 */
const medians = (samples: ReadonlyArray<Sample>): ReadonlyArray<Sample> =>
  windows(samples).map((window) => {
    const all = window.map(({ mb }) => mb)
    return { hours: window[Math.floor(window.length / 2)]!.hours, mb: Math.round(quantile(all, 0.5)) }
  })

/**
 * Such peaks come every few minutes, for a second or two. Which half hour has the largest is chance, so an hour can't
 * show whether they grow. No peak, with all that Node uses, may exceed DuckDB's whole allowance
 * (`SITELEDGER_MEMORY_MB`).
 */
const mostMb = usualBudgetMb

const highest = (samples: ReadonlyArray<Sample>): Sample =>
  samples.reduce((most, sample) => (sample.mb > most.mb ? sample : most))

const rounded = (value: number): number => Math.round(value * 10) / 10

export const goal: Goal = {
  engines: ["duckdb"],
  runs: 10,
  run: async (attack) => {
    await using world = await World.open(attack, {
      sandbox: { projects: 2000, faults: { "error-503": 0.05, reset: 0.05, "cut-json": 0.02 } },
      // No nightly export among the samples, because an export uses more memory.
      environment: { SITELEDGER_WALK_EVERY: "2 seconds", SITELEDGER_EXPORT_CRON: "0 0 1 1 *" }
    })
    const worker = world.start()
    await worker.reaches("the subscription is verified", ({ subscription }) => subscription.verifiedAt !== null)
    const traffic = new AbortController()
    const genuine = world.sender.steadily(traffic.signal, attack.isLong ? perSecond.long : perSecond.short)
    const samples: Array<Sample> = []
    const from = performance.now()
    let runs = 0
    for (const run of attack.runs()) {
      await pause(perRunMs)
      samples.push({ hours: (performance.now() - from) / 3_600_000, mb: worker.residentMb })
      runs = run + 1
    }
    traffic.abort()
    await genuine
    const seconds = (performance.now() - from) / 1000
    const isJudged = seconds >= warmUpSeconds + judgedSeconds
    const warm = samples.filter(({ hours }) => hours * 3600 > (isJudged ? warmUpSeconds : seconds / 3))
    const mbPerHour = rounded(slope(medians(warm)))
    const most = highest(samples)
    const { latencies } = world.sender
    const p99Ms = Math.round(quantile(latencies, 0.99))
    // The figures of an hour are shown even if it can't be judged.
    const judged = await judge(world, worker).catch((cause: unknown) => ({ violations: [text(cause)], events: 0 }))
    const grows = isJudged && mbPerHour > mostMbPerHour
    return {
      runs,
      violations: [
        ...judged.violations,
        ...(grows ? [`memory grows by ${mbPerHour} MB an hour`] : []),
        ...(most.mb > mostMb ? [`memory reached ${most.mb} MB`] : [])
      ],
      figures: {
        mbWarm: rounded(warm[0]?.mb ?? 0),
        mbEnd: rounded(warm.at(-1)?.mb ?? 0),
        mbMost: rounded(most.mb),
        mbMostAfterSeconds: Math.round(most.hours * 3600),
        ...(isJudged ? { mbMedians: medians(samples).map(({ mb }) => mb) } : {}),
        ...(isJudged ? { mbPerHour } : {}),
        deliveries: latencies.length,
        p99Ms,
        events: judged.events
      }
    }
  }
}
