/**
 * The Source: the service's lists, page by page (interface document §2, §4.1). A page that isn't as documented is
 * requested again as a whole.
 */
import { Effect, Layer } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import { Subscription } from "../../src/Intake/Subscription.ts"
import { Skew } from "../../src/Operate/Skew.ts"
import { type PagedList, Source } from "../../src/Walk/Source.ts"
import { ConstructionClient } from "./ConstructionClient.ts"
import { projectNames, projectsOf, readPage } from "./ConstructionPages.ts"
import { Forms } from "./ConstructionRecords.ts"

export const layer: Layer.Layer<Source, never, ConstructionClient | ServiceSettings | Skew | Subscription> =
  Layer.effect(
    Source,
    Effect.gen(function* () {
      const client = yield* ConstructionClient
      const skew = yield* Skew
      const subscription = yield* Subscription
      const { envelope, fieldAliases } = yield* ServiceSettings
      const names = projectNames(fieldAliases)
      const forms = new Forms()
      const projects: PagedList = {
        resource: "projects",
        // Subscribe first, then walk: what changes during the walk arrives as events.
        fetch: (page, perPage, lane) =>
          Effect.andThen(
            subscription.attempted,
            Effect.map(
              client.call(
                lane,
                (api) =>
                  api.projects.list({
                    query: { page, ...(perPage === undefined ? {} : { per_page: perPage }) },
                    responseMode: "response-only"
                  }),
                (answer) => {
                  skew.answered(answer.serviceMs, answer.startedMs, answer.endedMs)
                  return readPage(answer, envelope.list, forms)
                }
              ),
              (page) => projectsOf(page, names)
            )
          )
      }
      return Source.of({ lists: [projects] })
    })
  )
