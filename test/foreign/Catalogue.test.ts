/**
 * Every operation of the full OpenAPI document is answered as the document says: ajv, which knows nothing of how either
 * was made, validates each body.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Described, filled, type Given, resolved, started } from "../sandbox/Catalogue/Started.ts"
import { seed } from "../Long.ts"
import { validator } from "./Validated.ts"

type World = Effect.Success<ReturnType<typeof started>>

/** The names of the fields that a body must have. */
const needed = (document: object, schema: unknown): ReadonlyArray<string> => {
  const { allOf = [], required = [] } = resolved(document, schema) as {
    readonly allOf?: ReadonlyArray<unknown>
    readonly required?: ReadonlyArray<string>
  }
  return [...required, ...allOf.flatMap((part) => needed(document, part))]
}

const form = (parts: Readonly<Record<string, string>>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) form.set(name, value)
  return form
}

const clientOf = { client_id: "sandbox", client_secret: "sandbox-secret" }

/** What the operations outside of the catalogue want. */
const bodies: Readonly<Record<string, Given>> = {
  "oauth.token": { form: new URLSearchParams({ ...clientOf, grant_type: "client_credentials" }) },
  "oauth.revoke": { form: new URLSearchParams({ ...clientOf, token: "unknown" }) },
  "oauth.device": { form: new URLSearchParams({ client_id: "sandbox-app" }) },
  "webhooks.create": { json: { url: "http://127.0.0.1:9/", events: ["ipc.paid"] } }
}

const bodyOf = ({ document }: World, { operation }: Described): Given => {
  const own = bodies[operation.operationId]
  const [[mediaType, { schema }] = ["none", { schema: {} }]] = Object.entries(operation.requestBody?.content ?? {})
  if (own !== undefined || mediaType === "none") return own ?? {}
  if (mediaType === "multipart/form-data") return { form: form({ file: "bytes" }) }
  return { json: Object.fromEntries(needed(document, schema).map((name) => [name, "given"])) }
}

const isDelete = ({ method }: Described) => method === "DELETE"

/** What removes records comes last, and what is below first. */
const inOrder = (operations: ReadonlyArray<Described>): ReadonlyArray<Described> => [
  ...operations.filter((each) => !isDelete(each)),
  ...operations.filter(isDelete).toSorted((a, b) => b.path.split("/").length - a.path.split("/").length)
]

const asked = (world: World, described: Described) => {
  const { base, method, operation, path } = described
  const token = operation.security.some((each) => "oauth2" in each) ? { token: world.token } : {}
  return world.ask(method, `${base}${filled(world.catalogue, path, isDelete(described))}`, {
    ...bodyOf(world, described),
    ...token
  })
}

const complaints = (
  validate: ReturnType<typeof validator>,
  { method, operation, path }: Described,
  answer: Effect.Success<ReturnType<World["ask"]>>
): ReadonlyArray<string> => {
  const at = `${method} ${path}`
  const [status, success] =
    Object.entries(operation.responses).find(([status]) => status.startsWith("2")) ?? assert.fail(at)
  if (String(answer.status) !== status) return [`${at} answers ${answer.status} ${answer.text.slice(0, 200)}`]
  const [mediaType] = Object.keys(success.content ?? {})
  if (mediaType === undefined) return answer.bytes.length === 0 ? [] : [`${at} answers more than nothing`]
  if (!answer.headers["content-type"]?.startsWith(mediaType)) return [`${at} isn't ${mediaType}`]
  if (mediaType !== "application/json") return answer.bytes.length > 0 ? [] : [`${at} has no bytes`]
  const place = ["paths", path, method.toLowerCase(), "responses", status, "content", mediaType, "schema"]
  return validate(place, JSON.parse(answer.text)).map((complaint) => `${at}: ${complaint}`)
}

describe("Every operation of the full document", () => {
  for (const each of [1, seed]) {
    it.effect(`is answered as its schema says, with seed ${each}`, () =>
      Effect.gen(function* () {
        const world = yield* started({ seed: each })
        yield* world.sandbox.emit(world.sandbox.events.blockLength)
        const validate = validator(world.document)
        const found: Array<string> = []
        for (const described of inOrder(world.operations)) {
          found.push(...complaints(validate, described, yield* asked(world, described)))
        }
        assert.deepStrictEqual(found, [])
        assert.strictEqual(world.operations.length, 854)
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )
  }

  it.effect("of a resource whose schema lies doesn't fit it", () =>
    Effect.gen(function* () {
      const world = yield* started()
      const validate = validator(world.document)
      const described = world.operations.find(({ method, path }) => method === "GET" && path === "/companies")
      const lists = described ?? assert.fail("there is no such list")
      const found = Effect.map(asked(world, lists), (answer) => complaints(validate, lists, answer))
      assert.deepStrictEqual(yield* found, [])
      for (const fault of ["other-type", "no-id", "object-id"] as const) {
        world.catalogue.faults.set("companies", fault)
        assert.isNotEmpty(yield* found, fault)
      }
      world.catalogue.faults.set("companies", undefined)
      assert.deepStrictEqual(yield* found, [])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
