/**
 * How long exports stay on a Lake: a number of the newest ones, and each for a while after another has replaced it. Its
 * manifest states a minimum, and no later setting shortens that. Pure.
 *
 * An export that readers opened while it was the newest is safe for that time, however old it was by then.
 */
import { Duration } from "effect"
import * as Manifest from "./Manifest.ts"

/** Which exports stay. */
export interface Keep {
  /** This many of the newest. */
  readonly newest: number
  /** And all that were replaced less than this long ago. */
  readonly for: Duration.Duration
}

/** From a manifest; older manifests say less. */
export interface Kept {
  readonly run: string
  readonly before?: string | null | undefined
  readonly shownAt?: string | undefined
  readonly keptSeconds?: number | undefined
}

const longest = Duration.days(36_500)

/** The value for a manifest: bounded, because anyone may have written a manifest. */
export const secondsOf = (time: Duration.Duration): number => Math.ceil(Duration.toSeconds(Duration.min(time, longest)))

/** An invalid date counts as infinitely old. */
const msOf = (time: string): number => {
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? 0 : ms
}

const shownMs = ({ run, shownAt }: Kept): number => msOf(shownAt ?? Manifest.timeOf(run))

/**
 * By run: when another export replaced it. That is the export that says so, or else the next one. The newest isn't
 * included.
 */
const replacedMs = (runs: ReadonlyArray<Kept>): ReadonlyMap<string, number> => {
  const sorted = runs.toSorted((a, b) => (a.run < b.run ? -1 : 1))
  const after = Map.groupBy(runs, ({ before }) => before)
  return new Map(
    sorted.flatMap(({ run }, index) => {
      // An overtaken export may have named it as well.
      const by = after.get(run) ?? sorted.slice(index + 1, index + 2)
      return by.length === 0 ? [] : [[run, Math.max(...by.map(shownMs))] as const]
    })
  )
}

/**
 * By run: until when it stays in any case, in milliseconds since 1970. An export that hasn't been replaced isn't
 * included.
 */
export const safeUntilMs = (
  runs: ReadonlyArray<Kept>,
  least: Duration.Duration = Duration.zero
): ReadonlyMap<string, number> => {
  const replaced = replacedMs(runs)
  return new Map(
    runs.flatMap(({ keptSeconds = 0, run }) => {
      const from = replaced.get(run)
      const seconds = secondsOf(Duration.max(Duration.seconds(keptSeconds), least))
      return from === undefined ? [] : [[run, from + seconds * 1000] as const]
    })
  )
}

/** The runs whose manifests may go: not among the newest, not recently replaced, and not pointed at. */
export const retired = (
  runs: ReadonlyArray<Kept>,
  pointedAt: string | undefined,
  keep: Keep,
  nowMs: number
): ReadonlyArray<string> => {
  const until = safeUntilMs(runs, keep.for)
  return runs
    .map(({ run }) => run)
    .toSorted()
    .slice(0, -keep.newest)
    .filter((run) => run !== pointedAt && (until.get(run) ?? Infinity) < nowMs)
}
