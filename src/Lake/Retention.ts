/**
 * How long exports stay on a Lake: the newest ones by their number, and each for a while after another has replaced it. Its
 * manifest says for how long at least, and no later setting shortens that. Pure.
 *
 * An export that readers opened when it was the newest is safe for that time, however old it was by then.
 */
import { Duration } from "effect"
import * as Manifest from "./Manifest.ts"

/** Which exports stay. */
export interface Keep {
  /** So many of the newest. */
  readonly newest: number
  /** And all that were replaced less long ago. */
  readonly for: Duration.Duration
}

/** Of a manifest; older ones say less. */
export interface Kept {
  readonly run: string
  readonly before?: string | null | undefined
  readonly shownAt?: string | undefined
  readonly keptSeconds?: number | undefined
}

const longest = Duration.days(36_500)

/** What a manifest says: bounded, as nobody may be able to read it, or anybody may have written it. */
export const secondsOf = (time: Duration.Duration): number => Math.ceil(Duration.toSeconds(Duration.min(time, longest)))

/** A date that there isn't is as old as can be. */
const msOf = (time: string): number => {
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? 0 : ms
}

const shownMs = ({ run, shownAt }: Kept): number => msOf(shownAt ?? Manifest.timeOf(run))

/** By run, when another was shown instead: the one that says so, or the next, where none does. The newest isn't there. */
const replacedMs = (runs: ReadonlyArray<Kept>): ReadonlyMap<string, number> => {
  const sorted = runs.toSorted((a, b) => (a.run < b.run ? -1 : 1))
  const after = Map.groupBy(runs, ({ before }) => before)
  return new Map(
    sorted.flatMap(({ run }, index) => {
      // An overtaken one named it as well.
      const by = after.get(run) ?? sorted.slice(index + 1, index + 2)
      return by.length === 0 ? [] : [[run, Math.max(...by.map(shownMs))] as const]
    })
  )
}

/** By run, until when it stays in any case, in milliseconds since 1970; one that none has replaced isn't there. */
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

/** The runs whose manifests may go: neither among the newest, nor replaced a short while ago, nor pointed at. */
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
