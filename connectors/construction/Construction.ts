/**
 * The Source: the service's lists, page by page (interface document §2, §4.1): the one that the document shows, and those
 * that a person has switched on. A page that isn't as its shape says is requested again as a whole.
 */
import { Effect, Layer } from "effect"
import { HttpClientRequest } from "effect/http"
import { ServiceSettings } from "../../config/Settings.ts"
import { SwitchedOn } from "../../src/Discovery/Resources.ts"
import type { List } from "../../src/Discovery/Review.ts"
import { Subscription } from "../../src/Intake/Subscription.ts"
import { Skew } from "../../src/Operate/Skew.ts"
import { Seal } from "../../src/Runtime/Seal.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import type { Lane } from "../../src/Walk/Pace.ts"
import { Parents } from "../../src/Walk/Parents.ts"
import { type SerialList, type PagedList, Source, type SourceError } from "../../src/Walk/Source.ts"
import { changesOf } from "./ConstructionChanges.ts"
import { type Ask, serial } from "./ConstructionSerial.ts"
import { type Answer, ConstructionClient, type NotAsPromised, type Send } from "./ConstructionClient.ts"
import { type Asked, readList, readPage } from "./ConstructionPages.ts"
import { Forms } from "./ConstructionRecords.ts"
import * as Requests from "./ConstructionRequests.ts"
import { projectsShape, shapeOf } from "./ConstructionShapes.ts"

const shown =
  ({ page, perPage }: Asked): Send =>
  (api) =>
    api.projects.list({
      query: { page, ...(perPage === undefined ? {} : { per_page: perPage }) },
      responseMode: "response-only"
    })

const sent =
  ({ headers, path, query }: Requests.Request): Send =>
  (_api, http) =>
    http.execute(HttpClientRequest.get(path, { headers, urlParams: query }))

/** What names a hash of a field. */
const purpose = "field of a list"

/** What the lists have in common. */
interface Way extends Pick<
  ServiceSettings["Service"],
  "baseUrl" | "envelope" | "fieldAliases" | "pageSize" | "walkEvery"
> {
  readonly call: <A>(
    lane: Lane,
    send: Send,
    read: (answer: Answer) => Effect.Effect<A, NotAsPromised>
  ) => Effect.Effect<A, SourceError>
  readonly hashOf: (text: string) => string
  readonly warehouse: Warehouse["Service"]
}

const documented = ({ call, envelope, fieldAliases }: Way): PagedList => {
  const shape = projectsShape(fieldAliases, envelope.list)
  const forms = new Forms()
  return {
    resource: "projects",
    fetch: (page, perPage, lane) => {
      const asked = { page, perPage }
      const read = (answer: Answer) => readPage(answer, shape, { asked, forms })
      return Effect.map(call(lane, shown(asked), read), (found) => changesOf(found, shape))
    }
  }
}

const numbered = ({ call, hashOf }: Way, list: List): Pick<PagedList, "fetch"> => {
  const shape = shapeOf(list)
  const forms = new Forms()
  return {
    fetch: (page, perPage, lane) => {
      const asked = Requests.asked(list, page, perPage)
      const read = (answer: Answer) => readPage(answer, shape, { asked, forms })
      const found = call(lane, sent(Requests.of(list, asked, perPage)), read)
      return Effect.map(found, (raw) => changesOf(raw, shape, { hashOf }))
    }
  }
}

const following = (
  { baseUrl, call, hashOf, pageSize, warehouse }: Way,
  list: List
): Pick<SerialList, "follow" | "isCounted" | "parent"> => {
  const shape = shapeOf(list)
  const forms = new Forms()
  const ask: Ask = (lane, request, read) =>
    call(lane, sent(request), (answer) => Effect.flatMap(readList(answer, shape, forms), read))
  const { parent } = list
  const parents = parent && new Parents(warehouse, parent.table, [...new Set(Object.values(parent.parameters))])
  return serial({ list, shape, ask, parents, base: baseUrl, pageSize, hashOf })
}

const make = Effect.gen(function* () {
  const client = yield* ConstructionClient
  const skew = yield* Skew
  const subscription = yield* Subscription
  const { hash } = yield* Seal
  const settings = yield* ServiceSettings
  const way: Way = {
    ...settings,
    warehouse: yield* Warehouse,
    hashOf: (text) => hash(text, purpose),
    // Subscribe first, then walk: what changes during the walk arrives as events.
    call: (lane, send, read) =>
      Effect.andThen(
        subscription.attempted,
        client.call(lane, send, (answer) => {
          skew.answered(answer.serviceMs, answer.startedMs, answer.endedMs)
          return read(answer)
        })
      )
  }
  const lists = yield* SwitchedOn
  const isReviewed = lists.some(({ table }) => table === "projects")
  const switchedOn = lists.map((list) => ({
    resource: list.table,
    every: Requests.every(list, settings.walkEvery),
    ...(Requests.isNumbered(list) ? numbered(way, list) : following(way, list))
  }))
  return Source.of({ lists: [...(isReviewed ? [] : [documented(way)]), ...switchedOn] })
})

export const layer: Layer.Layer<
  Source,
  never,
  ConstructionClient | Seal | ServiceSettings | Skew | Subscription | Warehouse
> = Layer.effect(Source, make)
