/**
 * What is said of tables and columns fits what there is, and docs/tables.md says the same. After a change:
 * UPDATE_DOCS=1 npx vitest run test/Stores/Described.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { described } from "../../src/Stores/Described.ts"
import { tables } from "../../src/Stores/WarehouseTables.ts"

const file = join(import.meta.dirname, "../../docs/tables.md")

const preface = `# Tables

What analysts see: in schema \`construction\` of the warehouse, in \`analytics.duckdb\`, and as Parquet on the lake, where every
manifest says it, too. Times are UTC to the microsecond, money is exact. Made from \`src/Stores/Described.ts\`.`

const section = ({ columns, name }: (typeof tables)[number]): string => {
  const said = described[name]
  const rows = columns.map(([column, type]) => `| \`${column}\` | \`${type}\` | ${said?.columns[column]} |`)
  return [`## ${name}`, "", said?.table, "", "| column | type | meaning |", "|---|---|---|", ...rows].join("\n")
}

describe("what is said of the tables", () => {
  it("fits their columns, each of them, in sentences", () => {
    assert.sameMembers(
      Object.keys(described),
      tables.map(({ name }) => name)
    )
    for (const { columns, name } of tables) {
      const said = described[name]?.columns ?? {}
      assert.sameMembers(
        Object.keys(said),
        columns.map(([column]) => column),
        name
      )
      for (const text of [described[name]?.table, ...Object.values(said)]) assert.match(text ?? "", /^[a-zA-Z].*\.$/)
    }
  })

  it("is what docs/tables.md says", () => {
    const text = `${[preface, ...tables.map(section)].join("\n\n")}\n`
    if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(file, text)
    assert.strictEqual(readFileSync(file, "utf8"), text)
  })
})
