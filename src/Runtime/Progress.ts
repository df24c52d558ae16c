/**
 * The progress of long work, for the people who wait for it: Status shows what is in progress, the command line shows a
 * bar.
 *
 * Kept in memory, and gone when the work ends in any way. Reporting progress never waits and never fails.
 */
import { Clock, Context, Effect } from "effect"
import * as Instant from "../Domain/Instant.ts"

export interface Task {
  /** The verb or job that does it. */
  readonly name: string
  /** The unit that is counted, in the plural. */
  readonly unit: string
  readonly done: number
  readonly total: number
  readonly startedAtMs: number
}

/** Reports progress: `done` of `total`. */
export type Reached = (done: number) => void

/** The work in progress in this process, oldest first. */
export class Tasks {
  readonly #running = new Set<{ -readonly [Key in keyof Task]: Task[Key] }>()

  get all(): ReadonlyArray<Task> {
    return [...this.#running]
  }

  begin(
    name: string,
    unit: string,
    total: number,
    startedAtMs: number
  ): { readonly reached: Reached; readonly end: () => void } {
    const task = { name, unit, done: 0, total, startedAtMs }
    this.#running.add(task)
    return {
      /** Never beyond the total. */
      reached: (done) => void (task.done = Math.min(total, done)),
      end: () => void this.#running.delete(task)
    }
  }
}

export const Progress = Context.Reference<Tasks>("siteledger/Progress", { defaultValue: () => new Tasks() })

const shown = ({ startedAtMs, ...task }: Task) => ({ ...task, startedAt: Instant.fromMillis(startedAtMs) })

/** As Status shows it, together with work known elsewhere. */
export const underWayWith = (others: ReadonlyArray<Task>) =>
  Effect.map(Progress, ({ all }) => [...others, ...all].map(shown))

export const underWay = underWayWith([])

export const track = <A, E, R>(
  name: string,
  { total, unit }: Pick<Task, "total" | "unit">,
  work: (reached: Reached) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.flatMap(Progress, (tasks) =>
      Effect.map(Clock.currentTimeMillis, (nowMs) => tasks.begin(name, unit, total, nowMs))
    ),
    ({ reached }) => work(reached),
    ({ end }) => Effect.sync(end)
  )
