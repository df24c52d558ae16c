/**
 * Who asks the admin listener: a principal, by its token; `admin`, by the configured token; or this worker's own user of
 * the operating system, by the token of this run, which only that user can read (`worker.json`).
 *
 * Tokens are compared by their hashes, in constant time. Nothing is remembered from one request to the next.
 */
import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { userName } from "../../../config/Environment.ts"
import { Settings } from "../../../config/Settings.ts"
import * as Json from "../../Domain/Json.ts"
import * as LogLine from "../../Runtime/LogLine.ts"
import type { Needed } from "../AdminApi/Verb.ts"
import * as Principals from "../Principals.ts"

interface Caller {
  readonly principal: string
  readonly may: (needed: Needed) => boolean
}

const isToken = (given: string, token: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"))

const bearer = (request: HttpServerRequest.HttpServerRequest): string =>
  /^Bearer (.+)$/i.exec(request.headers["authorization"] ?? "")?.[1] ?? ""

export const answer = (status: number, body: unknown): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(`${Json.stringify(body)}\n`, { status, contentType: "application/json" })

/** Whatever there is to do. */
const all = (principal: string): Caller => ({ principal, may: () => true })

/** How people without a worker are recorded, and those who read its note. */
export const ownUser: Effect.Effect<string> = Effect.map(userName, (name) => `os:${name}`)

export const make = Effect.gen(function* () {
  const { adminToken } = yield* Settings
  const token = randomBytes(32).toString("hex")
  const known = [
    { token, caller: all(yield* ownUser) },
    ...Option.toArray(adminToken).map((configured) => ({ token: Redacted.value(configured), caller: all("admin") }))
  ]
  const callerBy = Effect.fnUntraced(function* (given: string) {
    const found = known.find((each) => isToken(given, each.token)) ?? (yield* Principals.find(given))
    if (found === undefined || "caller" in found) return found?.caller
    return { principal: found.name, may: (needed) => Principals.may(found.roles, needed) } satisfies Caller
  })
  return {
    /** Of this run, for the note. */
    token,
    /** A person has configured a token, which then guards what is only read, too. */
    guardsReading: Option.isSome(adminToken),
    guarded: guardedBy(callerBy)
  }
})

type Respond<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

/** Only for who may. */
const guardedBy =
  <E extends { readonly message: string }, S>(callerBy: (token: string) => Effect.Effect<Caller | undefined, E, S>) =>
  <R>(needed: Needed, respond: (principal: string) => Respond<R>) =>
  (request: HttpServerRequest.HttpServerRequest): Respond<R | S> =>
    Effect.gen(function* () {
      const caller = yield* callerBy(bearer(request))
      if (caller?.may(needed) === true) return yield* respond(caller.principal)
      const [path = ""] = request.url.split("?")
      if (caller === undefined) {
        yield* LogLine.write("token.refused", { request: path })
        return answer(401, { error: "A valid token is needed." })
      }
      const { principal } = caller
      yield* LogLine.write("verb.refused", { request: path, principal, needs: needed })
      return answer(403, { error: lacking(principal, needed) })
    }).pipe(Effect.catch(({ message }) => Effect.succeed(answer(500, { error: message }))))

const lacking = (principal: string, needed: Needed): string =>
  needed === "admin"
    ? `${principal} may not do this: it needs the admin token, or the user who runs the worker.`
    : `${principal} may not do this: it needs the role ${needed}.`
