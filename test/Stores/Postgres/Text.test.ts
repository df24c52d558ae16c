/** The text of PostgreSQL's COPY is read from a file of any name, and money of any length to its last digit. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import * as PostgresText from "../../../src/Stores/Postgres/Text.ts"
import { entityTable } from "../../../src/Stores/WarehouseTables.ts"
import { temporaryFolder } from "../../Folders.ts"
import { queryWithoutFile } from "../Reading.ts"

const vos = entityTable("vos")

/** A file of rows that have no more than these values. */
const read = async (path: string, rows: ReadonlyArray<Readonly<Record<string, string>>>) => {
  const lines = rows.map((row) => `0\t${vos.columns.map(({ name }) => row[name] ?? "\\N").join("\t")}\n`)
  writeFileSync(path, lines.join(""))
  return queryWithoutFile(PostgresText.reading(vos, path, 4096))
}

it("is read if the folder's name has a quote", async () => {
  const folder = temporaryFolder()
  try {
    const rows = await read(join(folder, "it's 'rows'"), [{ id: "7" }])
    assert.deepStrictEqual(
      rows.map((row) => row["id"]),
      ["7"]
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it("has money of each length, of either sign, beside each other", async () => {
  const folder = temporaryFolder()
  try {
    const digits = "987654321098765432109876"
    const whole = Array.from({ length: 24 }, (_, length) => digits.slice(0, length + 1))
    const amounts = ["0", ...whole].flatMap((text) => [`${text}.0000`, `-${text}.1234`])
    const rows = await read(
      join(folder, "rows"),
      amounts.map((amount, place) => ({ id: String(place), final_amount: amount }))
    )
    assert.deepStrictEqual(
      rows.map((row) => row["final_amount"]),
      amounts
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
