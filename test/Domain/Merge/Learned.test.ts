/**
 * A table that only pages fill learns columns while it is being filled, by several writers, next to readers that don't
 * know them yet. It makes no difference when a column came, in which order pages came, or who read which page: the row
 * is the newest page's.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Change } from "../../../src/Domain/Change.ts"
import { absence } from "../../../src/Domain/Change.ts"
import * as Fit from "../../../src/Domain/Fit.ts"
import * as Instant from "../../../src/Domain/Instant.ts"
import * as Json from "../../../src/Domain/Json.ts"
import { isLarge, merge, mergeInParts, type Row } from "../../../src/Domain/Merge.ts"
import type { ColumnType, Resource } from "../../../src/Domain/Resource.ts"
import * as Version from "../../../src/Domain/Version.ts"
import { type LearnedColumn, withLearned } from "../../../src/Stores/LearnedColumns.ts"
import { rounds, seed } from "../../Long.ts"
import { type Random, seeded } from "../../Seeded.ts"
import { permutations } from "./Histories.ts"

const plain: Resource = {
  name: "orders",
  says: "Orders.",
  key: "VARCHAR",
  columns: { title: { type: "VARCHAR", says: "Anything.", since: 1 } },
  stages: [],
  fields: new Map([["title", "title"]]),
  isWhole: true,
  learns: true
}

const column = (name: string, field: string, type: LearnedColumn["type"], beside: string | null = null) => ({
  resource: "orders",
  name,
  field,
  type,
  beside,
  learned_at: "2026-11-20T02:00:00.000000Z"
})

/** In the order in which they are learned. */
const steps: ReadonlyArray<LearnedColumn> = [
  column("due_on", "dueOn", "DATE"),
  column("amount", "amount", "BIGINT"),
  column("amount_text", "amount", "VARCHAR", "amount"),
  column("parts", "parts", "JSON"),
  column("note", "note", "BOOLEAN"),
  column("note_json", "note", "JSON", "note")
]

const after = steps.map((_, count) => withLearned(plain, steps.slice(0, count)))
const whole = withLearned(plain, steps)

type Fields = Readonly<Record<string, string>>

const texts: Readonly<Record<string, ReadonlyArray<string>>> = {
  dueOn: ['"2026-11-20"', '"soon"', "null", '"2026-11-20T10:00:00Z"'],
  amount: ["12", "12.50", '"12"', "null", "true", "[1]"],
  parts: ["[1.50]", '"x"'],
  note: ["true", '{"a":[1]}', '"a\\u0000"', "1"],
  ["__proto__"]: ["1"],
  other: ["1.50", '"x"']
}

const record = (random: Random): Fields => {
  const fields = Object.create(null) as Record<string, string>
  for (const [field, some] of Object.entries(texts)) if (random.chance(0.55)) fields[field] = random.pick(some)
  return fields
}

const at = (second: number) => Instant.fromMicros(second * 1_000_000)

const page = (second: number, title: string | null, extra: Fields): Change => ({
  entity: "orders",
  id: "7",
  version: Version.make(second * 1_000_000, 0, "ab".repeat(32)),
  source: "page",
  seenAt: at(second),
  values: { title },
  misfits: {},
  extra
})

/** Without merging: what the record says, column by column. */
const oracle = ({ extra, values }: Change): Row => {
  const row: Record<string, string | null> = { title: values["title"] ?? null }
  const rest = Object.create(null) as Record<string, unknown>
  const type = (name: string): ColumnType => whole.columns[name]?.type ?? "JSON"
  const takes = (name: string, text: string) => Fit.readExactly(type(name), text)
  for (const { name } of steps) row[name] = null
  for (const [field, text] of Object.entries(extra)) {
    const own = steps.find((step) => step.field === field && step.beside === null)
    const beside = steps.find((step) => step.beside === own?.name && own !== undefined)
    const value = own && takes(own.name, text)
    const spilled = beside && takes(beside.name, text)
    if (own !== undefined && value !== undefined) row[own.name] = value
    else if (beside !== undefined && spilled !== undefined) row[beside.name] = spilled
    else rest[own?.name ?? field] = Json.parse(text)
  }
  const names = Object.keys(rest).toSorted()
  row["_extra"] =
    names.length === 0 ? null : Json.stringify(Object.fromEntries(names.map((name) => [name, rest[name]])))
  return row
}

const shown = (row: Row | undefined): Row => {
  const names = ["title", ...steps.map(({ name }) => name), "_extra"]
  return Object.fromEntries(names.map((name) => [name, row?.[name] ?? null]))
}

const inParts = (resource: Resource, stored: Row | undefined, changes: ReadonlyArray<Change>): Row | undefined => {
  const parts = mergeInParts(resource, stored, changes)
  for (let part = parts.next(); ; part = parts.next()) if (part.done === true) return part.value
}

describe(`a table that gets columns while pages fill it, seed ${seed}`, () => {
  it("has the newest page's row in the end, in any order of pages and columns, and the same versions", () => {
    const random = seeded(seed)
    for (let round = 0; round < rounds(60, 3000); round++) {
      const pages = [0, 1, 2, 3].map((second) => page(second, random.pick(["A", "B", null]), record(random)))
      const gone = absence("orders", "7", Version.make(random.below(5) * 1_000_000 + 500_000, 0, ""), at(9))
      const changes = [...pages, gone]
      let expected: object | undefined
      for (const order of permutations([0, 1, 2, 3, 4]).filter(() => random.chance(0.3))) {
        let row: Row | undefined
        let known = 0
        for (const place of order) {
          known += random.below(4)
          // Of several workers, one knows fewer columns than there are.
          const resource = after[Math.min(known, after.length - 1) - random.below(2)] ?? plain
          const split = random.pick([merge, inParts])
          row = split(resource, row, [changes[place]!])
        }
        row = merge(whole, row, [pages[0]!]) ?? row
        assert.deepStrictEqual(shown(row), shown(oracle(pages[3]!)), `round ${round}, order ${order.join()}`)
        const { _clocks, _deleted_at, _first_seen_at } = row ?? {}
        expected ??= { _clocks, _deleted_at, _first_seen_at }
        assert.deepStrictEqual(
          { _clocks, _deleted_at, _first_seen_at },
          expected,
          `round ${round}, order ${order.join()}`
        )
      }
    }
  })

  it("keeps the row that it has if a page says nothing newer", () => {
    const row = merge(whole, undefined, [page(2, "A", { amount: "1", other: "2" })])
    assert.strictEqual(merge(whole, row, [{ ...page(1, "B", { dueOn: '"2026-11-20"' }), seenAt: at(9) }]), row)
    assert.isFalse(isLarge(row, []))
  })

  it("shows that a field has gone as a change, with or without a column", () => {
    for (const field of ["amount", "other"]) {
      const before = merge(whole, undefined, [page(1, "A", { [field]: "1" })])
      const later = merge(whole, before, [page(2, "A", {})])
      assert.strictEqual(later?.["_changed_at"], at(2), field)
      assert.deepInclude(later, { _extra: null, amount: null })
    }
  })

  it("empties a column whose field a person drops, or gives another column, with the next page", () => {
    const before = merge(whole, undefined, [page(1, "A", { amount: "[1]", note: "[1]", dueOn: '"2026-11-20"' })])
    assert.deepInclude(before, { due_on: "2026-11-20", note_json: "[1]", _extra: '{"amount":[1]}' })
    const fields = new Map<string, string | null>([
      ["dueOn", null],
      ["note", null],
      ["amount", "sum"]
    ])
    const reviewed = {
      ...plain,
      fields,
      columns: { ...plain.columns, sum: { type: "JSON", says: "It.", since: 1 } }
    } as const
    const later = merge(withLearned(reviewed, steps), before, [page(2, "B", { amount: "2", note: "[2]" })])
    assert.deepInclude(later, { due_on: null, note: null, note_json: null, sum: "2", amount: null, _extra: null })
  })

  it("forgets what an older page left beside a column that another worker has filled since", () => {
    const withoutText = withLearned(plain, steps.slice(0, 2))
    const before = merge(whole, undefined, [page(1, "A", { amount: "12.50" })])
    assert.deepInclude(before, { amount: null, amount_text: "12.50" })
    const other = merge(withoutText, before, [page(2, "A", { amount: "[1]" })])
    const later = merge(whole, other, [page(1, "A", { amount: "12.50" })])
    assert.deepInclude(later, { amount: null, amount_text: null, _extra: '{"amount":[1]}' })
  })

  it("leaves the fields of events alone, and of tables that events fill", () => {
    const { isWhole: _, ...shared } = whole
    const before = merge(shared, undefined, [page(1, "A", { amount: "1", other: "2" })])
    const later = merge(shared, before, [page(2, "B", {})])
    assert.deepInclude(later, { title: "B", amount: "1", _extra: '{"other":2}' })
  })
})
