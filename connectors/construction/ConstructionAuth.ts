/**
 * The life of the access token (interface document §5): renewed before it expires, by min(60 s, a tenth of its life),
 * with one request at a time for all waiting calls. If `expires_in` is missing, the token is used until the service
 * refuses it. ConstructionAuth/ has the two ways to get one: Credentials and StoredLogin.
 *
 * Transient failures are retried here with growing pauses, never before the time that the endpoint asked for, and shown
 * in Status; a refusal names what to check.
 */
import { Clock, Context, Duration, Effect, Schedule, Schema, Semaphore } from "effect"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import type { SourceError } from "../../src/Walk/Source.ts"
import type { BasicWanted } from "./ConstructionAuth/ClientSecret.ts"
import type { LoginFileError } from "./ConstructionAuth/LoginFile.ts"
import type { TokenUnavailable } from "./ConstructionAuth/TokenEndpoint.ts"

export class Token extends Context.Service<
  Token,
  {
    /** A currently valid token. Waits while only a person's login can help. */
    readonly get: Effect.Effect<string, SourceError>
    /** The service refused this token: forget it, unless there is already a newer one. */
    readonly drop: (token: string) => Effect.Effect<void>
  }
>()("siteledger/construction/Token") {}

/** A person must log in. */
export class LoginNeeded extends Schema.TaggedError<LoginNeeded>()("LoginNeeded", { message: Schema.String }) {}

export interface Held {
  readonly token: string
  readonly renewAtMs: number
  /** The way's version when the token was obtained. */
  readonly version: string
}

/** A way to get a token. */
export interface Way {
  /** Changes as soon as there may be a token other than the current one; read before each request. */
  readonly version: Effect.Effect<string>
  /** One attempt. The token `refused` is no longer valid, even if it hasn't expired. */
  readonly obtain: (
    refused: string
  ) => Effect.Effect<Held, SourceError | LoginNeeded | LoginFileError | TokenUnavailable | BasicWanted>
}

const earliestRenewal = Duration.seconds(60)
export const pauses = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("60 seconds")]).pipe(
  Schedule.jittered
)
const lookForLogin = Schedule.spaced("1 second")
export const reasonKey = "token"

/** `lifeMs`: undefined if not known. */
export const renewAt = (obtainedAtMs: number, lifeMs: number | undefined): number =>
  lifeMs === undefined
    ? Number.POSITIVE_INFINITY
    : obtainedAtMs + lifeMs - Math.min(Duration.toMillis(earliestRenewal), lifeMs / 10)

/** A person logged in or out, which may end a long wait. */
const changed = (way: Way, version: string) =>
  Effect.repeat(way.version, { schedule: lookForLogin, until: (now) => now !== version })

/** Keeps a token in memory while it is valid. */
export const keep = Effect.fnUntraced(function* (way: Way) {
  const reasons = yield* Reasons
  const oneAtATime = yield* Semaphore.make(1)
  let held: Held | undefined
  let refused = ""

  const current = Effect.gen(function* () {
    if (held === undefined || held.version !== (yield* way.version)) return undefined
    return (yield* Clock.currentTimeMillis) < held.renewAtMs ? held.token : undefined
  })
  const attempt = Effect.gen(function* () {
    const version = yield* way.version
    return yield* Effect.suspend(() => way.obtain(refused)).pipe(
      Effect.retry({ while: ({ _tag }) => _tag === "BasicWanted" }),
      Effect.tapError((error) => reasons.set(reasonKey, error.message)),
      Effect.tapErrorTag("TokenUnavailable", ({ waitMs = 0 }) =>
        Effect.raceFirst(Effect.sleep(waitMs), changed(way, version))
      )
    )
  })
  const renew = Effect.gen(function* () {
    const already = yield* current
    if (already !== undefined) return already
    held = yield* attempt.pipe(
      Effect.retry({ schedule: lookForLogin, while: (error) => error._tag === "LoginNeeded" }),
      Effect.retry({ schedule: pauses, while: (error) => error._tag !== "SourceError" }),
      Effect.catchTags({
        LoginNeeded: Effect.die,
        LoginFileError: Effect.die,
        TokenUnavailable: Effect.die,
        BasicWanted: Effect.die
      })
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
