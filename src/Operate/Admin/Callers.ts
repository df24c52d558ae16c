/**
 * Identifies who calls the admin listener: a principal, by its token; `admin`, by the configured token; this worker's
 * own operating-system user, by the token of this run, which only that user can read (`worker.json`); or a person
 * signed in to the dashboard, by its cookie.
 *
 * Tokens are compared by their hashes, in constant time. Nothing is remembered between requests. A page of another
 * origin can't use the cookie: browsers don't send it there, and a change is refused unless its Origin is this
 * listener's.
 */
import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Settings } from "../../../config/Settings.ts"
import * as Json from "../../Domain/Json.ts"
import * as LogLine from "../../Runtime/LogLine.ts"
import type { Needed } from "../AdminApi/Verb.ts"
import { Sessions } from "../Dashboard/Sessions.ts"
import * as Principals from "../Principals.ts"
import { type Caller, everything, may, ownUser } from "./Caller.ts"
import * as Cookie from "./Cookie.ts"

type Request = HttpServerRequest.HttpServerRequest

const isToken = (given: string, token: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", token, "buffer"))

const bearer = (request: Request): string | undefined =>
  /^Bearer (.+)$/i.exec(request.headers["authorization"] ?? "")?.[1]

export const answer = (status: number, body: unknown): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(`${Json.stringify(body)}\n`, { status, contentType: "application/json" })

/** Whether the request comes from one of our pages: browsers say so with each request that may change something. */
export const isOwnOrigin = ({ headers }: Request): boolean => {
  const origin = headers["origin"] ?? ""
  return URL.canParse(origin) && new URL(origin).host === headers["host"]
}

export const make = Effect.gen(function* () {
  const { adminToken } = yield* Settings
  const sessions = yield* Sessions
  const token = randomBytes(32).toString("hex")
  const known = [
    { token, caller: everything(yield* ownUser) },
    ...Option.toArray(adminToken).map((configured) => ({
      token: Redacted.value(configured),
      caller: everything("admin")
    }))
  ]
  const byToken = Effect.fnUntraced(function* (given: string) {
    const own = known.find((each) => isToken(given, each.token))
    if (own !== undefined) return own.caller
    const found = yield* Principals.find(given)
    return found && ({ principal: found.name, roles: found.roles, isAdmin: false } satisfies Caller)
  })
  const byCookie = (request: Request) => {
    const secret = Cookie.of(request)
    if (secret === undefined || (request.method !== "GET" && !isOwnOrigin(request))) return Effect.undefined
    return sessions.find(secret)
  }
  const of = (request: Request) => {
    const given = bearer(request)
    return given === undefined ? byCookie(request) : byToken(given)
  }
  return {
    /** The token of this run, for the note. */
    token,
    /** A person has configured a token, which then also guards reading. */
    guardsReading: Option.isSome(adminToken),
    /** The owner of a token; undefined if it has no owner, or no longer has one. */
    byToken,
    /** Who sends a request; undefined if the caller isn't known. */
    of,
    guarded: guardedBy(of)
  }
})

type Respond<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>

/** Runs only for callers who may ask for it. */
const guardedBy =
  <E extends { readonly message: string }, S>(
    callerOf: (request: Request) => Effect.Effect<Caller | undefined, E, S>
  ) =>
  <R>(needed: Needed, respond: (principal: string) => Respond<R>) =>
  (request: Request): Respond<R | S> =>
    Effect.gen(function* () {
      const caller = yield* callerOf(request)
      if (caller !== undefined && may(caller, needed)) return yield* respond(caller.principal)
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
