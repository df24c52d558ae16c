/**
 * The full OpenAPI document has the size that the interface document states and everything that real documents have,
 * and depends only on the seed.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { areas } from "../../../sandbox/Catalogue/Areas.ts"
import * as Table from "../../../sandbox/Catalogue/Table.ts"
import { seed } from "../../Long.ts"
import { resolved, started } from "./Started.ts"

/** Every object anywhere in a JSON value. */
const objects = function* (value: unknown): Generator<Readonly<Record<string, unknown>>> {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value)) yield value as Readonly<Record<string, unknown>>
  for (const inner of Object.values(value)) yield* objects(inner)
}

const resources = Table.read(areas)

describe("The full OpenAPI document", () => {
  it.effect("has 854 operations over 120 resources", () =>
    Effect.gen(function* () {
      const { catalogue, document, operations } = yield* started()
      assert.strictEqual(document.openapi, "3.1.0")
      assert.strictEqual(operations.length, 854)
      // Beside those that the sandbox has anyway: projects, six kinds of records with events, and webhooks.
      assert.strictEqual(resources.length + 8, 120)
      assert.deepStrictEqual(
        catalogue.names,
        resources.map(({ name }) => name)
      )
      assert.strictEqual(new Set(operations.map(({ operation }) => operation.operationId)).size, 854)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("has as many lists, single records and actions as the tables say", () =>
    Effect.gen(function* () {
      const { catalogue, operations } = yield* started()
      const paths = (method: string) =>
        new Set(operations.filter((each) => each.method === method).map(({ path }) => path))
      const [read, made] = [paths("GET"), paths("POST")]
      const lists = resources.filter(({ parent }) => parent === undefined)
      const below = resources.filter(({ parent }) => parent !== undefined)
      assert.deepStrictEqual(
        [lists.length, below.length, below.filter(({ isAlsoAlone }) => isAlsoAlone).length],
        [18, 94, 8]
      )
      const patterns = [...read].map((path) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`))
      const alone = new Set<string>()
      for (const { isAlsoAlone, name, parent, segment } of resources) {
        const { list } = catalogue.truth(name)[0] ?? assert.fail(name)
        assert.isTrue(
          patterns.some((pattern) => pattern.test(list)),
          name
        )
        if (parent === undefined || isAlsoAlone) alone.add(`/${segment}`)
      }
      for (const path of alone) assert.isTrue(read.has(path), path)
      const count = (word: string) => resources.filter(({ does }) => does.includes(word)).length
      const single = operations.filter(({ method, path }) => method === "GET" && path.endsWith("}"))
      assert.strictEqual(single.length, count("get") + 7)
      assert.strictEqual([...made].filter((path) => path.endsWith("/approve")).length, count("approve"))
      assert.strictEqual([...made].filter((path) => path.endsWith("/attachments")).length, count("upload"))
      assert.strictEqual(operations.filter(({ method }) => method === "DELETE").length, count("delete"))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("has a page with all of it", () =>
    Effect.gen(function* () {
      const { document, get, operations } = yield* started()
      const { text } = yield* get("/docs")
      for (const { operation } of operations) assert.include(text, `<article id="${operation.operationId}"`)
      for (const name of Object.keys(document.components.schemas)) assert.include(text, `id="schema-${name}"`)
      const targets = new Set([...text.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target))
      const anchors = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
      for (const target of targets) assert.isTrue(anchors.has(target), target)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("is the same, byte for byte, with the same seed, and another with another", () =>
    Effect.gen(function* () {
      const text = (options: Parameters<typeof started>[0]) =>
        Effect.map(Effect.scoped(started(options)), ({ text }) => text)
      const first = yield* text({ seed: 1 })
      assert.strictEqual(yield* text({ seed: 1, identity: "other", records: 3, projects: 9 }), first)
      assert.notStrictEqual(yield* text({ seed: 2 }), first)
      assert.strictEqual(yield* text({ seed: 1, openapi: "full", v2: true }), first)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  for (const each of [1, seed]) {
    it.effect(`uses all that documents of this kind use, with seed ${each}`, () =>
      Effect.gen(function* () {
        const { document, text } = yield* started({ seed: each })
        const all = [...objects(document)]
        const some = (what: string, is: (object: Readonly<Record<string, unknown>>) => boolean) =>
          assert.isAtLeast(all.filter(is).length, 3, what)
        for (const key of ["$ref", "allOf", "oneOf", "anyOf", "enum", "const", "additionalProperties", "deprecated"]) {
          some(key, (object) => key in object)
        }
        some("null as a type", ({ type }) => Array.isArray(type) && type.includes("null"))
        some("null as an alternative", ({ anyOf }) => Array.isArray(anyOf) && anyOf.some(({ type }) => type === "null"))
        some("OpenAPI 3.0's nullable", ({ nullable }) => nullable === true)
        for (const name of ["date-time", "date", "decimal", "uuid", "int64", "uri", "email", "binary"]) {
          some(name, ({ format }) => format === name)
        }
        for (const name of ["multipart/form-data", "application/pdf", "application/merge-patch+json"]) {
          some(name, (object) => name in object)
        }
        some("a list of lists", ({ items }) => Object(items).type === "array")
        some("updated_since", ({ parameters }) => JSON.stringify(parameters ?? "").includes("pdatedSince"))
        const { schemas } = document.components
        const alias = Object.values(schemas).find((schema) => "$ref" in schema)
        assert.notStrictEqual(resolved(document, alias), alias, "a reference to a reference")
        assert.include(
          JSON.stringify(schemas["Section"]),
          "#/components/schemas/Section",
          "a schema that contains itself"
        )
        assert.notMatch(text, /"x-/)
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )

    it.effect(`is consistent in its references, parameters, tags and scopes, with seed ${each}`, () =>
      Effect.gen(function* () {
        const { document, operations } = yield* started({ seed: each })
        for (const { $ref } of objects(document))
          if (typeof $ref === "string") assert.isNotEmpty(resolved(document, { $ref }), $ref)
        const tags = document.tags.map(({ name }) => name)
        assert.strictEqual(new Set(tags).size, tags.length)
        const { scopes } = document.components.securitySchemes.oauth2.flows.clientCredentials
        for (const { operation, path } of operations) {
          const item = Object(document.paths[path]) as { readonly parameters?: ReadonlyArray<object> }
          const parameters = [...(item.parameters ?? []), ...operation.parameters].map((each) =>
            resolved(document, each)
          )
          assert.sameMembers(
            parameters.filter((parameter) => parameter["in"] === "path").map((parameter) => `{${parameter["name"]}}`),
            path.match(/\{\w+\}/g) ?? [],
            path
          )
          for (const tag of operation.tags) assert.include(tags, tag)
          for (const scope of operation.security.flatMap(({ oauth2 = [] }) => oauth2)) assert.property(scopes, scope)
        }
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )
  }
})
