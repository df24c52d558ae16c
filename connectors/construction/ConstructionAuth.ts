/**
 * The life of the access token (interface document §5): renewed ahead of its expiry by min(60 s, a tenth of its life),
 * one request at a time however many wait. `expires_in` may be missing; then the token is used until the service
 * refuses it. ConstructionAuth/ has the two ways to one: Credentials, and StoredLogin.
 *
 * What may pass by itself is retried here with growing pauses and shown in Status; a refusal names what to check.
 */
import { Clock, Context, Duration, Effect, Schedule, Schema, Semaphore } from "effect"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import type { SourceError } from "../../src/Walk/Source.ts"
import type { LoginFileError } from "./ConstructionAuth/LoginFile.ts"
import type { TokenUnavailable } from "./ConstructionAuth/TokenEndpoint.ts"

export class Token extends Context.Service<
  Token,
  {
    /** A token that is good for now. While only a person's login can help it waits for that. */
    readonly get: Effect.Effect<string, SourceError>
    /** The service refused this token: forget it, unless a newer one is there already. */
    readonly drop: (token: string) => Effect.Effect<void>
  }
>()("siteledger/construction/Token") {}

/** Only a person can help, by logging in. */
export class LoginNeeded extends Schema.TaggedError<LoginNeeded>()("LoginNeeded", { message: Schema.String }) {}

export interface Held {
  readonly token: string
  readonly renewAtMs: number
  /** Of its way. */
  readonly version: string
}

/** A way to a token. */
export interface Way {
  /** Another text as soon as there may be another token than the one that is held; asked for before each request. */
  readonly version: Effect.Effect<string>
  /** One attempt. `refused` is no longer good, though it may not have expired. */
  readonly obtain: (
    refused: string
  ) => Effect.Effect<Held, SourceError | LoginNeeded | LoginFileError | TokenUnavailable>
}

const earliestRenewal = Duration.seconds(60)
export const pauses = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("60 seconds")]).pipe(
  Schedule.jittered
)
const lookForLogin = Schedule.spaced("1 second")
export const reasonKey = "token"

/** Undefined: its life is not known. */
export const renewAt = (obtainedAtMs: number, lifeMs: number | undefined): number =>
  lifeMs === undefined
    ? Number.POSITIVE_INFINITY
    : obtainedAtMs + lifeMs - Math.min(Duration.toMillis(earliestRenewal), lifeMs / 10)

/** In memory, for as long as it is good. */
export const keep = Effect.fnUntraced(function* (way: Way) {
  const reasons = yield* Reasons
  const oneAtATime = yield* Semaphore.make(1)
  let held: Held | undefined
  let refused = ""

  const current = Effect.gen(function* () {
    if (held === undefined || held.version !== (yield* way.version)) return undefined
    return (yield* Clock.currentTimeMillis) < held.renewAtMs ? held.token : undefined
  })
  const renew = Effect.gen(function* () {
    const already = yield* current
    if (already !== undefined) return already
    held = yield* Effect.suspend(() => way.obtain(refused)).pipe(
      Effect.tapError((error) => reasons.set(reasonKey, error.message)),
      Effect.retry({ schedule: lookForLogin, while: (error) => error._tag === "LoginNeeded" }),
      Effect.retry({ schedule: pauses, while: (error) => error._tag !== "SourceError" }),
      Effect.catchTags({ LoginNeeded: Effect.die, LoginFileError: Effect.die, TokenUnavailable: Effect.die })
    )
    yield* reasons.clear(reasonKey)
    return held.token
  })
  return Token.of({
    get: Effect.flatMap(current, (token) =>
      token === undefined ? oneAtATime.withPermit(renew) : Effect.succeed(token)
    ),
    drop: (token) =>
      Effect.sync(() => {
        refused = token
        if (held?.token === token) held = undefined
      })
  })
})
