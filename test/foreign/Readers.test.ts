/**
 * Readers of Parquet that share no code with DuckDB, which wrote it: each sees the same exact decimals, times in UTC to the
 * microsecond, and JSON as plain text. Python's readers are asked where they are installed (`pip install pyarrow polars`).
 * (hyparquet, which makes floats of decimals, reads exports in test/Lake/Export.test.ts.)
 */
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import pl from "nodejs-polars"
import * as wasm from "parquet-wasm"
import { inWorld, ipc, on, readExport, run, write } from "../Lake/ExportWorld.ts"

/** Of a table of the export: the types of these columns as the reader calls them, and its values as text. */
interface Read {
  readonly types: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string | null>>
}

const columns = ["id", "certified_amount", "certified_at", "_extra"] as const

const expected: Read["rows"] = [
  ["IPC-1", "123456789012345678901234.5678", "1795082400123456", `{"note":"ü"}`],
  ["IPC-2", "-0.0001", "1795082400123456", `{"note":"ü"}`]
]

const inPolars = (frame: pl.DataFrame): Read => {
  const types = columns.map((name) => String(frame.getColumn(name).dtype))
  const [id, amount, at, extra] = columns
  const text = frame.select(
    pl.col(id),
    pl.col(amount).cast(pl.Utf8),
    pl.col(at).cast(pl.Int64).cast(pl.Utf8),
    pl.col(extra)
  )
  const rows = text.rows() as Array<ReadonlyArray<string>>
  return { types, rows: rows.toSorted(([a = ""], [b = ""]) => a.localeCompare(b)) }
}

const python = {
  pyarrow: `
import json, sys, pyarrow, pyarrow.parquet
columns = json.loads(sys.argv[2])
table = pyarrow.parquet.read_table(sys.argv[1]).select(columns).sort_by("id")
types = [str(type) for type in table.schema.types]
at = columns.index("certified_at")
table = table.set_column(at, "certified_at", table.column(at).cast(pyarrow.int64()))
print(json.dumps({"types": types, "rows": [[str(row[name]) for name in columns] for row in table.to_pylist()]}))`,
  polars: `
import json, sys, polars
columns = json.loads(sys.argv[2])
frame = polars.read_parquet(sys.argv[1]).select(columns).sort("id")
types = [str(type) for type in frame.dtypes]
frame = frame.with_columns(polars.col("certified_amount").cast(polars.String), polars.col("certified_at").to_physical().cast(polars.String))
print(json.dumps({"types": types, "rows": [list(row) for row in frame.rows()]}))`
}

const inPython = (program: string) => async (path: string) =>
  JSON.parse(execFileSync("python3", ["-c", program, path, JSON.stringify(columns)], { encoding: "utf8" })) as Read

const hasModule = (name: string): boolean => {
  const isThere = spawnSync("python3", ["-c", `import ${name}`]).status === 0
  if (!isThere) process.stderr.write(`skipped: Python's ${name} doesn't read the lake: it isn't installed\n`)
  return isThere
}

interface Reader {
  readonly name: string
  readonly isSkipped?: boolean
  readonly read: (path: string) => Promise<Read>
  readonly types: Read["types"]
}

const asPolars = ["String", "Decimal(28,4)", "Datetime(us,UTC)", "String"].map((type) => `DataType(${type})`)

const readers: ReadonlyArray<Reader> = [
  {
    name: "nodejs-polars",
    read: async (path) => inPolars(pl.readParquet(path)),
    types: asPolars
  },
  {
    name: "parquet-wasm",
    read: async (path) => {
      const table = wasm.readParquet(new Uint8Array(readFileSync(path)))
      return inPolars(pl.readIPCStream(Buffer.from(table.intoIPCStream())))
    },
    types: asPolars
  },
  {
    name: "pyarrow",
    isSkipped: !hasModule("pyarrow"),
    read: inPython(python.pyarrow),
    types: ["string", "decimal128(28, 4)", "timestamp[us, tz=UTC]", "string"]
  },
  {
    name: "Polars",
    isSkipped: !hasModule("polars"),
    read: inPython(python.polars),
    types: ["String", "Decimal(precision=28, scale=4)", "Datetime(time_unit='us', time_zone='UTC')", "String"]
  }
]

describe("an export", () => {
  for (const { isSkipped = false, name, read, types } of readers) {
    it.effect.skipIf(isSkipped)(`is read by ${name} to the last digit and microsecond, with JSON as text`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const amounts = [ipc("IPC-1", "123456789012345678901234.5678"), ipc("IPC-2", "-0.0001")]
          yield* write([on("2026-11-19")], amounts)
          yield* run
          const path = join(world.lake, readExport(world).tables["ipcs"]?.files[0]?.path ?? "")
          assert.deepStrictEqual(yield* Effect.promise(() => read(path)), { types, rows: expected })
        })
      )
    )
  }
})
