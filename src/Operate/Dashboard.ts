/**
 * What the admin listener serves to browsers: the dashboard's page, sessions, and what the page is told as it happens.
 * For everything else the page uses the verbs, under the same rules as any caller.
 *
 * A session begins with a code that `siteledger dashboard` prints, or with a token. At most 100 dashboards are updated
 * at a time.
 */
import type { IncomingMessage } from "node:http"
import { ByteSize, Effect, Schema, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Json from "../Domain/Json.ts"
import * as LogLine from "../Runtime/LogLine.ts"
import type { Caller } from "./Admin/Caller.ts"
import { answer, isOwnOrigin, type make as makeCallers } from "./Admin/Callers.ts"
import * as Cookie from "./Admin/Cookie.ts"
import { payloadFor } from "./Admin/Given.ts"
import type { SignedIn } from "./AdminApi/SessionVerbs.ts"
import { Feed } from "./Dashboard/Feed.ts"
import { files, pages } from "./Dashboard/Files.ts"
import { Sessions } from "./Dashboard/Sessions.ts"
import { parquet } from "./Verbs/Lake.ts"

type Callers = Effect.Success<typeof makeCallers>
type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse
type Respond<R> = (request: Request) => Effect.Effect<Response, never, R>

/** Who may ask at all: see `Admin`. */
export type Guard = <R>(respond: Respond<R>) => Respond<R>

const signedIn = ({ principal, roles }: Caller): SignedIn => ({ principal, may: roles })

const nobody = answer(401, { error: "No one is signed in here." })

const foreign = answer(403, { error: "Sign in from the dashboard's own page." })

const orSay = Effect.catch(({ message }: { readonly message: string }) =>
  Effect.succeed(answer(500, { error: message }))
)

const Given = Schema.Union([Schema.Struct({ code: Schema.String }), Schema.Struct({ token: Schema.String })])

/** A code or a token is far shorter: a caller who isn't signed in must not be able to fill the worker's memory. */
const mostGiven = ByteSize.fromInputUnsafe(4096)

const given = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => request.text).pipe(
  Effect.provideService(HttpServerRequest.MaxBodySize, mostGiven),
  Effect.map(Json.parse),
  Effect.flatMap(Schema.decodeUnknownEffect(Given)),
  Effect.orElseSucceed(() => ({ token: "" }))
)

const refused = {
  code: "This link was used before, or is older than two minutes: run `siteledger dashboard` again.",
  token: "This token isn't valid, or no longer valid."
}

const signInBy = (callers: Callers, sessions: Sessions["Service"]) => (request: Request) =>
  Effect.gen(function* () {
    if (!isOwnOrigin(request)) return foreign
    const how = yield* given
    const principal = "code" in how ? yield* sessions.redeem(how.code) : (yield* callers.byToken(how.token))?.principal
    const session = principal === undefined ? undefined : yield* sessions.begin(principal)
    const caller = session && (yield* sessions.find(session.secret))
    if (session === undefined || caller === undefined) {
      yield* LogLine.write("token.refused", { request: "/session" })
      return answer(401, { error: "code" in how ? refused.code : refused.token })
    }
    yield* LogLine.write("session.begun", { principal: caller.principal, ends: session.endsAt })
    return Cookie.set(request, session.secret)(answer(200, signedIn(caller)))
  }).pipe(orSay)

const signOutBy = (sessions: Sessions["Service"]) => (request: Request) =>
  Effect.gen(function* () {
    if (!isOwnOrigin(request)) return foreign
    const secret = Cookie.of(request)
    if (secret === undefined) return nobody
    yield* sessions.end(secret)
    return Cookie.clear(request)(HttpServerResponse.empty())
  }).pipe(orSay)

const whoBy = (callers: Callers) => (request: Request) =>
  Effect.map(callers.of(request), (caller) => (caller === undefined ? nobody : answer(200, signedIn(caller)))).pipe(
    orSay
  )

const checkEvery = "15 seconds"
const mostTold = 100

const crowded = answer(503, { error: `${mostTold} dashboards are open already.` })

/** Ends when the session ends. */
const streamBy = (callers: Callers, feed: Feed["Service"]) => {
  let told = 0
  const place = Effect.acquireRelease(
    Effect.sync(() => void told++),
    () => Effect.sync(() => void told--)
  )
  return Effect.fnUntraced(function* (request: Request) {
    if (told >= mostTold) return crowded
    const context = yield* Effect.context<Effect.Services<ReturnType<Callers["of"]>>>()
    // An unavailable Store says nothing about the session; the stream itself reports that it is unavailable.
    const isOut = Effect.match(callers.of(request), {
      onSuccess: (caller) => caller === undefined,
      onFailure: () => false
    })
    const ended = isOut.pipe(
      Effect.delay(checkEvery),
      Effect.repeat({ until: (is) => is }),
      Effect.provideContext(context)
    )
    const seen = /^\d{1,15}$/.exec(request.headers["last-event-id"] ?? "")?.[0]
    const messages = feed.from(seen === undefined ? undefined : Number(seen)).pipe(Stream.interruptWhen(ended))
    return HttpServerResponse.stream(Stream.encodeText(Stream.unwrap(Effect.as(place, messages))), {
      contentType: "text/event-stream",
      headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
    })
  })
}

/** Created or sent at a time: each may use as much of the disk as an answer may. */
const mostSent = 3
/** A reader who takes longer has gone, and the part that it has isn't a complete file. */
const sendingTakes = "10 minutes"

const hangUp = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ source }) =>
  Effect.sync(() => void (source as IncomingMessage).destroy())
)

/**
 * The complete answer of a statement as a Parquet file, under the rules of the verb `query`; the page can't create one
 * itself.
 */
const parquetBy = () => {
  let sent = 0
  const place = Effect.acquireRelease(
    Effect.sync(() => void sent++),
    () => Effect.sync(() => void sent--)
  )
  return Effect.gen(function* () {
    if (sent >= mostSent) return answer(503, { error: "Other answers are being downloaded: try again in a moment." })
    // Held until it is sent, or its reader has gone.
    yield* place
    const { sql } = yield* payloadFor("query")
    const file = yield* Effect.acquireRelease(parquet(sql), (opened) => Effect.promise(() => opened.close()))
    const { size } = yield* Effect.promise(() => file.stat())
    yield* Effect.forkScoped(Effect.delay(hangUp, sendingTakes))
    const bytes = Stream.fromAsyncIterable(file.createReadStream({ autoClose: false }), (cause) => cause)
    return HttpServerResponse.stream(bytes, {
      contentType: "application/vnd.apache.parquet",
      contentLength: size,
      headers: { "cache-control": "no-store", "x-content-type-options": "nosniff" }
    })
  }).pipe(orSay)
}

export const routes = (callers: Callers, guard: Guard) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const router = yield* HttpRouter.HttpRouter
    const { assets, page } = yield* files
    const paths = [...pages.map((path) => ({ path, answer: page })), ...assets]
    for (const file of paths) {
      yield* router.add(
        "GET",
        file.path,
        guard((request) => Effect.succeed(file.answer(request)))
      )
    }
    yield* router.add("GET", "/session", guard(whoBy(callers)))
    yield* router.add("POST", "/session", guard(signInBy(callers, sessions)))
    yield* router.add("DELETE", "/session", guard(signOutBy(sessions)))
    const answered = parquetBy()
    yield* router.add(
      "POST",
      "/query.parquet",
      guard((request) => callers.guarded("read", () => answered)(request))
    )
    const stream = streamBy(callers, yield* Feed)
    yield* router.add(
      "GET",
      "/stream",
      guard((request) => callers.guarded("read", () => stream(request))(request))
    )
  })
