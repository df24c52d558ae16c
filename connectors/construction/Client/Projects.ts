/**
 * The service's projects for a client: one page, or all of them as a stream that requests a page when the previous one
 * is used up (interface document §2, §4.1).
 *
 * A wrong page, a record that isn't a project, and a list that ends before its own total are failures, never a silent
 * gap. Records that move while the list is read may still be missed or come twice: preventing that takes several
 * passes, as the worker's Walk makes.
 */
import { Effect, Option, Schema, Stream } from "effect"
import * as Json from "../../../src/Domain/Json.ts"
import * as Api from "../ConstructionApi.ts"
import type { ConstructionClient } from "../ConstructionClient.ts"
import { type RawPage, readPage } from "../ConstructionPages.ts"
import type { Limited } from "./Limits.ts"
import { ServiceError } from "./ServiceError.ts"
import type { Project as Shape, ProjectPage } from "./Shapes.ts"

const Project = Schema.StructWithRest(Api.Project, [Schema.Record(Schema.String, Schema.Unknown)])

export const make = (client: ConstructionClient["Service"], pageSize: number, limited: Limited) => {
  const fetch = (page: number, size: number | undefined) => {
    const query = { page, ...(size === undefined ? {} : { per_page: size }) }
    return client
      .call(
        "backfill",
        (api) => api.projects.list({ query, responseMode: "response-only" }),
        (answer) => readPage(answer)
      )
      .pipe(Effect.flatMap((answer) => read(answer, page)))
  }
  /** If the service refuses the size, its default is used. */
  const negotiate = (page: number) =>
    fetch(page, pageSize).pipe(
      Effect.catchIf(
        (error) => error.reason === "PageSizeRefused",
        () => fetch(page, undefined)
      )
    )
  const all = Stream.paginate({ page: 1, size: 0 }, ({ page, size }) =>
    limited(page === 1 ? negotiate(page) : fetch(page, size)).pipe(
      Effect.flatMap(({ data, pagination: { total } }) => {
        // Later pages are counted by what really came, not by `per_page`.
        const granted = page === 1 ? data.length : size
        const seen = (page - 1) * granted + data.length
        if (seen >= total) return Effect.succeed([data, Option.none()] as const)
        if (granted === 0 || data.length < granted) return endedEarly(seen, total)
        return Effect.succeed([data, Option.some({ page: page + 1, size: granted })] as const)
      })
    )
  )
  return { page: (page: number) => limited(negotiate(page)), all }
}

const notAsPromised = (message: string) => new ServiceError("NotAsPromised", message)

const endedEarly = (seen: number, total: number) =>
  Effect.fail(notAsPromised(`GET /projects ended after ${seen} of the ${total} projects that it counts.`))

const decode = Schema.decodeUnknownOption(Project)

/** For a record that isn't a project. */
const mostQuotedCharacters = 200

const read = (answer: RawPage, asked: number): Effect.Effect<ProjectPage, ServiceError> => {
  const { page, perPage, records, total } = answer
  if (page !== asked) {
    const what = `GET /projects answered page ${page} when page ${asked} was asked for`
    return Effect.fail(notAsPromised(`${what}: check pageParam and perPageParam.`))
  }
  const data: Array<Shape> = []
  for (const record of records) {
    const project = decode(record)
    if (Option.isNone(project)) {
      const quoted = Json.stringify(record).slice(0, mostQuotedCharacters)
      const what = `GET /projects has a record on page ${page} that isn't a project`
      return Effect.fail(notAsPromised(`${what} (an integer id up to 2^53 - 1, a name, a status): ${quoted}`))
    }
    data.push(project.value)
  }
  return Effect.succeed({ data, pagination: { total, page, per_page: perPage } })
}
