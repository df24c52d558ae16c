/**
 * The life of QuickBooks' tokens. An access token lives for an hour and is kept only in memory. Each refresh may give a
 * new refresh token; then only that one is valid.
 *
 * Guarantees: one refresh at a time; a new refresh token is on disk before its access token is used, so it survives the
 * process. If the process dies between Intuit's answer and our write, a person must connect again. This can't be
 * prevented, but nothing else happens between the two. A failed refresh isn't repeated before its pause is over,
 * however many entries need it; if Intuit refused it, the pause is a minute.
 */
import { Clock, Duration, Effect, Option, Redacted, Schema, Semaphore } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { sinceBootMs } from "../../src/Runtime/Boot.ts"
import { retryAfterMs } from "../../src/Runtime/RetryAfter.ts"
import type { Seal } from "../../src/Runtime/Seal.ts"
import type { Store } from "../../src/Stores/Store.ts"
import { type Answer, type QuickBooksError, reconnect, unavailable } from "./QuickBooksAnswer.ts"
import { exchange } from "./QuickBooksExchange.ts"
import * as TokenKept from "./QuickBooksTokenKept.ts"

export interface TokenOptions extends TokenKept.Configured {
  readonly clientSecret: Redacted.Redacted
  readonly tokenUrl: URL
  readonly patience: Duration.Duration
}

export interface Token {
  /** A token that is valid as far as is known, and isn't the one that was refused. */
  readonly access: (refused?: string) => Effect.Effect<string, QuickBooksError, HttpClient.HttpClient>
  /** What no sentence may repeat. */
  readonly secrets: () => ReadonlyArray<string>
}

interface Held {
  readonly access: string
  readonly refresh: string
  readonly obtainedAtMs: number
  readonly renewAtMs: number
  /** It is on disk. */
  readonly isKept: boolean
}

interface Pause {
  readonly failure: QuickBooksError
  readonly untilMs: number
}

/** Ahead of its expiry, so that no request is in flight with a token that expires. */
const renewBeforeMs = Duration.toMillis("1 minute")
const freshMs = Duration.toMillis("1 minute")
const refusedPauseMs = Duration.toMillis("1 minute")
const failedPauseMs = Duration.toMillis("5 seconds")

export const make = Effect.fnUntraced(function* (options: TokenOptions): Effect.fn.Return<Token, never, Seal | Store> {
  const kept = yield* TokenKept.make(options)
  const oneAtATime = yield* Semaphore.make(1)
  const configured = [options.clientSecret, options.refreshToken].map(Redacted.value)
  let held: Held | undefined
  let pause: Pause | undefined

  const keep = Effect.fnUntraced(function* (fresh: Held) {
    // Also kept in memory: if the store can't be written, the next attempt writes it.
    held = fresh
    yield* kept.keep(fresh.refresh)
    held = { ...fresh, isKept: true }
    return fresh.access
  })

  const renew = Effect.gen(function* () {
    const spent = yield* kept.newest
    const granted = yield* ask(options, spent)
    const obtainedAtMs = yield* sinceBootMs
    const { access, lifeMs, refresh = spent } = granted
    const renewAtMs = obtainedAtMs + Math.max(lifeMs - renewBeforeMs, lifeMs / 2)
    return yield* keep({ access, refresh, obtainedAtMs, renewAtMs, isKept: false })
  })

  const paused = (failure: QuickBooksError) =>
    Effect.map(sinceBootMs, (nowMs) => {
      const { verdict } = failure
      const pauseMs = (verdict._tag === "Unavailable" ? verdict.retryAfterMs : undefined) ?? failedPauseMs
      pause = { failure, untilMs: nowMs + pauseMs }
    })

  const current = Effect.fnUntraced(function* (refused: string | undefined) {
    const nowMs = yield* sinceBootMs
    if (held !== undefined && !held.isKept) yield* keep(held)
    if (held !== undefined && isGood(held, refused, nowMs)) return held.access
    if (pause !== undefined && nowMs < pause.untilMs) return yield* pause.failure
    return yield* Effect.uninterruptible(Effect.tapError(renew, paused))
  })

  return {
    access: (refused) => oneAtATime.withPermit(current(refused)),
    secrets: () => (held === undefined ? configured : [...configured, held.access, held.refresh])
  }
})

/** A fresh token that was refused counts as good too, because another one would also be refused. */
const isGood = ({ access, obtainedAtMs, renewAtMs }: Held, refused: string | undefined, nowMs: number): boolean =>
  nowMs < renewAtMs && (access !== refused || nowMs < obtainedAtMs + freshMs)

interface Granted {
  readonly access: string
  /** Undefined if the old one stays valid (RFC 6749 §6). */
  readonly refresh: string | undefined
  readonly lifeMs: number
}

const Granted = Schema.fromJsonString(
  Schema.Struct({
    // It is sent in a header.
    access_token: Schema.String.check(Schema.isPattern(/^[!-~]+$/)),
    refresh_token: Schema.optional(Schema.String),
    expires_in: Schema.optional(Schema.Number)
  })
)
const readGranted = Schema.decodeUnknownOption(Granted)
const Denied = Schema.fromJsonString(Schema.Struct({ error: Schema.String.check(Schema.isPattern(/^[a-z_]{1,40}$/)) }))
const readDenied = Schema.decodeUnknownOption(Denied)

const usualLifeSeconds = 3600

const ask = Effect.fnUntraced(function* (
  options: TokenOptions,
  refreshToken: string
): Effect.fn.Return<Granted, QuickBooksError, HttpClient.HttpClient> {
  const request = HttpClientRequest.post(options.tokenUrl).pipe(
    HttpClientRequest.acceptJson,
    HttpClientRequest.basicAuth(options.clientId, options.clientSecret),
    HttpClientRequest.bodyUrlParams({ grant_type: "refresh_token", refresh_token: refreshToken })
  )
  const answer = yield* exchange(request, options.patience)
  const granted = Option.getOrUndefined(readGranted(answer.text))
  if (answer.status < 200 || answer.status >= 300 || granted === undefined)
    return yield* denial(answer, yield* Clock.currentTimeMillis)
  return {
    access: granted.access_token,
    refresh: granted.refresh_token,
    lifeMs: (granted.expires_in ?? usualLifeSeconds) * 1000
  }
})

/** Repeats Intuit's error code, but not its description, which may contain the token. */
const denial = ({ retryAfter, status, text }: Answer, nowMs: number): QuickBooksError => {
  const code = Option.getOrUndefined(Option.map(readDenied(text), ({ error }) => error))
  if (code === "invalid_grant")
    return unavailable(`Intuit no longer takes the refresh token (invalid_grant). ${reconnect}`, refusedPauseMs)
  if (code === "invalid_client" || status === 401)
    return unavailable(
      "Intuit doesn't know the client: check SITELEDGER_QUICKBOOKS_CLIENT_ID and SITELEDGER_QUICKBOOKS_CLIENT_SECRET.",
      refusedPauseMs
    )
  const isTransient = status === 429 || status >= 500
  return unavailable(
    `Intuit's token endpoint gave no token (${status}${code === undefined ? "" : `, ${code}`}).`,
    retryAfterMs(retryAfter, nowMs) ?? (isTransient ? failedPauseMs : refusedPauseMs)
  )
}
