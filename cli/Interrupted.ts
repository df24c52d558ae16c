/**
 * What is said when a verb is interrupted. A worker that has been asked continues without the caller: Ctrl-C then
 * undoes nothing, and the sentence says so.
 */
import { Effect } from "effect"

const interrupted = { sentence: "Interrupted before it was done." }

export const sentence = (): string => interrupted.sentence

/** `asked` waits for the running worker. */
export const goesOn =
  (name: string) =>
  <A, E, R>(asked: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.onInterrupt(asked, () =>
      Effect.sync(() => {
        interrupted.sentence =
          `Interrupted, but the running worker goes on with \`${name}\`: \`siteledger status\` shows what is under way. ` +
          "Check whether it was done before you ask again."
      })
    )
