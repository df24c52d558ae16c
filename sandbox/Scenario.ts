/**
 * A scenario: what happens in a sandbox, and when, from a JSON file. Times are simulated time since the first
 * subscription, divided by `timeScale`. Steps run in the order of the file.
 *
 * For a receiver that answers 2xx, the same file always gives the same bodies and order of first attempts, and the same
 * ids if it names an `identity`. Events happen at the file's times, however late the machine gets to them, and the
 * simulated clock shows these times too. A delivery that is due after a pending step waits for that step.
 */
import { readFileSync } from "node:fs"
import { DateTime, Duration, Effect, Result, Runtime, Schema } from "effect"
import * as Faults from "./Faults.ts"
import type { SandboxOptions } from "./Options.ts"
import type { Sandbox } from "./Sandbox.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const optional = Schema.optionalKey

const Action = Schema.Struct({
  at: Schema.DurationFromString.annotate({ expected: 'a time such as "2 hours"' }),
  /** Emits this many events. */
  emit: optional(Count),
  /** Sets this fault to `value`. */
  fault: optional(Schema.Literals(Faults.names)),
  value: optional(Schema.Finite),
  /** Replays every permanently failed delivery, as an administrator would. */
  replayFailed: optional(Schema.Literal(true)),
  /** Rotates the secret of the subscription with this number; 0 is the first. */
  rotateSecret: optional(Count),
  /** Ends the service. */
  stop: optional(Schema.Literal(true))
})
type Action = typeof Action.Type

const actions = ["emit", "fault", "replayFailed", "rotateSecret", "stop"] as const

const actionComplaint = (step: Action): string | undefined => {
  if (Duration.isNegative(step.at)) return "at is before the first subscription"
  if (actions.filter((action) => step[action] !== undefined).length !== 1) {
    return `a step must have exactly one of ${actions.join(", ")}`
  }
  if (step.fault === undefined) return step.value === undefined ? undefined : "value belongs to a fault"
  return step.value === undefined ? "a fault needs a value" : Faults.complaint(step.fault, step.value)
}

const Steps = Schema.Array(Action.check(Schema.makeFilter(actionComplaint))).check(
  Schema.makeFilter((steps) => {
    const early = steps.findIndex(({ at }, n) => n > 0 && Duration.isLessThan(at, steps[n - 1]?.at ?? Duration.zero))
    if (early > 0) return { path: [early], issue: "comes before the step above it" }
    const last = steps.findIndex(({ stop }) => stop === true)
    return last < 0 || last === steps.length - 1 ? undefined : { path: [last + 1], issue: "comes after the stop" }
  })
)

const File = Schema.Struct({
  seed: optional(Schema.Int),
  /** Fixes event ids and secrets. Default: random. */
  identity: optional(Schema.NonEmptyString),
  /** How many times faster than in reality. Default 1. */
  timeScale: optional(Schema.Finite.check(Schema.isGreaterThan(0))),
  projects: optional(Count),
  /** One amount in thirty is larger than any double can hold. */
  largeAmounts: optional(Schema.Literal(true)),
  /** Concurrent attempts. Default 1: deliveries arrive in order. */
  concurrency: optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  /** The simulated clock at the first subscription. */
  startAt: optional(Schema.DateTimeUtcFromString),
  steps: Steps
})
export type Scenario = typeof File.Type

export class ScenarioError extends Schema.TaggedError<ScenarioError>()("ScenarioError", {
  message: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
}

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(File), { onExcessProperty: "error" })

/** Fails with one sentence that says what is wrong, and where. */
export const parse = (text: string): Result.Result<Scenario, string> =>
  Result.mapError(decode(text), ({ message }) => message.replaceAll(/\s*\n\s*/g, " "))

export const read = (path: string): Effect.Effect<Scenario, ScenarioError> =>
  Effect.try({ try: () => readFileSync(path, "utf8"), catch: String }).pipe(
    Effect.flatMap((text) => Effect.fromResult(parse(text))),
    Effect.mapError((wrong) => new ScenarioError({ message: `The scenario ${path} can't be played: ${wrong}` }))
  )

/** Fixed, so that bodies are always the same. */
const standardStart = DateTime.makeUnsafe("2026-01-05T08:00:00Z")

/** The distance between events that are emitted at once. */
const eventMillis = 1

/** The options of a sandbox that plays this scenario. */
export const options = ({
  concurrency,
  identity,
  largeAmounts,
  projects,
  seed,
  startAt,
  steps,
  timeScale
}: Scenario): SandboxOptions => {
  const startAtMillis = DateTime.toEpochMillis(startAt ?? standardStart)
  const anchors: Array<{ readonly step: number; readonly atMillis: number }> = []
  let [step, earliest] = [0, startAtMillis]
  for (const { at, emit = 0 } of steps) {
    const atMillis = Math.max(earliest, startAtMillis + Duration.toMillis(at))
    if (emit > 0) anchors.push({ step, atMillis })
    step += emit
    earliest = atMillis + emit * eventMillis
  }
  return {
    ...(identity === undefined ? {} : { identity }),
    seed,
    projects,
    largeAmounts,
    timeScale: timeScale ?? 1,
    concurrency: concurrency ?? 1,
    startAt: startAtMillis,
    anchors,
    eventsPerSecond: 0,
    duplicates: 0,
    disorder: 0
  }
}

type Stage = Pick<
  Sandbox,
  "deliveries" | "emit" | "faults" | "options" | "replayFailed" | "rotateSecret" | "subscribed"
>

const perform = (stage: Stage, step: Action, at: number): Effect.Effect<void> => {
  const { emit, fault, replayFailed, rotateSecret, value } = step
  if (emit !== undefined) return stage.emit(emit, at)
  if (fault !== undefined) return Effect.sync(() => stage.faults.set(fault, value ?? 0))
  if (replayFailed !== undefined) return Effect.asVoid(stage.replayFailed)
  if (rotateSecret === undefined) return Effect.void
  return Effect.flatMap(stage.rotateSecret(rotateSecret), (secret) =>
    secret === undefined
      ? Effect.logWarning(`The scenario rotates the secret of subscription ${rotateSecret}, which doesn't exist`)
      : Effect.void
  )
}

/** Returns after the last step; true if that step was `stop`. `stage`: a sandbox with the scenario's options. */
export const play = Effect.fnUntraced(function* (stage: Stage, { steps }: Scenario) {
  const { deliveries } = stage
  yield* stage.subscribed
  const begin = yield* deliveries.now
  for (const step of steps) {
    const at = begin + Math.round(Duration.toMillis(step.at) / stage.options.timeScale)
    yield* deliveries.setHorizon(at)
    yield* Effect.sleep(Math.max(0, at - (yield* deliveries.now)))
    yield* perform(stage, step, at)
  }
  yield* deliveries.setHorizon(Infinity)
  return steps.at(-1)?.stop === true
})
