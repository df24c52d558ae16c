/**
 * The service's projects for a client: one page, or all of them as a stream that asks for a page when the previous one is
 * used up (interface document §2, §4.1).
 *
 * A wrong page, a record that isn't a project, and a list that ends before its own total are failures, never a silent
 * gap. Records that move while the list is read may still be missed or come twice: preventing that takes several passes,
 * which is the worker's Walk.
 */
import { Effect, Option, Schema, Stream } from "effect"
import * as Json from "../../../src/Domain/Json.ts"
import type { SourceError } from "../../../src/Walk/Source.ts"
import * as Api from "../ConstructionApi.ts"
import type { ConstructionClient } from "../ConstructionClient.ts"
import { type RawPage, readPage } from "../ConstructionPages.ts"
import { notAsPromised, type ServiceError } from "./ServiceError.ts"

/**
 * `id` (an integer), `name` and `status` (the service's own word), and everything else that the service sends, as
 * `unknown`. No number is rounded: one that a double can't reproduce exactly (many digits, a trailing zero) is an object
 * that JSON.stringify writes as it came. An id beyond 2^53 - 1 therefore fails the call as NotAsPromised, with the id in
 * the message.
 */
export const Project = Schema.StructWithRest(Api.Project, [Schema.Record(Schema.String, Schema.Unknown)])
export type Project = typeof Project.Type

/** One page as the service granted it: `pagination.per_page` may be less than requested. */
export interface ProjectPage {
  readonly data: ReadonlyArray<Project>
  readonly pagination: Api.Pagination
}

/** Limits a call's waiting time and turns its failure into a message for the caller. */
export type Limited = <A>(call: Effect.Effect<A, SourceError | ServiceError>) => Effect.Effect<A, ServiceError>

export interface Projects {
  /** From 1. A page has `pageSize` records, or the service's default if it refuses that size. */
  readonly page: (page: number) => Effect.Effect<ProjectPage, ServiceError>
  /** All of them, in the service's order; no page is asked for before it is needed. */
  readonly all: Stream.Stream<Project, ServiceError>
}

export const make = (client: ConstructionClient["Service"], pageSize: number, limited: Limited): Projects => {
  const fetch = (page: number, size: number | undefined) => {
    const query = { page, ...(size === undefined ? {} : { per_page: size }) }
    return client
      .call("backfill", (api) => api.projects.list({ query, responseMode: "response-only" }), readPage)
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
        // What really came is what later pages are counted by, not what `per_page` says.
        const granted = page === 1 ? data.length : size
        const seen = (page - 1) * granted + data.length
        if (seen >= total) return Effect.succeed([data, Option.none()] as const)
        if (granted === 0 || data.length < granted) return endedEarly(seen, total)
        return Effect.succeed([data, Option.some({ page: page + 1, size: granted })] as const)
      })
    )
  )
  return { page: (page) => limited(negotiate(page)), all }
}

const endedEarly = (seen: number, total: number) =>
  Effect.fail(notAsPromised(`GET /projects ended after ${seen} of the ${total} projects that it counts.`))

const decode = Schema.decodeUnknownOption(Project)

/** Of a record that isn't a project. */
const mostQuotedCharacters = 200

const read = (answer: RawPage, asked: number): Effect.Effect<ProjectPage, ServiceError> => {
  const { page, perPage, records, total } = answer
  if (page !== asked) {
    const what = `GET /projects answered page ${page} when page ${asked} was asked for`
    return Effect.fail(notAsPromised(`${what}: check pageParam and perPageParam.`))
  }
  const data: Array<Project> = []
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
