/**
 * The lists of a resource: below its parent, across all parents, and the results of a search.
 */
import { Effect } from "effect"
import * as Json from "../../../src/Domain/Json.ts"
import { insufficientScope } from "../../Guard.ts"
import { refusal } from "../../Refusal.ts"
import { body } from "../Body.ts"
import type { Faults } from "../Faults.ts"
import type { Asked, ServedResource, Located, Operation, Parameter } from "../Operation.ts"
import { found, json } from "../Operation.ts"
import * as Paging from "../Paging.ts"
import { type Filter, filterOf } from "./Filters.ts"

const statuses = ({ resource }: ServedResource): ReadonlyArray<string> => {
  const { kind } = resource.fields.find(({ name }) => name === "status") ?? {}
  return kind?._tag === "OneOf" ? kind.texts : []
}

const hasStatus = (served: ServedResource): boolean =>
  statuses(served).length > 0 && served.spelling.chance(`${served.resource.name} can be filtered by status`, 0.4)

const unfit = (name: string, wanted: string) => refusal(400, "invalid_request", `the query's ${name} must be ${wanted}`)

const numbersIn = ({ parameters }: Paging.Style, query: URLSearchParams) => {
  const numbers: Partial<Record<Paging.ParameterName, number>> = {}
  for (const name of parameters) {
    const text = query.get(name)
    if (text === null || name === "cursor") continue
    const least = name === "offset" ? 0 : 1
    if (!/^\d{1,9}$/.test(text) || Number(text) < least) return { unfit: unfit(name, `a whole number from ${least}`) }
    numbers[name] = Number(text)
  }
  return { numbers }
}

const filtered = (served: ServedResource, all: ReadonlyArray<number>, query: URLSearchParams) => {
  const { shelf } = served
  const filter = filterOf(served)
  const since = filter === undefined ? null : query.get(filter.name)
  const status = query.get("status")
  let numbers = all
  if (filter !== undefined && since !== null) {
    const least = filter.from(since)
    if (least === undefined) return { unfit: unfit(filter.name, filter.takes) }
    numbers = numbers.filter((number) => shelf.updatedAt(number) >= least)
  }
  if (status !== null && hasStatus(served)) {
    numbers = numbers.filter((number) => shelf.record(number)["status"] === status)
  }
  return { numbers }
}

/** The request's own address with other paging; the `Link` header points there. */
const nextAddress = ({ query, request }: Asked, next: Readonly<Record<string, string>>): string => {
  const search = new URLSearchParams(query)
  for (const [name, value] of Object.entries(next)) search.set(name, value)
  return `http://${request.headers["host"] ?? "localhost"}${request.url.replace(/\?.*$/s, "")}?${search.toString()}`
}

export interface Parts {
  readonly faults: Faults
  /** The page sizes that a list currently grants. */
  readonly sizes: () => Paging.Asked["size"]
}

const page = (served: ServedResource, { faults, sizes }: Parts, { steps }: Located, asked: Asked) => {
  const { envelope, resource, scope, shelf, show, style } = served
  if (faults.of(resource.name) === "refused") return insufficientScope(scope("read"))
  const parent = found(steps, asked.params)
  if ("missing" in parent) return parent.missing
  const given = numbersIn(style, asked.query)
  if ("unfit" in given) return given.unfit
  const kept = filtered(served, shelf.numbers(parent.number), asked.query)
  if ("unfit" in kept) return kept.unfit
  const shown = style.show(kept.numbers, {
    numbers: given.numbers,
    cursor: asked.query.get("cursor") ?? undefined,
    size: sizes()
  })
  if (shown === undefined) return unfit("cursor", "one of an earlier answer")
  const { facts, next, records } = shown
  const headers = style.hasLink && next !== undefined ? { link: `<${nextAddress(asked, next)}>; rel="next"` } : {}
  return json(
    envelope.fill(
      records.map((number) => show(number, true)),
      facts
    ),
    200,
    headers
  )
}

const parameterOf = ({ description, name, schema }: Filter): Parameter => ({ name, schema, description })

const described = (served: ServedResource, parts: Parts, located: Located) => {
  const { envelope, resource, scope, style } = served
  const filter = filterOf(served)
  const status = { name: "status", schema: { type: "string" }, description: "Only records with this status." }
  return {
    method: "GET",
    path: located.path,
    tag: resource.tag,
    scope: scope("read"),
    object: resource.name,
    query: [
      ...style.parameters.map((name) => ({ name, ...Paging.parameters[name] })),
      ...(filter === undefined ? [] : [parameterOf(filter)]),
      ...(hasStatus(served) ? [status] : [])
    ],
    body: undefined,
    success: {
      status: 200,
      content: { mediaType: "application/json", schema: envelope.schema },
      hasLink: style.hasLink
    },
    answer: (asked) => Effect.sync(() => page(served, parts, located, asked))
  } as const satisfies Partial<Operation>
}

export const list = (served: ServedResource, parts: Parts): Operation => {
  const { list, resource } = served
  const parent = list.steps.at(-1)
  const of = parent === undefined ? "" : ` of one ${parent.noun}`
  return { ...described(served, parts, list), verb: "list", summary: `List the ${resource.noun} records${of}` }
}

export const listAll = (served: ServedResource, parts: Parts): Operation => ({
  ...described(served, parts, { path: `/${served.resource.segment}`, steps: [] }),
  verb: "list_all",
  summary: `List every ${served.resource.noun}`
})

const mostFound = 20

export const search = (served: ServedResource): Operation => {
  const { resource, scope, shelf, show, type } = served
  const results = { type: "array", items: type.listed, maxItems: mostFound }
  const properties = { query: { type: "string" }, filters: { type: "object", additionalProperties: true } }
  return {
    method: "POST",
    path: `/search/${resource.segment}`,
    tag: resource.tag,
    scope: scope("read"),
    verb: "search",
    object: resource.name,
    summary: `Search for ${resource.noun} records`,
    query: [],
    body: { mediaType: "application/json", schema: { type: "object", required: ["query"], properties } },
    success: {
      status: 200,
      content: {
        mediaType: "application/json",
        schema: { type: "object", required: ["results"], properties: { results } }
      },
      hasLink: false
    },
    answer: ({ request }) =>
      body(request, ["query"], ({ query }) => {
        const wanted = typeof query === "string" ? query : Json.stringify(query)
        const fits = (number: number) => Json.stringify(shelf.record(number)).includes(wanted)
        const numbers = shelf.numbers(undefined).filter(fits).slice(0, mostFound)
        return json({ results: numbers.map((number) => show(number, true)) })
      })
  }
}
