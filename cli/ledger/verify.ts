/**
 * `siteledger ledger verify`: ends with 1 where the books differ from their facts.
 */
import { Effect, Runtime, Schema } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import * as Print from "../Print.ts"

/** Which ones has been said. */
export class Differs extends Schema.TaggedError<Differs>()("Differs", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
}

export const verify = Command.make("verify", {}, () =>
  Effect.gen(function* () {
    const verified = yield* ask("ledger-verify", {}, Alone.books)
    yield* Print.laidOut(verified)
    if (verified.differences.length > 0)
      return yield* new Differs({ message: "The books are not what their facts say." })
  })
).pipe(Command.withDescription("Fold all facts again and compare them with the books"))
