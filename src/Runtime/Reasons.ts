/**
 * What a person should know right now, in sentences. The part that notices a problem sets a sentence under a key, with
 * how serious it is, and clears it when the problem has passed; Status shows all active ones. Nothing is kept across
 * restarts.
 */
import { Clock, Context, Effect, Layer } from "effect"
import * as Instant from "../Domain/Instant.ts"

/** Most serious first. A notice is no fault: Status stays as it is. Critical: money or data is at stake. */
export const levels = ["critical", "degraded", "notice"] as const
export type Level = (typeof levels)[number]

export interface Reason {
  readonly key: string
  readonly level: Level
  readonly sentence: string
  /** When it became active. */
  readonly since: Instant.Instant
}

export class Reasons extends Context.Service<
  Reasons,
  {
    /** `level`: degraded by default. */
    readonly set: (key: string, sentence: string, level?: Level) => Effect.Effect<void>
    readonly clear: (key: string) => Effect.Effect<void>
    /** Critical ones first. */
    readonly all: Effect.Effect<ReadonlyArray<Reason>>
    /** The sentences of all but notices. */
    readonly wrong: Effect.Effect<ReadonlyArray<string>>
  }
>()("siteledger/Reasons") {
  static readonly layer: Layer.Layer<Reasons> = Layer.effect(
    Reasons,
    Effect.sync(() => {
      const active = new Map<string, Reason>()
      const all = Effect.sync(() =>
        levels.flatMap((level) => [...active.values()].filter((one) => one.level === level))
      )
      return Reasons.of({
        set: (key, sentence, level = "degraded") =>
          Effect.gen(function* () {
            const before = active.get(key)
            const since = before?.since ?? Instant.fromMillis(yield* Clock.currentTimeMillis)
            active.set(key, { key, level, sentence, since })
            if (before?.level !== level || before.sentence !== sentence) yield* log[level](sentence)
          }),
        clear: (key) => Effect.suspend(() => (active.delete(key) ? Effect.logInfo(`Resolved: ${key}`) : Effect.void)),
        all,
        wrong: Effect.map(all, wrongOf)
      })
    })
  )
}

const log = { critical: Effect.logError, degraded: Effect.logWarning, notice: Effect.logInfo }

/** The sentences of all but notices. */
export const wrongOf = (reasons: ReadonlyArray<Reason>): ReadonlyArray<string> =>
  reasons.filter(({ level }) => level !== "notice").map(({ sentence }) => sentence)
