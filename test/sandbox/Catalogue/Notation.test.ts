/** The notation of the catalogue's tables is read correctly, and a mistake in it is reported at once. */
import { assert, describe, it } from "@effect/vitest"
import * as Fields from "../../../sandbox/Catalogue/Fields.ts"
import { plain } from "../../../sandbox/Catalogue/Kinds.ts"
import { shape } from "../../../sandbox/Catalogue/Shapes.ts"
import * as Table from "../../../sandbox/Catalogue/Table.ts"

const table = (lines: string) => Table.read([{ tag: "tag", about: "", table: lines }])

describe("The notation of fields", () => {
  it("has kinds, texts, ids, shapes, lists and what may be missing", () => {
    const [due, grid, state, vendor, author] = Fields.read(
      "due:date? grid:number[][] state:open|closed v:>rfis a:Person[]?"
    )
    assert.deepStrictEqual(due, { name: "due", kind: { _tag: "Plain", name: "date" }, depth: 0, isOptional: true })
    assert.strictEqual(grid?.depth, 2)
    assert.deepStrictEqual(state?.kind, { _tag: "OneOf", texts: ["open", "closed"] })
    assert.deepStrictEqual(vendor?.kind, { _tag: "IdOf", resource: "rfis" })
    assert.deepStrictEqual(
      [author?.kind, author?.depth, author?.isOptional],
      [{ _tag: "Shape", name: "Person" }, 1, true]
    )
  })

  it("refuses what it doesn't know", () => {
    for (const wrong of ["due", "due:", "due:date!", "due:date[", ":date"])
      assert.throws(() => Fields.read(wrong), wrong)
    assert.throws(() => plain("dates"), "dates")
    assert.throws(() => shape("Nobody"), "Nobody")
  })
})

describe("The notation of resources", () => {
  it("has names, parents, ids, paging, what they do and their fields", () => {
    const [all, one] = table(
      "rfis | int | page\n  get create\n  name:text\n\nanswers as replies of rfis, flat | code A | whole\n  b:text"
    )
    assert.deepInclude(all, { name: "rfis", one: "rfi", parent: undefined, isFlat: true, does: ["get", "create"] })
    assert.deepInclude(one, {
      segment: "replies",
      parent: "rfis",
      isFlat: true,
      isAlsoAlone: false,
      does: [],
      aNoun: "an answer"
    })
    assert.deepStrictEqual(one?.id, { kind: "code", name: "id", prefix: "A" })
  })

  it("finds the singular of a plural", () => {
    const nouns = ["companies", "clashes", "BOQs", "bids", "daily_logs"].map(
      (name) => table(`${name} | int | page\n  a:text`)[0]?.noun
    )
    assert.deepStrictEqual(nouns, ["company", "clash", "BOQ", "bid", "daily log"])
  })

  it("refuses what it doesn't know", () => {
    for (const wrong of ["rfis", "rfis | int", "rfis | int | pages", "rfis | float | page", "rfis of | int | page"]) {
      assert.throws(() => table(`${wrong}\n  a:text`), /The catalogue/, wrong)
    }
  })
})
