/**
 * The administration (interface document §1, §2.4, §3.2, §4.4: "Admin → API → Webhooks"), at `{authUrl}/admin`:
 * pages for people, and the same as JSON for scripts under `/admin/api`. Its look and the whole JSON side are assumed.
 * It shows and changes subscriptions, deliveries and faults; it never changes a record.
 *
 * It serves this machine only (`SameOrigin.ts`) and therefore has no login. A form is answered with 303; the page that
 * follows shows the result once. A new secret is shown the same way.
 */
import { Clock, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, UrlParams } from "effect/http"
import { randomUUID } from "node:crypto"
import { type Action, actions as ownActions, creation, type Given } from "./Administration/Actions.ts"
import type { Administered } from "./Administration/Administered.ts"
import * as Api from "./Administration/Api.ts"
import { type Notice, type Page, render, root } from "./Administration/Page.ts"
import { type Asked, pages } from "./Administration/Pages.ts"
import * as Records from "./Administration/Records.ts"
import * as Resources from "./Administration/Resources.ts"
import { Refused } from "./Administration/Refused.ts"
import * as SameOrigin from "./Administration/SameOrigin.ts"
import { script } from "./Administration/Script.ts"
import { stylesheet } from "./Administration/Stylesheet.ts"
import * as WebhookViews from "./Administration/WebhookViews.ts"

export type { Administered } from "./Administration/Administered.ts"
export const path = root

const actions = [...ownActions, ...Resources.actions]
const views = [...Api.views, ...Resources.views]

/** Notices that are shown once. The address of the next page names the notice to take. */
const makeNotices = () => {
  const most = 100
  const left = new Map<string, Notice>()
  return {
    leave: (notice: Notice): string => {
      const name = randomUUID()
      left.set(name, notice)
      const oldest = left.keys().next()
      if (left.size > most && oldest.done !== true) left.delete(oldest.value)
      return name
    },
    take: (name = ""): Notice | undefined => {
      const notice = left.get(name)
      left.delete(name)
      return notice
    }
  }
}
type Notices = ReturnType<typeof makeNotices>

const makeAsked = (counts: Asked["counts"]) =>
  Effect.gen(function* () {
    const { url } = yield* HttpServerRequest.HttpServerRequest
    const { id = "" } = yield* HttpRouter.params
    const query = Object.fromEntries(URL.parse(url, "http://localhost")?.searchParams ?? [])
    return { id, query, now: yield* Clock.currentTimeMillis, counts } satisfies Asked
  })

const shown = (world: Administered, page: Page, status: number, notice?: Notice) => {
  const faultsOn = world.faults.all().filter(({ value }) => value !== 0).length
  const contentType = "text/html; charset=utf-8"
  return HttpServerResponse.text(render(page, faultsOn, notice), { status, contentType })
}

const notFound: Page = {
  section: "none",
  title: "Not found",
  body: "It was deleted, never existed, or is so old that only its count is kept."
}

const pageRoutes = (world: Administered, notices: Notices) => {
  const asked = makeAsked(Records.tally(world.events).counts(world.simulation.steps))
  return pages.map(([path, make]) =>
    HttpRouter.route(
      "GET",
      path === "/" ? root : `${root}${path}`,
      Effect.gen(function* () {
        const given = yield* asked
        const page = yield* make(world, given)
        if (page === undefined) return shown(world, notFound, 404)
        return shown(world, page, 200, notices.take(given.query["notice"]))
      })
    )
  )
}

const json = (status: number, body: unknown) => HttpServerResponse.jsonUnsafe(body, { status })

/** Errors have the same form as the service's own. */
const refused = ({ message, status }: Refused) =>
  json(status, { error: status === 400 ? "invalid_request" : status === 404 ? "not_found" : "conflict", message })

const viewRoutes = (world: Administered) =>
  views.map(([path, view]) =>
    HttpRouter.route(
      "GET",
      `${root}/api${path}`,
      Effect.gen(function* () {
        const { id, query } = yield* makeAsked(Effect.never)
        return json(200, yield* view(world, query, id))
      }).pipe(Effect.catchTag("Refused", (error) => Effect.succeed(refused(error))))
    )
  )

const unreadable = new Refused({ status: 400, message: "the body is malformed" })

const isObject = (given: unknown): given is Given =>
  typeof given === "object" && given !== null && !Array.isArray(given)

/** The body may be missing. */
const jsonGiven = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const text = yield* request.text
  if (text === "") return {}
  const given: unknown = yield* Effect.try(() => JSON.parse(text))
  return isObject(given) ? given : yield* unreadable
}).pipe(Effect.mapError(() => unreadable))

const formGiven = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => request.urlParamsBody).pipe(
  Effect.map((form): Given => UrlParams.toRecord(form)),
  Effect.mapError(() => unreadable)
)

const forScript = (world: Administered, { path, run }: Action) =>
  HttpRouter.route(
    "POST",
    `${root}/api${path}`,
    Effect.gen(function* () {
      const { id, query } = yield* makeAsked(Effect.never)
      const { body, status } = yield* run(world, id, { ...query, ...(yield* jsonGiven) })
      return json(status, body)
    }).pipe(Effect.catchTag("Refused", (error) => Effect.succeed(refused(error)))),
    { uninterruptible: true }
  )

/** A refused webhook keeps what was typed; any other action takes one press to repeat. */
const refusedForm = (world: Administered, { message, status }: Refused, { path }: Action, given: Given, now: number) =>
  path === "/subscriptions"
    ? shown(world, WebhookViews.page(world, now, { ...creation(given), complaint: message }), status)
    : shown(world, notFound, status, { tone: "bad", text: `Not done: ${message}.` })

const forPerson = (world: Administered, notices: Notices, action: Action) =>
  HttpRouter.route(
    "POST",
    `${root}${action.path}`,
    Effect.gen(function* () {
      const { id, now, query } = yield* makeAsked(Effect.never)
      const given = { ...query, ...(yield* Effect.orElseSucceed(formGiven, () => ({}))) }
      const done = yield* Effect.result(action.run(world, id, given))
      if (done._tag === "Failure") return refusedForm(world, done.failure, action, given, now)
      const { location, notice } = done.success
      const name = notices.leave({ tone: "good", text: notice })
      const joint = location.includes("?") ? "&" : "?"
      return HttpServerResponse.redirect(`${location}${joint}notice=${name}`, { status: 303 })
    }),
    { uninterruptible: true }
  )

/** Everything that is served here: method and path. */
export const routes: ReadonlyArray<readonly [string, string]> = [
  ...pages.map(([path]) => ["GET", path === "/" ? root : `${root}${path}`] as const),
  ...views.map(([path]) => ["GET", `${root}/api${path}`] as const),
  ...actions.flatMap(({ path }) => [["POST", `${root}${path}`] as const, ["POST", `${root}/api${path}`] as const]),
  ["GET", `${root}/administration.css`],
  ["GET", `${root}/administration.js`]
]

const asset = (name: string, text: string, contentType: string) =>
  HttpRouter.route("GET", `${root}/${name}`, HttpServerResponse.text(text, { contentType }))

export const layerWith = (world: Administered) => {
  const notices = makeNotices()
  return HttpRouter.addAll([
    ...pageRoutes(world, notices),
    ...viewRoutes(world),
    ...actions.map((action) => forScript(world, action)),
    ...actions.map((action) => forPerson(world, notices, action)),
    asset("administration.css", stylesheet, "text/css; charset=utf-8"),
    asset("administration.js", script, "text/javascript; charset=utf-8")
  ]).pipe(Layer.provide(SameOrigin.only))
}
