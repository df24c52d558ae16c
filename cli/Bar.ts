/**
 * While a verb runs, a line on stderr shows its progress and how long it will take, if someone watches: on a terminal,
 * and not with --json, which is for programs. The line is gone when the verb ends.
 */
import { Clock, Effect } from "effect"
import type { StatusReport } from "../src/Operate/AdminApi/StatusReport.ts"
import * as Text from "../src/Query/Text.ts"

type Task = StatusReport["tasks"][number]

const width = 24

const count = (value: number): string => value.toLocaleString("en-US")

/** `1:05`, `2:00:00`. */
const clock = (seconds: number): string => {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60]
  const two = (value: number) => String(value).padStart(2, "0")
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** Estimated from how long the first part took. */
const left = ({ done, startedAt, total }: Task, nowMs: number): string => {
  const tookMs = nowMs - Date.parse(startedAt)
  return done === 0 ? "" : `, ${clock(Math.ceil((tookMs * (total - done)) / done / 1000))} left`
}

/** At most 80 columns. */
export const line = (task: Task, nowMs: number): string => {
  const filled = task.total === 0 ? width : Math.floor((task.done / task.total) * width)
  const bar = "█".repeat(filled) + "░".repeat(width - filled)
  const text = `${task.name} ${bar} ${count(task.done)} of ${count(task.total)} ${task.unit}${left(task, nowMs)}`
  return Text.cut(Text.visible(text), 80)
}

const redrawEvery = "500 millis"

const write = (text: string) => Effect.sync(() => void process.stderr.write(text))

const erase = "\r\u001B[K"

/** Draws the newest of the tasks repeatedly. A source that fails is asked again. */
const draw = <E, R>(tasks: Effect.Effect<ReadonlyArray<Task>, E, R>) =>
  Effect.gen(function* () {
    while (true) {
      yield* Effect.sleep(redrawEvery)
      const newest = (yield* Effect.orElseSucceed(tasks, () => [])).at(-1)
      if (newest !== undefined) yield* write(erase + line(newest, yield* Clock.currentTimeMillis))
    }
  }).pipe(Effect.ensuring(write(erase)))

const isWatched = (): boolean => process.stderr.isTTY && !process.argv.includes("--json")

/** Call it before something is printed while the line is there: the line is redrawn below. */
export const makeRoom = Effect.suspend(() => (isWatched() ? write(erase) : Effect.void))

/** Runs the verb with a line about the tasks of this name. */
export const shown =
  <E2, R2>(name: string, tasks: Effect.Effect<ReadonlyArray<Task>, E2, R2>) =>
  <A, E, R>(verb: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | R2> =>
    isWatched()
      ? Effect.raceFirst(verb, draw(Effect.map(tasks, (all) => all.filter((task) => task.name === name))))
      : verb
