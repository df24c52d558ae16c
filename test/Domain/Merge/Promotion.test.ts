/**
 * A list gets a column for a field that was kept in `_extra` until then, while workers that don't know the column yet
 * continue. It makes no difference to the row when the column came, or who read what.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Change } from "../../../src/Domain/Change.ts"
import * as Instant from "../../../src/Domain/Instant.ts"
import * as Json from "../../../src/Domain/Json.ts"
import { merge, type Row } from "../../../src/Domain/Merge.ts"
import type { ColumnType, Resource } from "../../../src/Domain/Resource.ts"
import { readValue } from "../../../src/Domain/Value.ts"
import * as Version from "../../../src/Domain/Version.ts"
import { rounds, seed } from "../../Long.ts"
import { type Random, seeded } from "../../Seeded.ts"
import { permutations } from "./Histories.ts"

const own = (type: ColumnType) => ({ type, says: "Anything.", since: 1 })

const narrow: Resource = {
  name: "orders",
  says: "Orders.",
  key: "VARCHAR",
  columns: { title: own("VARCHAR") },
  stages: []
}

/** By field; `secret` isn't kept any more. */
const columns: Readonly<Record<string, readonly [column: string, type: ColumnType]>> = {
  dueOn: ["due_on", "DATE"],
  amount: ["amount", "DECIMAL(28,4)"],
  open: ["is_open", "BOOLEAN"]
}

const wide: Resource = {
  ...narrow,
  columns: {
    ...narrow.columns,
    ...Object.fromEntries(Object.values(columns).map(([column, type]) => [column, own(type)]))
  },
  fields: new Map<string, string | null>([
    ...Object.entries(columns).map(([field, [column]]) => [field, column] as const),
    ["secret", null]
  ])
}

/** Fields of a record as JSON. */
type Fields = Readonly<Record<string, string>>

const change = (second: number, values: Change["values"], misfits: Fields, extra: Fields): Change => ({
  entity: "orders",
  id: "7",
  version: Version.make(second * 1_000_000, 0, "ab".repeat(32)),
  source: "page",
  seenAt: Instant.fromMicros(second * 1_000_000),
  values,
  misfits,
  extra
})

/** A record as a worker reads it that doesn't know the columns; as one that does. */
const asNarrow = (second: number, { title = "null", ...fields }: Fields): Change =>
  change(second, { title: readValue("VARCHAR", Json.parse(title)) ?? null }, {}, fields)

const asWide = (second: number, { secret: _secret, title = "null", ...fields }: Fields): Change => {
  const values: Record<string, string | null> = { title: readValue("VARCHAR", Json.parse(title)) ?? null }
  const [misfits, extra]: [Record<string, string>, Record<string, string>] = [{}, {}]
  for (const [field, text] of Object.entries(fields)) {
    const [column, type] = columns[field] ?? []
    if (column === undefined || type === undefined) {
      extra[field] = text
      continue
    }
    const value = readValue(type, Json.parse(text))
    values[column] = value ?? null
    if (value === undefined) misfits[column] = text
  }
  return change(second, values, misfits, extra)
}

/** When it was last changed depends on when pages are read, columns or not. */
const compared = (row: Row | undefined): Row => {
  const { _changed_at, ...rest } = row ?? {}
  // A table has all columns.
  return { ...Object.fromEntries(Object.keys(wide.columns).map((name) => [name, null])), ...rest }
}

const texts: Readonly<Record<string, ReadonlyArray<string>>> = {
  title: ['"A"', '"B"', "null"],
  dueOn: ['"2026-11-20"', '"soon"', "null", "7"],
  // Its column has the same name: what doesn't fit it would stand in one place with what has no column yet.
  amount: ["12.50", "12.5", "null"],
  open: ["true", "false", '"yes"'],
  secret: ['"sesame"'],
  note: ['"x"', "1.50"]
}

const record = (random: Random): Fields =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([field, some]) => (random.chance(0.6) ? [[field, random.pick(some)]] : []))
  )

describe(`a column that comes later, seed ${seed}`, () => {
  it("takes value and version out of the other fields, in any order of pages, readers and mergers", () => {
    const random = seeded(seed)
    for (let round = 0; round < rounds(60, 2000); round++) {
      const records = Array.from({ length: 4 }, () => record(random))
      const all = records.map((fields, second) => asWide(second, fields))
      const expected = all.reduce<Row | undefined>((row, each) => merge(wide, row, [each]), undefined)
      for (const order of permutations([0, 1, 2, 3])) {
        let row: Row | undefined
        for (const place of order) {
          // Both workers may read the same page.
          const readers = random.pick([["narrow"], ["wide"], ["narrow", "wide"], ["wide", "narrow"]] as const)
          for (const reader of readers) {
            const fields = records[place]!
            row =
              reader === "narrow"
                ? merge(narrow, row, [asNarrow(place, fields)])
                : merge(wide, row, [asWide(place, fields)])
          }
        }
        const again = merge(wide, row, all)
        assert.deepStrictEqual(
          compared(again),
          compared(merge(wide, expected, all)),
          `round ${round}, order ${order.join()}`
        )
        assert.notMatch(String(again?.["_extra"]), /sesame|dueOn|"open"/)
      }
    }
  })

  it("is filled by the next change of the row, whatever that is about", () => {
    const before = merge(narrow, undefined, [asNarrow(1, { dueOn: '"2026-11-20"', amount: '"much"', note: '"x"' })])
    const after = merge(wide, before, [change(2, { title: "A" }, {}, {})])
    assert.deepInclude(after, {
      due_on: "2026-11-20",
      amount: null,
      title: "A",
      _extra: '{"amount":"much","note":"x"}'
    })
    const first = merge(wide, undefined, [asNarrow(1, { amount: "5", secret: '"sesame"' })])
    assert.deepInclude(first, { amount: "5.0000", _extra: null })
    assert.notMatch(JSON.stringify(first), /sesame|secret/)
  })
})
