/** Small OpenAPI documents, and what discovery finds in them. */
import { Result } from "effect"
import { discover, type Discovered } from "../../src/Discovery/Discovery.ts"
import { open } from "../../src/Discovery/Document.ts"
import type { List } from "../../src/Discovery/Review.ts"

type Json = Readonly<Record<string, unknown>>

export const answering = (schema: unknown, more: Json = {}): Json => ({
  responses: { "200": { description: "", content: { "application/json": { schema } } } },
  ...more
})

export const text = { type: "string" }
export const integer = { type: "integer" }

export const object = (properties: Json, required: ReadonlyArray<string> = Object.keys(properties)): Json => ({
  type: "object",
  properties,
  required
})

export const array = (items: unknown): Json => ({ type: "array", items })

/** As the interface document's list (§4.1). */
export const page = (items: unknown): Json =>
  object({ data: array(items), pagination: object({ total: integer, page: integer, per_page: integer }) })

export const query = (name: string, schema: unknown = text, more: Json = {}): Json => ({
  name,
  in: "query",
  schema,
  ...more
})

export const paged = [
  query("page", { type: "integer", minimum: 1 }),
  query("per_page", { type: "integer", maximum: 200 })
]

export const inPath = (...names: ReadonlyArray<string>): ReadonlyArray<Json> =>
  names.map((name) => ({ name, in: "path", required: true, schema: text }))

export const listing = (items: unknown, parameters: ReadonlyArray<Json> = []): Json => ({
  get: answering(page(items), { parameters: [...paged, ...parameters] })
})

export const documentOf = (paths: Json, more: Json = {}): Json => ({
  openapi: "3.1.0",
  info: { title: "Things", version: "1" },
  servers: [{ url: "/v1" }],
  paths,
  ...more
})

const usual = {
  plan: { requestsPerMinute: 600, pageSize: 1000 },
  shown: new Set(["/projects"]),
  taken: new Set(["events", "ledger_entries"])
}

export const discovered = (
  document: unknown,
  more: Partial<typeof usual & { readonly base: string }> = {}
): Discovered => discover(Result.getOrThrow(open(document)), { ...usual, ...more })

export const of = (paths: Json, more: Json = {}): Discovered => discovered(documentOf(paths, more))

export const listAt = ({ review }: Discovered, path: string): List => {
  const found = review.lists.find(({ read }) => read === `GET ${path}`)
  if (found === undefined) throw new Error(`No list at ${path}: ${review.lists.map(({ read }) => read).join(", ")}`)
  return found
}

export const typesOf = ({ columns }: List): Json => Object.fromEntries(columns.map(({ name, type }) => [name, type]))

export const kindsOf = ({ operations }: Discovered): Json =>
  Object.fromEntries(operations.map(({ kind, operation }) => [operation, kind]))

export const whyNot = ({ operations }: Discovered, operation: string): string =>
  operations.find((found) => found.operation === operation && found.kind === "not syncable")?.reasons.join(" ") ?? ""
