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
import type { Lane } from "../../src/Walk/Pace.ts"
import { type Page, type PagedList, Source, type SourceError } from "../../src/Walk/Source.ts"
import { type Api, ConstructionClient, type Send } from "./ConstructionClient.ts"
import { changesOf } from "./ConstructionChanges.ts"
import { type Asked, readPage } from "./ConstructionPages.ts"
import { Forms } from "./ConstructionRecords.ts"
import * as Requests from "./ConstructionRequests.ts"
import { type ListShape, projectsShape, shapeOf } from "./ConstructionShapes.ts"

const documented =
  ({ page, perPage }: Asked): Send =>
  (api: Api) =>
    api.projects.list({
      query: { page, ...(perPage === undefined ? {} : { per_page: perPage }) },
      responseMode: "response-only"
    })

const requested =
  (list: List) =>
  (asked: Asked): Send =>
  (_api, http) => {
    const { headers, path, query } = Requests.of(list, asked)
    return http.execute(HttpClientRequest.get(path, { headers, urlParams: query }))
  }

export const layer: Layer.Layer<Source, never, ConstructionClient | ServiceSettings | Skew | Subscription> =
  Layer.effect(
    Source,
    Effect.gen(function* () {
      const client = yield* ConstructionClient
      const skew = yield* Skew
      const subscription = yield* Subscription
      const { envelope, fieldAliases, walkEvery } = yield* ServiceSettings
      const read = (shape: ListShape, ask: (asked: Asked) => Send) => {
        const forms = new Forms()
        // Subscribe first, then walk: what changes during the walk arrives as events.
        return (lane: Lane, asked: Asked): Effect.Effect<Page, SourceError> =>
          Effect.andThen(
            subscription.attempted,
            Effect.map(
              client.call(lane, ask(asked), (answer) => {
                skew.answered(answer.serviceMs, answer.startedMs, answer.endedMs)
                return readPage(answer, shape, { asked, forms })
              }),
              (found) => changesOf(found, shape)
            )
          )
      }
      const ofReview = (list: List): PagedList => {
        const fetch = read(shapeOf(list), requested(list))
        return {
          resource: list.table,
          every: Requests.every(list, walkEvery),
          fetch: (page, perPage, lane) => fetch(lane, Requests.asked(list, page, perPage))
        }
      }
      const lists = yield* SwitchedOn
      const shown = projectsShape(fieldAliases, envelope.list)
      const fetch = read(shown, documented)
      const projects: PagedList = {
        resource: "projects",
        fetch: (page, perPage, lane) => fetch(lane, { page, perPage })
      }
      const isReviewed = lists.some(({ table }) => table === projects.resource)
      return Source.of({
        lists: [...(isReviewed ? [] : [projects]), ...lists.filter(Requests.isNumbered).map(ofReview)]
      })
    })
  )
