/**
 * The review file on disk: read as a person left it, written completely or not at all.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { Effect, Option, Result, Runtime, Schema } from "effect"
import type { Review } from "./Review.ts"
import { decode } from "./Review/Decode.ts"
import { write as textOf } from "./Review/Write.ts"
import { whyNot } from "../Runtime/SystemFailure.ts"

/** A person must act, so the command exits with 2, as for a bad configuration. */
export class ReviewFailed extends Schema.TaggedError<ReviewFailed>()("ReviewFailed", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
}

const failed = (path: string, sentences: ReadonlyArray<string>) =>
  new ReviewFailed({ message: sentences.map((sentence) => `${path} ${sentence}`).join("\n") })

/** None if there is no such file yet. */
export const read = (path: string): Effect.Effect<Option.Option<Review>, ReviewFailed> =>
  Effect.suspend(() => {
    if (!existsSync(path)) return Effect.succeed(Option.none())
    const text = Result.try({
      try: () => readFileSync(path, "utf8"),
      catch: (cause) => [`can't be read: ${whyNot(cause)}.`]
    })
    const review = Result.map(Result.flatMap(text, decode), Option.some)
    return Effect.mapError(Effect.fromResult(review), (sentences) => failed(path, sentences))
  })

/** False if the file already has this content. */
export const write = (path: string, review: Review): Effect.Effect<boolean, ReviewFailed> =>
  Effect.try({
    try: () => {
      const text = textOf(review)
      if (existsSync(path) && readFileSync(path, "utf8") === text) return false
      writeFileSync(`${path}.new`, text)
      renameSync(`${path}.new`, path)
      return true
    },
    catch: (cause) => failed(path, [`can't be written: ${whyNot(cause)}.`])
  })
