/** What columns the fields of a record become. */
import { assert, describe, it } from "@effect/vitest"
import { array, integer, listAt, listing, object, of, text, typesOf } from "./Documents.ts"

describe("columns", () => {
  const columnsOf = (properties: Readonly<Record<string, unknown>>) =>
    listAt(of({ "/things": listing(object({ id: integer, ...properties })) }), "/things")

  it("have types by schema, format and name", () => {
    const list = columnsOf({
      big: { type: "integer", format: "int64" },
      share: { type: "number" },
      isOpen: { type: ["boolean", "null"] },
      dueDate: { type: "string", format: "date" },
      at: { type: "string", format: "date-time" },
      shown_at: { type: "string", example: "2026-01-02T03:04:05Z" },
      created: integer,
      mixed: { type: ["string", "integer"] },
      either: { oneOf: [{ type: "string" }, { type: "null" }] },
      tags: array(text),
      owner: object({ name: text }),
      kind: { enum: ["a", "b"] },
      anything: {}
    })
    assert.deepStrictEqual(typesOf(list), {
      id: "BIGINT",
      big: "BIGINT",
      share: "DOUBLE",
      is_open: "BOOLEAN",
      due_date: "DATE",
      at: "TIMESTAMPTZ",
      shown_at: "TIMESTAMPTZ",
      created: "TIMESTAMPTZ",
      mixed: "VARCHAR",
      either: "VARCHAR",
      tags: "JSON",
      owner: "JSON",
      kind: "VARCHAR",
      anything: "JSON"
    })
    assert.deepInclude(list.columns, { name: "is_open", type: "BOOLEAN", use: "keep", from: "/isOpen" })
  })

  it("of money are suggested, never signed off", () => {
    const list = columnsOf({
      amount: { type: "number" },
      contract_value: { type: "number" },
      sensor_value: { type: "number" },
      price: { type: "string", pattern: "^-?\\d+\\.\\d{2}$" },
      retained: { type: "string", format: "money" },
      cost_code: text,
      total_count: integer,
      tax_rate: { type: "number" },
      amount_cents: integer,
      balance: integer
    })
    const money = list.columns.filter((column) => column.money !== undefined)
    assert.deepStrictEqual(
      money.map(({ money: word, name, type }) => [name, type, word]),
      ["amount", "contract_value", "price", "retained", "amount_cents", "balance"].map((name) => [
        name,
        "DECIMAL(28,4)",
        "suggested"
      ])
    )
    assert.include(
      list.reasons,
      "Money in whole numbers, perhaps in cents; check it before you sign it off: amount_cents, balance."
    )
  })

  it("of an object that is an amount and its currency are both of them", () => {
    const money = object({ amount: { type: "string", format: "decimal" }, currency: text })
    const list = columnsOf({ value: money, other: object({ amount: integer, currency: text, note: text }) })
    assert.deepStrictEqual(list.columns.slice(1), [
      { name: "value", type: "DECIMAL(28,4)", use: "keep", money: "suggested", from: "/value/amount" },
      { name: "value_currency", type: "VARCHAR", use: "keep", from: "/value/currency" },
      { name: "other", type: "JSON", use: "keep" }
    ])
  })

  it("of decimals are exact, and a percentage is no money", () => {
    const list = columnsOf({
      quantity: { type: "string", format: "decimal" },
      retention: { type: "number", minimum: 0, maximum: 100 }
    })
    assert.deepStrictEqual(list.columns.slice(1), [
      { name: "quantity", type: "DECIMAL(28,4)", use: "keep" },
      { name: "retention", type: "DOUBLE", use: "keep" }
    ])
  })

  it("of secrets are dropped, and of persons are pointed out", () => {
    const list = columnsOf({
      api_key: text,
      client_secret: text,
      secretary: text,
      email: text,
      pin: { type: "string", format: "password" }
    })
    assert.deepStrictEqual(
      list.columns.filter(({ use }) => use === "drop").map(({ name }) => name),
      ["api_key", "client_secret", "pin"]
    )
    assert.include(list.reasons, "Personal by its name; keep, hash or drop: email.")
  })

  it("of JSON:API are the attributes", () => {
    const list = listAt(
      of({
        "/things": listing(
          object({ id: text, type: text, attributes: object({ name: text, cost: { type: "number" } }) })
        )
      }),
      "/things"
    )
    assert.deepStrictEqual(list.columns.slice(2), [
      { name: "name", type: "VARCHAR", use: "keep", from: "/attributes/name" },
      { name: "cost", type: "DECIMAL(28,4)", use: "keep", money: "suggested", from: "/attributes/cost" }
    ])
  })
})
