/**
 * docs/manifest.schema.json and docs/latest.schema.json are made from what reads manifests; real ones conform to them.
 * After a change: UPDATE_DOCS=1 npx vitest run test/Lake/ManifestSchema.test.ts && npx oxfmt docs
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import * as Manifest from "../../src/Lake/Manifest.ts"
import { inWorld, ipc, on, readExport, run, write } from "./ExportWorld.ts"

const docs = join(import.meta.dirname, "../../docs")

const documents = [
  { file: "manifest.schema.json", title: "The manifest of an export of siteledger", schema: Manifest.Manifest },
  { file: "latest.schema.json", title: "latest.json of a lake of siteledger", schema: Manifest.Pointer }
]

const text = ({ schema, title }: (typeof documents)[number]): string => {
  const $schema = "https://json-schema.org/draft/2020-12/schema"
  return `${JSON.stringify({ $schema, title, ...Schema.toJsonSchemaDocument(schema).schema }, null, 2)}\n`
}

/** As much of JSON Schema as the documents use; another keyword is an error. */
interface Node {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | Node
  readonly propertyNames?: Node
  readonly items?: Node
  readonly anyOf?: ReadonlyArray<Node>
  readonly allOf?: ReadonlyArray<Node>
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
}
const keywords =
  "$schema title description type properties required additionalProperties propertyNames items anyOf allOf pattern minimum maximum"
const known = new Set(keywords.split(" "))

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return Number.isInteger(value) ? "integer" : typeof value
}

const entries = (value: unknown) => Object.entries(value as Readonly<Record<string, unknown>>)

/** The places that violate it. */
const offences = (node: Node, value: unknown, place = "$"): ReadonlyArray<string> => {
  for (const keyword of Object.keys(node)) assert.isTrue(known.has(keyword), `the keyword ${keyword}`)
  const type = typeOf(value)
  if (node.type !== undefined && node.type !== type) return [`${place} is ${type}, not ${node.type}`]
  const found: Array<string> = []
  if (node.anyOf?.every((each) => offences(each, value, place).length > 0) === true) found.push(`${place} fits none`)
  for (const each of node.allOf ?? []) found.push(...offences(each, value, place))
  if (node.pattern !== undefined && !new RegExp(node.pattern, "u").test(String(value)))
    found.push(`${place}: ${node.pattern}`)
  if (node.minimum !== undefined && Number(value) < node.minimum) found.push(`${place} is too small`)
  if (node.maximum !== undefined && Number(value) > node.maximum) found.push(`${place} is too large`)
  if (type === "array") {
    for (const [index, each] of entries(value)) found.push(...offences(node.items ?? {}, each, `${place}[${index}]`))
  }
  if (type !== "object") return found
  for (const name of node.required ?? []) if (!(name in (value as object))) found.push(`${place} lacks ${name}`)
  for (const [name, each] of entries(value)) {
    found.push(...offences(node.propertyNames ?? {}, name, `${place}: ${name}`))
    const rest = typeof node.additionalProperties === "object" ? node.additionalProperties : {}
    found.push(...offences(node.properties?.[name] ?? rest, each, `${place}.${name}`))
  }
  return found
}

const schemaIn = (file: string) => JSON.parse(readFileSync(join(docs, file), "utf8")) as Node

describe("the schemas in docs", () => {
  for (const document of documents) {
    it(`${document.file} is what the reader of manifests accepts`, () => {
      if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(join(docs, document.file), text(document))
      assert.deepStrictEqual(schemaIn(document.file), JSON.parse(text(document)))
    })
  }

  it.effect("fit the manifests and the pointer of real exports, and nothing that lacks a field", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const schema = schemaIn("manifest.schema.json")
        yield* run
        assert.deepStrictEqual(offences(schema, readExport(world)), [])
        yield* write([on("2026-11-18"), on("2026-11-19")], [ipc("IPC-1", "1")])
        yield* run
        yield* write([on("2026-11-18")])
        yield* run
        const manifest = readExport(world)
        assert.deepStrictEqual(offences(schema, manifest), [])
        const pointer = JSON.parse(readFileSync(join(world.lake, "latest.json"), "utf8")) as Manifest.Pointer
        assert.deepStrictEqual(offences(schemaIn("latest.schema.json"), pointer), [])
        const { asOf: _asOf, ...lacking } = manifest
        assert.deepStrictEqual(offences(schema, lacking), ["$ lacks asOf"])
        assert.deepStrictEqual(offences(schema, { ...manifest, before: 7 }), ["$.before fits none"])
        assert.isTrue(Option.isNone(Manifest.parsePointer(JSON.stringify({ ...pointer, sha256: "A".repeat(64) }))))
        const { vos } = manifest.tables
        const named = offences(schema, { ...manifest, tables: { ...manifest.tables, "v s": vos } })
        assert.deepStrictEqual(named, ["$.tables: v s: ^[a-z_][a-z0-9_]*$"])
      })
    )
  )
})
