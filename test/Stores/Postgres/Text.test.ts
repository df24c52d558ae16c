/** The text of PostgreSQL's COPY is read from a file of any name. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import * as PostgresText from "../../../src/Stores/Postgres/Text.ts"
import { entityTable } from "../../../src/Stores/WarehouseTables.ts"
import { temporaryFolder } from "../../Folders.ts"
import { queryWithoutFile } from "../Reading.ts"

it("is read if the folder's name has a quote", async () => {
  const folder = temporaryFolder()
  try {
    const vos = entityTable("vos")
    const path = join(folder, "it's 'rows'")
    const values = vos.columns.map(({ name }) => (name === "id" ? "7" : "\\N"))
    writeFileSync(path, `0\t${values.join("\t")}\n`)
    const rows = await queryWithoutFile(PostgresText.reading(vos, path, 4096))
    assert.deepStrictEqual(
      rows.map((row) => row["id"]),
      ["7"]
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
