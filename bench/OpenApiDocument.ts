/**
 * An OpenAPI document of 854 operations, the number that the interface document states: lists with several kinds of
 * paging, with and without parents, single records, changes and actions, each with its parameters, refusals and
 * schemas.
 */
const operations = 854

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const json = (schema: unknown) => ({ description: "Success.", content: { "application/json": { schema } } })

const refusals = Object.fromEntries(
  ["400", "401", "403", "404", "429", "500"].map((status) => [status, json(ref("Refusal"))])
)

const described = (id: string, answer: unknown, parameters: ReadonlyArray<object>) => ({
  operationId: id,
  summary: `What ${id} does`,
  description: `What ${id} does, in a sentence or two as documents have them. It is repeated for each operation.`,
  security: [{ oauth2: [`${id.split(".")[0]}.read`] }],
  parameters,
  responses: { "200": json(answer), ...refusals }
})

const query = (name: string, schema: object) => ({ name, in: "query", schema, description: `The ${name}.` })

const pagings = [
  [query("page", { type: "integer", minimum: 1 }), query("per_page", { type: "integer", maximum: 200 })],
  [query("cursor", { type: "string" }), query("limit", { type: "integer" })],
  [query("offset", { type: "integer" }), query("limit", { type: "integer" })]
] as const

const fields = {
  name: { type: "string" },
  status: { type: "string", enum: ["draft", "open", "closed"] },
  amount: { type: "number" },
  due_on: { type: "string", format: "date" },
  created_at: { type: "string", format: "date-time" },
  updated_at: { type: "string", format: "date-time" },
  owner: ref("Person"),
  tags: { type: "array", items: { type: "string" } },
  parent: { oneOf: [ref("Person"), { type: "null" }] }
}

const schemasOf = (number: number) => ({
  [`Thing${number}`]: {
    type: "object",
    required: ["id", "name"],
    properties: {
      id: { type: "integer" },
      project_id: { type: "integer" },
      ...Object.fromEntries(
        [...Array(3).keys()].flatMap((part) =>
          Object.entries(fields).map(([name, schema]) => [`${name}_${part}`, schema])
        )
      )
    }
  },
  [`Thing${number}Page`]: {
    type: "object",
    properties: {
      data: { type: "array", items: ref(`Thing${number}`) },
      next_cursor: { type: ["string", "null"] },
      pagination: {
        type: "object",
        properties: { total: { type: "integer" }, page: { type: "integer" }, per_page: { type: "integer" } }
      }
    }
  }
})

const inPath = (name: string) => ({ name, in: "path", required: true, schema: { type: "string" } })

const pathsOf = (number: number) => {
  const thing = ref(`Thing${number}`)
  const isChild = number % 3 !== 0
  const list = isChild ? `/projects/{project_id}/things-${number}` : `/things-${number}`
  const above = isChild ? [inPath("project_id")] : []
  const name = `things_${number}`
  const one = [inPath("id")]
  return {
    [list]: {
      get: described(`${name}.list`, ref(`Thing${number}Page`), [...above, ...(pagings[number % 3] ?? [])]),
      post: described(`${name}.create`, thing, above)
    },
    [`/things-${number}/{id}`]: {
      get: described(`${name}.get`, thing, one),
      patch: described(`${name}.change`, thing, one),
      delete: described(`${name}.delete`, thing, one)
    },
    [`/things-${number}/{id}/close`]: { post: described(`${name}.close`, thing, one) },
    [`/things-${number}/{id}/open`]: { post: described(`${name}.open`, thing, one) }
  }
}

/** As text. */
export const openApiDocument = (): string => {
  const perThing = 7
  const count = Math.floor((operations - 1) / perThing)
  const numbers = [...Array(count).keys()]
  const rest = [...Array(operations - 1 - count * perThing).keys()].map((number) => [
    `/others-${number}`,
    { get: described(`others_${number}.get`, ref("Person"), []) }
  ])
  const person = { type: "object", properties: { id: { type: "integer" }, name: { type: "string" } } }
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Many things", version: "1" },
    servers: [{ url: "/v1" }],
    paths: {
      "/projects": { get: described("projects.list", ref("Thing0Page"), pagings[0]) },
      ...Object.assign({}, ...numbers.map(pathsOf)),
      ...Object.fromEntries(rest)
    },
    components: {
      schemas: { Person: person, Refusal: person, ...Object.assign({}, ...numbers.map(schemasOf)) },
      securitySchemes: { oauth2: { type: "oauth2", flows: {} } }
    }
  })
}
