/**
 * The newest refresh token in the Store, sealed: all workers on one database share it, whichever one sends.
 *
 * Each use of a refresh token may give the next one. The stored entry records from which configured token it came: if a
 * person configures another one, that one is used. When `keep` returns, the token is on disk.
 */
import { createHash } from "node:crypto"
import { Effect, Option, Redacted, Schema } from "effect"
import * as LogLine from "../../src/Runtime/LogLine.ts"
import { Seal } from "../../src/Runtime/Seal.ts"
import { Store } from "../../src/Stores/Store.ts"
import { type QuickBooksError, unavailable } from "./QuickBooksAnswer.ts"

export interface TokenKept {
  /** What the configured token has led to; the configured token itself as long as nothing is stored. */
  readonly newest: Effect.Effect<string, QuickBooksError>
  readonly keep: (refreshToken: string) => Effect.Effect<void, QuickBooksError>
}

export interface Configured {
  readonly clientId: string
  /** QuickBooks' id of the company. */
  readonly realmId: string
  /** The first token, from a person. */
  readonly refreshToken: Redacted.Redacted
}

/** What the text is sealed for. */
const purpose = "QuickBooks token"

/** In `meta`. */
export const key = "quickbooks_token"

const Kept = Schema.fromJsonString(
  Schema.Struct({
    /** A hash of the configured token, and of the client and the company for which it is valid. */
    first: Schema.String,
    newest: Schema.String
  })
)
const readKept = Schema.decodeUnknownOption(Kept)

export const make = Effect.fnUntraced(function* ({
  clientId,
  realmId,
  refreshToken
}: Configured): Effect.fn.Return<TokenKept, never, Seal | Store> {
  const seal = yield* Seal
  const store = yield* Store
  const configured = Redacted.value(refreshToken)
  const first = createHash("sha256").update([clientId, realmId, configured].join("\n")).digest("hex")
  const attempt = <A>(what: string, query: Parameters<typeof store.run<A>>[0]) =>
    Effect.mapError(store.run(query), ({ message }) =>
      unavailable(`QuickBooks' newest refresh token can't be ${what}: ${message}`)
    )
  const kept = Effect.gen(function* () {
    const row = yield* attempt("read", (db) =>
      db.selectFrom("meta").select("value").where("key", "=", key).executeTakeFirst()
    )
    if (row === undefined) return Option.none()
    return yield* seal.open(row.value, purpose).pipe(
      Effect.map(readKept),
      // A person who has lost the key configures a new token.
      Effect.catchTag("SealError", ({ message: why }) =>
        Effect.as(LogLine.write("token.unreadable", { why }), Option.none())
      )
    )
  })
  return {
    newest: Effect.map(kept, (found) =>
      Option.isSome(found) && found.value.first === first ? found.value.newest : configured
    ),
    keep: (newest) => {
      const value = seal.seal(JSON.stringify({ first, newest }), purpose)
      return Effect.asVoid(
        attempt("kept", (db) =>
          db
            .insertInto("meta")
            .values({ key, value })
            .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
            .execute()
        )
      )
    }
  }
})
