/** Files of tables: a row group of a wide table has fewer rows, so that it fits into memory. */
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, it } from "@effect/vitest"
import { withConnection } from "../../src/Stores/DuckDb/ReadAll.ts"
import * as ParquetFiles from "../../src/Stores/ParquetFiles.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"

const rows = 50_000

it.each([
  [4, 1],
  [100, 3]
])("a table of %d columns is written in %d row groups, and whole", async (width, groups) => {
  const folder = temporaryFolder()
  const path = join(folder, "table.parquet")
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" })
  const columns = Array.from({ length: width }, (_, n) => `i + ${n} as c${n}`).join(", ")
  const query = `select ${columns} from range(${rows}) r(i)`
  await withConnection(instance, async (connection) => {
    assert.strictEqual(await ParquetFiles.writeTable(connection, { query, width, json: [] }, path), rows)
    const read = async (sql: string) => (await ParquetFiles.rows(connection, sql))[0]?.map(Number)
    const file = `'${path}'`
    assert.deepStrictEqual(await read(`select num_row_groups from parquet_file_metadata(${file})`), [groups])
    assert.deepStrictEqual(await read(`select count(*), sum(c0) from ${file}`), [rows, (rows * (rows - 1)) / 2])
  })
  instance.closeSync()
  removeFolder(folder)
})
