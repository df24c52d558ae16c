/**
 * A token by client credentials (interface document §5.1), kept only in memory: the next process requests another.
 */
import { Clock, Effect, Layer } from "effect"
import type { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Pace } from "../../../src/Walk/Pace.ts"
import { SourceError } from "../../../src/Walk/Source.ts"
import { type Held, keep, renewAt, Token } from "../ConstructionAuth.ts"
import type { GrantRefused } from "./Grant.ts"
import { TokenEndpoint } from "./TokenEndpoint.ts"

/** For programs without a person's login. */
export const layerNoDeps: Layer.Layer<Token, never, TokenEndpoint | Pace | Reasons> = Layer.effect(
  Token,
  Effect.flatMap(Effect.context<TokenEndpoint | Pace>(), (context) =>
    keep({
      version: Effect.succeed(""),
      obtain: () => Effect.provideContext(obtain(""), context)
    })
  )
)

export const obtain = Effect.fn("Token.byCredentials")(function* (version: string) {
  const endpoint = yield* TokenEndpoint
  const pace = yield* Pace
  yield* pace.take("event")
  const { access, lifeMs } = yield* endpoint
    .request({ grant_type: "client_credentials" })
    .pipe(Effect.catchTag("GrantRefused", refusal))
  const held: Held = { token: access, renewAtMs: renewAt(yield* Clock.currentTimeMillis, lifeMs), version }
  return held
})

export const refusal = ({ message }: GrantRefused) => Effect.fail(new SourceError({ reason: "Refused", message }))
