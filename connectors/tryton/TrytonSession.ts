/**
 * The session of siteledger's user in Tryton: begun by the first call, and again when Tryton no longer knows it.
 *
 * Guarantees: one login at a time, however many entries need it. A login that Tryton denied isn't repeated within a
 * minute, so a wrong password locks no one out. The session is kept only in memory.
 */
import { Clock, Duration, Effect, Option, Redacted, Result, Schema, Semaphore } from "effect"
import type { HttpClient } from "effect/http"
import { steady } from "../../src/Runtime/Boot.ts"
import { denied, read, type TrytonError } from "./TrytonAnswer.ts"
import { exchange, type Server } from "./TrytonExchange.ts"

export interface Login extends Server {
  readonly user: string
  readonly password: Redacted.Redacted
}

export interface TrytonSession {
  /** The header value of a session that is valid as far as is known, and isn't the one that was refused. */
  readonly authorization: (refused?: string) => Effect.Effect<string, TrytonError, HttpClient.HttpClient>
  /** What no sentence may repeat. */
  readonly secrets: () => ReadonlyArray<string>
}

interface Pause {
  readonly failure: TrytonError
  readonly untilMs: number
}

/** After wrong passwords Tryton delays its answers more and more, up to half a minute, even for the right one. */
const leastPatience = Duration.seconds(45)

/** After a login that failed without being denied, for the entries that waited for it. */
const failedPauseMs = Duration.toMillis("1 second")

/** The user's number and the session; later versions add more. */
const Session = Schema.TupleWithRest(Schema.Tuple([Schema.Int, Schema.String]), [Schema.Unknown])
const readSession = Schema.decodeUnknownOption(Session)

const steadyMs = Effect.updateService(Clock.currentTimeMillis, Clock.Clock, steady)

export const make = Effect.fnUntraced(function* (login: Login) {
  const oneAtATime = yield* Semaphore.make(1)
  const password = Redacted.value(login.password)
  const server = { url: login.url, patience: Duration.max(login.patience, leastPatience) }
  let held: string | undefined
  let secrets: ReadonlyArray<string> = [password]
  let pause: Pause | undefined

  const begin = Effect.gen(function* () {
    const answer = yield* exchange(server, "common.db.login", [login.user, { password }, "en"])
    const nowMs = yield* Clock.currentTimeMillis
    const session = Option.flatMap(Result.getSuccess(read(answer, secrets, nowMs)), readSession)
    if (Option.isNone(session)) return yield* denied(answer, secrets, nowMs)
    const [userId, token] = session.value
    const encoded = Buffer.from(`${login.user}:${userId}:${token}`).toString("base64")
    secrets = [password, token, encoded]
    return `Session ${encoded}`
  })

  const paused = (failure: TrytonError) =>
    Effect.map(steadyMs, (nowMs) => {
      const { verdict } = failure
      const pauseMs = (verdict._tag === "Unavailable" ? verdict.retryAfterMs : undefined) ?? failedPauseMs
      pause = { failure, untilMs: nowMs + pauseMs }
    })

  const current = Effect.fnUntraced(function* (refused: string | undefined) {
    if (held !== undefined && held !== refused) return held
    if (pause !== undefined && (yield* steadyMs) < pause.untilMs) return yield* pause.failure
    held = yield* Effect.tapError(begin, paused)
    return held
  })

  return {
    authorization: (refused) => oneAtATime.withPermit(current(refused)),
    secrets: () => secrets
  } satisfies TrytonSession as TrytonSession
})
