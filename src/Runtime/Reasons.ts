/**
 * What a person should know right now, in sentences. The part that notices a problem sets a sentence under a key, with
 * how serious it is, and clears it when the problem has passed; Status shows all active ones. Nothing is kept across
 * restarts.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import * as Instant from "../Domain/Instant.ts"
import * as LogLine from "./LogLine.ts"
import { type ReasonKey, toDoOf } from "./Reasons/ToDo.ts"

/** Most serious first. A notice isn't a fault: Status stays as it is. Critical: money or data is at stake. */
export const levels = ["critical", "degraded", "notice"] as const
export type Level = (typeof levels)[number]

export interface Reason {
  readonly key: string
  readonly level: Level
  readonly sentence: string
  /** When it became active. */
  readonly since: Instant.Instant
  /** As one sentence. */
  readonly toDo: string
}

export class Reasons extends Context.Service<
  Reasons,
  {
    /** `level`: defaults to degraded. */
    readonly set: (key: ReasonKey, sentence: string, level?: Level) => Effect.Effect<void>
    /** A pipeline has crashed; its name is the key. */
    readonly crashed: (pipeline: string) => Effect.Effect<void>
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
      const set = Effect.fnUntraced(function* (key: string, sentence: string, level: Level) {
        const before = active.get(key)
        const since = before?.since ?? Instant.fromMillis(yield* Clock.currentTimeMillis)
        const toDo = toDoOf(key)
        active.set(key, { key, level, sentence, since, toDo })
        if (before?.level === level && before.sentence === sentence) return
        yield* LogLine.write("reason.set", { reason: key, reason_level: level, sentence, to_do: toDo })
      })
      const clear = Effect.fnUntraced(function* (key: string) {
        const before = active.get(key)
        if (before === undefined) return
        active.delete(key)
        const nowMs = yield* Clock.currentTimeMillis
        const lasted = Duration.millis(Math.max(0, nowMs - Instant.toMicros(before.since) / 1000))
        yield* LogLine.write("reason.cleared", {
          reason: key,
          reason_level: before.level,
          seconds: LogLine.seconds(lasted)
        })
      })
      return Reasons.of({
        set: (key, sentence, level = "degraded") => set(key, sentence, level),
        crashed: (pipeline) => set(pipeline, crashSentence(pipeline), "degraded"),
        clear,
        all,
        wrong: Effect.map(all, wrongOf)
      })
    })
  )
}

const crashSentence = (pipeline: string): string =>
  `An unexpected error stopped ${pipeline}; it is restarted. The log has the details.`

/** The sentences of all but notices. */
export const wrongOf = (reasons: ReadonlyArray<Reason>): ReadonlyArray<string> =>
  reasons.filter(({ level }) => level !== "notice").map(({ sentence }) => sentence)
