/**
 * What is wrong right now, in sentences for a person. The part that notices a problem sets a sentence under a key and
 * clears it when the problem has passed; Status shows all active ones. Nothing is kept across restarts.
 */
import { Context, Effect, Layer } from "effect"

export class Reasons extends Context.Service<
  Reasons,
  {
    readonly set: (key: string, sentence: string) => Effect.Effect<void>
    readonly clear: (key: string) => Effect.Effect<void>
    readonly all: Effect.Effect<ReadonlyArray<string>>
    /** All but the one under this key, by their keys. */
    readonly allBut: (key: string) => Effect.Effect<ReadonlyMap<string, string>>
  }
>()("siteledger/Reasons") {
  static readonly layer: Layer.Layer<Reasons> = Layer.effect(
    Reasons,
    Effect.sync(() => {
      const active = new Map<string, string>()
      return Reasons.of({
        set: (key, sentence) =>
          Effect.suspend(() => {
            const isNews = active.get(key) !== sentence
            active.set(key, sentence)
            return isNews ? Effect.logWarning(sentence) : Effect.void
          }),
        clear: (key) => Effect.suspend(() => (active.delete(key) ? Effect.logInfo(`Resolved: ${key}`) : Effect.void)),
        all: Effect.sync(() => [...active.values()]),
        allBut: (key) => Effect.sync(() => new Map([...active].filter(([each]) => each !== key)))
      })
    })
  )
}
