/**
 * What a resource offers besides its records: their history, bulk changes, exports and counts.
 */
import { Effect } from "effect"
import * as Seed from "../../Seed.ts"
import { body } from "../Body.ts"
import type { ServedResource, Operation } from "../Operation.ts"
import { found, json } from "../Operation.ts"
import { textHash } from "../Spelling.ts"

const dice = ({ resource }: ServedResource, number: number) =>
  Seed.dice(textHash(resource.name), Seed.Purpose.record, number)

const object = (properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)) => ({
  type: "object",
  required,
  properties
})

/** A list of entries, not of records: none has an id. */
export const history = (served: ServedResource): Operation => {
  const { item, resource, scope, shaped } = served
  const revision = shaped("Revision")
  return {
    method: "GET",
    path: `${item.path}/history`,
    tag: resource.tag,
    scope: scope("read"),
    verb: "history",
    object: resource.one,
    summary: `See how ${resource.aNoun} was changed`,
    query: [],
    body: undefined,
    success: {
      status: 200,
      content: { mediaType: "application/json", schema: { type: "array", items: revision.schema } },
      hasLink: false
    },
    answer: ({ params }) =>
      Effect.sync(() => {
        const one = found(item.steps, params)
        if ("missing" in one) return one.missing
        const { number = 0 } = one
        return json(Array.from({ length: 1 + (number % 3) }, (_, n) => revision.value(dice(served, number * 3 + n), 2)))
      })
  }
}

export const bulk = (served: ServedResource): Operation => {
  const { resource, scope, shaped, shelf, type } = served
  const operations = { type: "array", minItems: 1, maxItems: 100, items: type.toChange }
  return {
    method: "POST",
    path: `/bulk/${resource.segment}`,
    tag: resource.tag,
    scope: scope("write"),
    verb: "change_many",
    object: resource.name,
    summary: `Change many ${resource.noun} records at once`,
    query: [],
    body: { mediaType: "application/json", schema: object({ operations }) },
    success: {
      status: 200,
      content: { mediaType: "application/json", schema: shaped("BulkResult").schema },
      hasLink: false
    },
    answer: ({ nowMillis, request }) =>
      body(request, ["operations"], ({ operations }) => {
        const wanted = Array.isArray(operations) ? operations.length : 0
        const changed = shelf.numbers(undefined).slice(0, wanted)
        for (const number of changed) shelf.change(number, {}, nowMillis)
        return json({ succeeded: changed.length, failed: wanted - changed.length, errors: [] })
      })
  }
}

export const exported = (served: ServedResource): Operation => {
  const { resource, scope, shaped } = served
  const job = shaped("Job")
  const format = { type: "string", enum: ["csv", "xlsx", "pdf"] }
  return {
    method: "POST",
    path: `/exports/${resource.segment}`,
    tag: resource.tag,
    scope: scope("read"),
    verb: "export",
    object: resource.name,
    summary: `Export ${resource.noun} records to a file`,
    query: [],
    body: { mediaType: "application/json", schema: object({ format }) },
    success: { status: 202, content: { mediaType: "application/json", schema: job.schema }, hasLink: false },
    answer: ({ request }) => body(request, ["format"], () => json(job.value(dice(served, 0), 1), 202))
  }
}

export const statistics = (served: ServedResource): Operation => {
  const { resource, scope, shelf } = served
  const counts = { type: "object", additionalProperties: { type: "integer", minimum: 0 } }
  const schema = object({ total: { type: "integer", minimum: 0 }, by_status: counts })
  return {
    method: "GET",
    path: `/statistics/${resource.segment}`,
    tag: resource.tag,
    scope: scope("read"),
    verb: "statistics",
    object: resource.name,
    summary: `Count ${resource.noun} records by status`,
    query: [],
    body: undefined,
    success: { status: 200, content: { mediaType: "application/json", schema }, hasLink: false },
    answer: () =>
      Effect.sync(() => {
        const numbers = shelf.numbers(undefined)
        const byStatus = Map.groupBy(numbers, (number) => String(shelf.record(number)["status"] ?? "none"))
        const counts = Object.fromEntries([...byStatus].map(([status, { length }]) => [status, length]))
        return json({ total: numbers.length, by_status: counts })
      })
  }
}
