/**
 * The Source: what the service lists, page by page (interface document §2, §4.1).
 *
 * A page that is not what the document promises (HTML, cut off, another shape) is asked for again as a whole.
 * A list page is an observation: its clock is the start of the request by the service's own clock, less a
 * margin for replicas that lag behind.
 */
import { hash } from "node:crypto"
import { Effect, Layer } from "effect"
import type { Change } from "../../src/Domain/Change.ts"
import * as Clock from "../../src/Domain/Clock.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import * as Resource from "../../src/Domain/Resource.ts"
import { type Page, type PagedList, Source } from "../../src/Walk/Source.ts"
import { Subscription } from "../../src/Intake/Subscription.ts"
import { type Answer, ConstructionClient, NotAsPromised } from "./ConstructionClient.ts"
import { wires } from "./ConstructionEvents.ts"

/** How much earlier than its request a page may be true: clock skew and replica lag. */
const marginMs = 5_000

export const layer: Layer.Layer<Source, never, ConstructionClient | Subscription> = Layer.effect(
  Source,
  Effect.gen(function* () {
    const client = yield* ConstructionClient
    const subscription = yield* Subscription
    const projects: PagedList = {
      resource: "projects",
      // Subscribe first, then walk: what changes during the walk arrives as events.
      fetch: (page, perPage, lane) =>
        Effect.andThen(
          subscription.attempted,
          client.call(
            lane,
            (api) =>
              api.projects.list({
                query: { page, ...(perPage === undefined ? {} : { per_page: perPage }) },
                responseMode: "response-only"
              }),
            readPage
          )
        ),
      change: projectChange
    }
    return Source.of({ lists: [projects] })
  })
)

const notAsPromised = (what: string) => Effect.fail(new NotAsPromised({ message: `GET /projects answered ${what}.` }))

const isCount = (value: unknown, least: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= least

/** Reads `{data, pagination}`, numbers as they were written. */
export const readPage = (answer: Answer): Effect.Effect<Page, NotAsPromised> => {
  const body = Json.parse(answer.text)
  if (body === undefined) {
    return notAsPromised(/^\s*</.test(answer.text) ? "with HTML" : "with something that isn't JSON or is cut off")
  }
  const pagination = Json.isObject(body) ? body["pagination"] : undefined
  const records = Json.isObject(body) ? body["data"] : undefined
  if (!Json.isObject(pagination) || !Array.isArray(records)) return notAsPromised("without `data` and `pagination`")
  const { total, page, per_page: perPage } = pagination
  if (!isCount(total, 0) || !isCount(page, 0) || !isCount(perPage, 1)) {
    return notAsPromised("with a `pagination` that isn't made of integers")
  }
  return Effect.succeed({
    records: records as ReadonlyArray<unknown>,
    total,
    page,
    perPage,
    observedMicros: Math.max(0, (observedMs(answer) - marginMs) * 1000),
    receivedAt: Instant.fromMillis(answer.endedMs),
    sha256: hash("sha256", answer.text)
  })
}

/** The start of the request by the service's clock; by ours where it sends no Date. */
const observedMs = ({ startedMs, endedMs, serviceMs }: Answer): number =>
  serviceMs === undefined ? startedMs : serviceMs - (endedMs - startedMs)

const columnOf: ReadonlyMap<string, string> = new Map(
  Object.entries(wires.projects.fields).flatMap(([column, names]) => names.map((name) => [name, column] as const))
)

/** What a project of a list says; undefined without an integer id. */
export const projectChange = (record: unknown, page: Page): Change | undefined => {
  const resource = Resource.resources.projects
  const id = Json.isObject(record) ? Resource.readKey(resource, record[wires.projects.key]) : undefined
  if (id === undefined || !Json.isObject(record)) return undefined
  const values: Record<string, string | null> = {}
  let misfits: Record<string, string> = none
  let extra: Record<string, string> = none
  for (const name of Object.keys(record)) {
    if (name === wires.projects.key) continue
    const column = columnOf.get(name) as keyof typeof resource.columns | undefined
    if (column === undefined) {
      if (extra === none) extra = Object.create(null) as Record<string, string>
      extra[name] = Json.stringify(record[name])
      continue
    }
    const value = Resource.readValue(resource.columns[column], record[name])
    values[column] = value ?? null
    if (value !== undefined) continue
    if (misfits === none) misfits = {}
    misfits[column] = Json.stringify(record[name])
  }
  const clock = Clock.make(page.observedMicros, 0, page.sha256)
  return { entity: "projects", id, clock, source: "page", seenAt: page.receivedAt, values, misfits, extra }
}

/** What most records have none of: shared, since a page holds a thousand of them. */
const none: Record<string, string> = {}
