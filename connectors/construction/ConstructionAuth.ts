/**
 * The life of the access token (interface document §5): by a person's login when there is one, else by client
 * credentials. Renewed ahead of its expiry by min(60 s, a tenth of its life), one request at a time however many
 * wait, here and in all processes on the data directory. `expires_in` may be missing; then the token is used until
 * the service refuses it.
 *
 * A refresh token may be good for one use only: the tokens that come for it are on disk before the access token is
 * used. If the process dies between the service's answer and our write, that login is lost, which nobody can prevent;
 * nothing else happens between the two. An answer that was lost on the way is asked for again with the same
 * token. When the service takes either for a second use, the login has ended: that stands in its file and in Status,
 * whoever needs a token waits, and goes on when a person has logged in again.
 *
 * What may pass by itself is retried here with growing pauses and shown in Status; a refusal names the variable to
 * check. Tokens from client credentials live in memory only.
 */
import { Clock, Context, Duration, Effect, Layer, Schedule, Schema, Semaphore } from "effect"
import type { HttpClient } from "effect/http"
import { ClientSettings } from "../../config/ClientSettings.ts"
import type { Settings } from "../../config/Settings.ts"
import { Pace } from "../../src/Walk/Pace.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import type { Seal } from "../../src/Runtime/Seal.ts"
import { SourceError } from "../../src/Walk/Source.ts"
import {
  type ActiveLogin,
  endedSentence,
  type Found,
  type Login,
  LoginFile,
  type LoginFileError,
  stored,
  type StoredTokens
} from "./ConstructionAuth/LoginFile.ts"
import {
  type GrantRefused,
  TokenEndpoint,
  type Tokens,
  type TokenUnavailable
} from "./ConstructionAuth/TokenEndpoint.ts"

export class Token extends Context.Service<
  Token,
  {
    /** A token that is good for now. While only a person's login can help it waits for that. */
    readonly get: Effect.Effect<string, SourceError>
    /** The service refused this token: forget it, unless a newer one is there already. */
    readonly drop: (token: string) => Effect.Effect<void>
  }
>()("siteledger/construction/Token") {
  static readonly layerNoDeps: Layer.Layer<Token, never, ClientSettings | LoginFile | TokenEndpoint | Pace | Reasons> =
    Layer.effect(
      Token,
      Effect.suspend(() => make)
    )
  static readonly layer: Layer.Layer<
    Token,
    never,
    ClientSettings | Settings | Seal | Pace | Reasons | HttpClient.HttpClient
  > = Layer.suspend(() => Token.layerNoDeps.pipe(Layer.provide(LoginFile.layer), Layer.provide(TokenEndpoint.layer)))
}

/** Only a person can help, by logging in. */
class LoginNeeded extends Schema.TaggedError<LoginNeeded>()("LoginNeeded", { message: Schema.String }) {}

interface Held {
  readonly token: string
  readonly renewAtMs: number
  /** Of the login's file: whoever logs in, refreshes or logs out elsewhere is noticed at once. */
  readonly version: string
}

const earliestRenewal = Duration.seconds(60)
const pauses = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("60 seconds")]).pipe(Schedule.jittered)
const lookForLoginEvery = Duration.seconds(1)
const reasonKey = "token"

const make = Effect.gen(function* () {
  const reasons = yield* Reasons
  const file = yield* LoginFile
  const context = yield* Effect.context<ClientSettings | LoginFile | TokenEndpoint | Pace | Reasons>()
  const oneAtATime = yield* Semaphore.make(1)
  let held: Held | undefined
  let refused = ""

  const current = Effect.gen(function* () {
    if (held === undefined || held.version !== (yield* file.version)) return undefined
    return (yield* Clock.currentTimeMillis) < held.renewAtMs ? held.token : undefined
  })
  const renew = Effect.gen(function* () {
    const already = yield* current
    if (already !== undefined) return already
    held = yield* Effect.suspend(() => obtain(refused)).pipe(
      Effect.tapError((error) => reasons.set(reasonKey, error.message)),
      Effect.retry({ schedule: Schedule.spaced(lookForLoginEvery), while: (error) => error._tag === "LoginNeeded" }),
      Effect.retry({ schedule: pauses, while: (error) => error._tag !== "SourceError" }),
      Effect.catchTags({ LoginNeeded: Effect.die, LoginFileError: Effect.die, TokenUnavailable: Effect.die })
    )
    yield* reasons.clear(reasonKey)
    return held.token
  })
  return Token.of({
    get: Effect.flatMap(current, (token) =>
      token === undefined ? oneAtATime.withPermit(Effect.provideContext(renew, context)) : Effect.succeed(token)
    ),
    drop: (token) =>
      Effect.sync(() => {
        refused = token
        if (held?.token === token) held = undefined
      })
  })
})

/** One attempt, by whichever way there is now. `refused` is no longer good, whatever its expiry says. */
const obtain = Effect.fnUntraced(function* (
  refused: string
): Effect.fn.Return<
  Held,
  SourceError | LoginNeeded | LoginFileError | TokenUnavailable,
  ClientSettings | LoginFile | TokenEndpoint | Pace | Reasons
> {
  const file = yield* LoginFile
  const pace = yield* Pace
  // Before what it is the version of.
  const version = yield* file.version
  const login = yield* Effect.flatMap(file.read, active)
  if (login === undefined) return yield* byCredentials(version)
  const now = yield* Clock.currentTimeMillis
  if (login.tokens.access !== refused && now < renewAt(login.tokens)) return hold(login.tokens, version)
  yield* pace.take("event")
  const renewed = yield* file.locked(refresh(login, version))
  return renewed ?? (yield* obtain(refused))
})

const hold = (tokens: StoredTokens, version: string): Held => ({
  token: tokens.access,
  renewAtMs: renewAt(tokens),
  version
})

const renewAt = ({ expiresAtMs, obtainedAtMs }: StoredTokens): number =>
  expiresAtMs === null
    ? Number.POSITIVE_INFINITY
    : expiresAtMs - Math.min(Duration.toMillis(earliestRenewal), (expiresAtMs - obtainedAtMs) / 10)

/** Undefined: nobody has logged in. */
const active = (found: Found): Effect.Effect<ActiveLogin | undefined, LoginNeeded> => {
  if (found._tag === "None") return Effect.succeed(undefined)
  if (found._tag === "Active") return Effect.succeed(found)
  return Effect.fail(new LoginNeeded({ message: found._tag === "Ended" ? endedSentence(found) : found.sentence }))
}

const byCredentials = Effect.fn("Token.byCredentials")(function* (version: string) {
  const { clientSecret } = yield* ClientSettings
  const endpoint = yield* TokenEndpoint
  const pace = yield* Pace
  if (clientSecret === undefined) return yield* noWay
  yield* pace.take("event")
  const tokens = yield* endpoint
    .request({ grant_type: "client_credentials" })
    .pipe(Effect.catchTag("GrantRefused", refusal))
  return hold(stored(tokens, null, yield* Clock.currentTimeMillis), version)
})

const noWay = new LoginNeeded({
  message: "There is neither a login nor a client secret: run `siteledger login`, or set SITELEDGER_CLIENT_SECRET."
})

const refusal = ({ message }: GrantRefused) => Effect.fail(new SourceError({ reason: "Refused", message }))

/**
 * Under the file's lock. Undefined when another process has refreshed meanwhile, or a person has logged in or out:
 * then everything is as it is now, and no request is made.
 */
const refresh = Effect.fn("Token.refresh")(function* (login: ActiveLogin, version: string) {
  const file = yield* LoginFile
  const endpoint = yield* TokenEndpoint
  if ((yield* file.version) !== version) return undefined
  const { refresh: refreshToken } = login.tokens
  if (refreshToken === null) return yield* end(login, "its access token has, and the service gave no refresh token")
  const request = endpoint.request({ grant_type: "refresh_token", refresh_token: refreshToken }).pipe(
    Effect.flatMap((tokens) => renewed(login, refreshToken, tokens)),
    Effect.catchTag("GrantRefused", (error): Effect.Effect<never, LoginNeeded | SourceError, LoginFile | Reasons> =>
      error.code === "invalid_grant" ? end(login, error.advice) : refusal(error)
    )
  )
  return yield* Effect.uninterruptible(request)
})

const renewed = Effect.fnUntraced(function* (login: ActiveLogin, refreshToken: string, tokens: Tokens) {
  const file = yield* LoginFile
  const next = stored(tokens, refreshToken, yield* Clock.currentTimeMillis)
  yield* save({ ...login, tokens: next, scopes: tokens.scopes ?? login.scopes })
  return hold(next, yield* file.version)
})

/** The tokens are gone from the file with it: they are good for nothing. */
const end = Effect.fnUntraced(function* ({ tokens: _tokens, ...login }: ActiveLogin, reason: string) {
  const ended = { ...login, _tag: "Ended" as const, reason, endedAtMs: yield* Clock.currentTimeMillis }
  yield* save(ended)
  return yield* new LoginNeeded({ message: endedSentence(ended) })
})

/** The service has moved on, and so must the file: tried until it works. */
const save = Effect.fnUntraced(function* (login: Login) {
  const file = yield* LoginFile
  const reasons = yield* Reasons
  yield* file.write(login).pipe(
    Effect.tapError((error) => reasons.set(reasonKey, `The new tokens can't be kept. ${error.message}`)),
    Effect.retry(pauses),
    Effect.orDie
  )
})
