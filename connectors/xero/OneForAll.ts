/**
 * Runs an effect once for all callers that asked before it began; they share its outcome, even a failure. One run at a
 * time.
 *
 * An interrupted run has no outcome: the next waiting caller starts another one.
 */
import { Effect, type Exit, Semaphore } from "effect"

export const oneForAll = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E, R>> =>
  Effect.map(Semaphore.make(1), (turn) => {
    let asked = 0
    let last: { readonly upTo: number; readonly exit: Exit.Exit<A, E> } | undefined
    const next = Effect.suspend(() => {
      const upTo = asked
      return Effect.flatMap(Effect.exit(run), (exit) => {
        last = { upTo, exit }
        return exit
      })
    })
    return Effect.suspend(() => {
      const own = ++asked
      return turn.withPermit(Effect.suspend(() => (last !== undefined && last.upTo >= own ? last.exit : next)))
    })
  })
