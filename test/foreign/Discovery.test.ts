/** Discovery in OpenAPI documents of other companies, as they publish them. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Yaml } from "effect/encoding"
import { decode } from "../../src/Discovery/Review/Decode.ts"
import { write } from "../../src/Discovery/Review/Write.ts"
import { discovered, listAt } from "../Discovery/Documents.ts"

const { resolve } = createRequire(import.meta.url)

const read = (file: string) => {
  const text = readFileSync(resolve(file), "utf8").replace(/^\uFEFF/, "")
  return discovered(file.endsWith(".json") ? JSON.parse(text) : Yaml.parse(text))
}

const documents = [
  [
    "@readme/oas-examples/3.1/json/readme.json",
    { list: 2, "child list": 0, detail: 10, action: 31, "not syncable": 11 }
  ],
  [
    "@readme/oas-examples/3.1/json/train-travel.json",
    { list: 3, "child list": 0, detail: 1, action: 3, "not syncable": 0 }
  ],
  ["@scalar/galaxy/3.1.yaml", { list: 1, "child list": 0, detail: 1, action: 6, "not syncable": 1 }],
  ["rclone-openapi/openapi.json", { list: 0, "child list": 0, detail: 0, action: 98, "not syncable": 3 }],
  ["shipengine-openapi/openapi.json", { list: 8, "child list": 3, detail: 12, action: 44, "not syncable": 9 }]
] as const

describe("documents of other companies", () => {
  it.each(documents)("%s is read to its end, and its review file passes", (file, expected) => {
    const { operations, review } = read(file)
    const counts = Object.fromEntries(
      Object.keys(expected).map((kind) => [kind, operations.filter((found) => found.kind === kind).length])
    )
    assert.deepStrictEqual(counts, expected)
    assert.isTrue(Result.isSuccess(decode(write(review))))
    assert.isTrue(
      operations.every(({ reasons }) => reasons.length > 0 && reasons.every((reason) => reason.endsWith(".")))
    )
  })

  it("what a person finds in them is found", () => {
    const stations = listAt(read("@readme/oas-examples/3.1/json/train-travel.json"), "/stations")
    assert.deepInclude(stations, { key: ["id"], paging: { style: "link", next: "/links/next" }, confidence: "high" })
    const planets = listAt(read("@scalar/galaxy/3.1.json"), "/planets")
    assert.deepInclude(planets, { key: ["id"], answer: { rows: "/data", total: "/meta/total", size: "/meta/limit" } })
    const rates = listAt(read("shipengine-openapi/openapi.json"), "/shipments/{shipment_id}/rates")
    assert.deepStrictEqual(rates.parent, { table: "shipments", parameters: { shipment_id: "shipment_id" } })
  })
})
