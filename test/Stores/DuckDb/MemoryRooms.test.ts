/**
 * DuckDB may use a share of its budget that depends on what it does, and an export that ran out of memory gets more.
 */
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, it } from "vitest"
import { Memory, restingOf, sharesOf, usualBudgetMb } from "../../../src/Stores/DuckDb/Memory.ts"

/** Of an instance, and how much that one says it may use. */
const resting = async () => {
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "64MB", threads: "1" })
  const connection = await instance.connect()
  const setting = async (name: string) => {
    const found = await connection.runAndReadAll(`select current_setting('${name}')`)
    return String(found.getRowsJson()[0]?.[0])
  }
  const limit = () => setting("memory_limit")
  return { instance, limit, memory: new Memory(instance, sharesOf(usualBudgetMb)), setting }
}

it("is freed in small pieces, except during an export, and for small tables beside wide ones", async () => {
  const { instance, memory, setting } = await resting()
  const seen: Array<string> = []
  const look = async () => {
    seen.push(await setting("allocator_flush_threshold"), await setting("allocator_bulk_deallocation_flush_threshold"))
  }
  for (const room of ["loading", "exporting", "working"] as const) {
    await memory.takeRoom(room)
    await look()
    await memory.inParallel(look)
    await memory.giveRoom(room)
  }
  await look()
  const [rest, small, large] = ["976.5 KiB", "3.8 MiB", "11.4 MiB"]
  assert.deepStrictEqual(
    seen,
    [rest, rest, large, large, small, rest, rest].flatMap((each) => [each, each])
  )
  instance.closeSync()
})

it("is enough for a copy of all tables, and more only where they have many columns", async () => {
  const { instance, limit, memory } = await resting()
  const seen: Array<string> = []
  for (const columns of [300, 33_000]) {
    const room = memory.roomFor(columns)
    await memory.takeRoom(room)
    seen.push(await limit())
    await memory.giveRoom(room)
  }
  assert.deepStrictEqual([...seen, await limit()], ["122.0 MiB", "366.2 MiB", "61.0 MiB"])
  instance.closeSync()
})

it("all of the share for later exports once one ran out of memory, and no more at rest", async () => {
  const { instance, limit, memory } = await resting()
  await memory.takeRoom("exporting")
  assert.strictEqual(await limit(), "137.3 MiB")
  assert.strictEqual(await memory.takeMoreToRead(), 384)
  assert.strictEqual(await limit(), "366.2 MiB")
  await memory.giveRoom("exporting")
  assert.strictEqual(await limit(), "61.0 MiB")
  await memory.takeRoom("exporting")
  assert.strictEqual(await memory.takeMoreToRead(), 768)
  instance.closeSync()
})

it("more when it is opened again, if a batch ran out beside an export", async () => {
  const path = "/nowhere/beside-an-export.duckdb"
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "64MB", threads: "1" })
  const shares = sharesOf(usualBudgetMb)
  const memory = new Memory(instance, shares, undefined, path)
  await memory.takeRoom("exporting")
  assert.strictEqual(await memory.takeMore(), 288)
  assert.strictEqual(restingOf(shares, path), 288)
  instance.closeSync()
})

it("for an export at least what two parts of events take, whatever the budget", () => {
  assert.deepStrictEqual(
    [576, 768, 1536].map((mb) => sharesOf(mb).exporting),
    [144, 144, 432]
  )
})
