/**
 * DuckDB's writer finds rows by their numbers and treats everything after the last event as new: each id and each event
 * still has one row, the one that Merge makes, whatever happens to the numbers.
 */
import { assert, describe, it } from "@effect/vitest"
import { merge, type Row } from "../../../src/Domain/Merge.ts"
import { byName } from "../../../src/Domain/Resource.ts"
import type * as Rows from "../../../src/Stores/DuckDb/Rows.ts"
import { seeded } from "../../Seeded.ts"
import { decisionRow, entryRow, eventRow, holdRow } from "../Written.ts"
import { vacuum } from "./Vacuum.ts"
import { assertFails, changeOf, withWarehouse, type World } from "./WriterWorld.ts"

/** All rows, as the oracle has them: each once. */
const assertRows = async ({ rows }: World, expected: ReadonlyMap<string, Row>): Promise<void> => {
  const found = await rows("ipcs")
  assert.strictEqual(found.length, expected.size)
  assert.deepStrictEqual(new Map(found.map((row) => [String(row["id"]), row as Row])), expected)
}

describe("the writer", () => {
  it("keeps one row for each id while rows move, are vacuumed and the file is opened again", { timeout: 120_000 }, () =>
    withWarehouse(async (world) => {
      const random = seeded(11)
      const expected = new Map<string, Row>()
      let writer = await world.open()
      for (let batch = 0; batch < 60; batch++) {
        const changes = Array.from({ length: 1 + random.below(40) }, (_, n) => changeOf(random, batch * 50 + n))
        await writer.write({ changes, events: [] })
        for (const [id, some] of Map.groupBy(changes, (change) => change.id)) {
          const row = merge(byName("ipcs"), expected.get(id), some)
          if (row !== undefined) expected.set(id, row)
        }
        if (random.chance(0.2)) await vacuum(world.connection)
        if (random.chance(0.1)) {
          writer.close()
          writer = await world.open()
        }
        if (batch % 15 === 14) await assertRows(world, expected)
      }
      writer.close()
      await assertRows(world, expected)
    })
  )

  it("finds a row that has another number by now", () =>
    withWarehouse(async (world) => {
      const [writer, other] = [await world.open(), await world.open()]
      const changes = [{ ...changeOf(seeded(1), 1), id: "I1" }]
      await writer.write({ changes, events: [] })
      await other.write({ changes: [{ ...changeOf(seeded(2), 2), id: "I1" }], events: [] })
      await writer.write({ changes: [{ ...changeOf(seeded(3), 3), id: "I1" }], events: [] })
      assert.strictEqual((await world.rows("ipcs")).length, 1)
      writer.close()
      other.close()
    }))

  it("drops rows that were replaced, and what DuckDB noted of them, before there are many", () =>
    withWarehouse(async (world) => {
      const read = async (query: string) => Number((await world.connection.runAndReadAll(query)).getRows()[0]?.[0])
      const writer = await world.open()
      const usedMb: Array<number> = []
      const lastNumber: Array<number> = []
      for (let batch = 1; batch <= 12; batch++) {
        const changes = Array.from({ length: 5000 }, (_, n) => ({
          ...changeOf(seeded(n), batch * 5000 + n),
          id: `I${n}`
        }))
        await writer.write({ changes, events: [] })
        usedMb.push(await read("select sum(memory_usage_bytes) / 1e6 from duckdb_memory()"))
        lastNumber.push(await read("select max(rowid) from construction.ipcs"))
      }
      // Not before the last batch, with which more than 50,000 are replaced; a checkpoint of DuckDB's own drops the newest ones.
      const before = lastNumber.slice(0, -1)
      assert.deepStrictEqual(
        before,
        before.toSorted((a, b) => a - b)
      )
      assert.isAtLeast(Math.max(...before), 49_999)
      assert.isBelow(lastNumber.at(-1)!, 10_000)
      assert.isAbove(Math.max(...usedMb), 15)
      assert.isBelow(usedMb.at(-1)!, 1)
      assert.strictEqual((await world.rows("ipcs")).length, 5000)
      writer.close()
    }))

  it("doesn't drop them while they are few beside the others, since all rows then have other numbers", () =>
    withWarehouse(async (world) => {
      const first = await world.open()
      await first.write({ changes: [{ ...changeOf(seeded(1), 1), id: "J" }], events: [] })
      first.close()
      await world.connection.run(
        "insert into construction.ipcs select ipcs.* replace (id || n as id) from construction.ipcs, range(300000) of(n)"
      )
      let checkpoints = 0
      const writer = await world.open((connection) => {
        const run = connection.run.bind(connection)
        connection.run = (...call) => {
          if (call[0] === "checkpoint") checkpoints++
          return run(...call)
        }
      })
      for (let batch = 1; batch <= 13; batch++) {
        const changes = Array.from({ length: 5000 }, (_, n) => ({
          ...changeOf(seeded(n), batch * 5000 + n),
          id: `J${n}`
        }))
        await writer.write({ changes, events: [] })
        // Of a fifth of 300,000.
        assert.strictEqual(checkpoints, batch > 12 ? 1 : 0)
      }
      writer.close()
    }))

  it("writes a batch again, whose commit failed although it was done, without a second row", () =>
    withWarehouse(async (world) => {
      let failures = 2
      const writer = await world.open((connection) => {
        const run = connection.run.bind(connection)
        connection.run = async (...call) => {
          const result = await run(...call)
          if (call[0] === "commit" && failures-- > 0) throw new Error("the commit was done, and then something failed")
          return result
        }
      })
      const random = seeded(12)
      const changes = Array.from({ length: 50 }, (_, n) => changeOf(random, n))
      const batch = { changes, events: [eventRow(1, "I1"), eventRow(2, "I2")] }
      for (const _ of [1, 2]) await assertFails(writer.write(batch))
      await writer.write(batch)
      await writer.write(batch)
      const expected = new Map(
        [...Map.groupBy(changes, ({ id }) => id)].map(([id, some]) => [
          id,
          merge(byName("ipcs"), undefined, some) as Row
        ])
      )
      await assertRows(world, expected)
      assert.strictEqual((await world.rows("events")).length, 2)
      writer.close()
    }))
})

const book = (number: number) => ({
  ledger: {
    entries: [entryRow(number)],
    decisions: [decisionRow(number)],
    holds: { ofIpcs: [], open: [] }
  },
  changes: [],
  events: []
})

describe("entries and decisions", () => {
  it("are there once, however often they are copied", () =>
    withWarehouse(async (world) => {
      const writer = await world.open()
      for (const number of [1, 2, 3, 2, 3, 4]) await writer.write(book(number))
      const later = await world.open()
      for (const number of [4, 5, 1]) await later.write(book(number))
      for (const table of ["ledger_entries", "ledger_hold_decisions"]) {
        const of = (row: Rows.Row) => Number(row["sequence"] ?? row["number"])
        assert.deepStrictEqual((await world.rows(table)).map(of).toSorted(), [1, 2, 3, 4, 5], table)
      }
      writer.close()
      later.close()
    }))
})

describe("open holds", () => {
  it("are those of each IPC's last copy, also after a commit that failed and in a file that is opened again", () =>
    withWarehouse(async (world) => {
      const random = seeded(13)
      const expected = new Map<string, ReadonlyArray<string>>()
      let isFailing = false
      const open = () =>
        world.open((connection) => {
          const run = connection.run.bind(connection)
          connection.run = async (...call) => {
            if (call[0] === "commit" && isFailing) throw new Error("the commit failed")
            return run(...call)
          }
        })
      let writer = await open()
      for (let number = 1; number <= 150; number++) {
        const ofIpcs = random.chance(0.1) ? "all" : [`I${random.below(8)}`, `I${8 + random.below(8)}`]
        const holds = ofIpcs === "all" ? [] : ofIpcs.filter(() => random.chance(0.5)).map((id) => holdRow(number, id))
        isFailing = random.chance(0.2)
        const written = writer.write({
          ...book(number),
          ledger: { ...book(number).ledger, holds: { ofIpcs, open: holds } }
        })
        if (isFailing) {
          await assertFails(written)
          continue
        }
        await written
        if (ofIpcs === "all") expected.clear()
        else for (const id of ofIpcs) expected.delete(id)
        for (const { ipc_id } of holds) expected.set(String(ipc_id), [`hold-${number}`])
        if (random.chance(0.1)) {
          writer.close()
          writer = await open()
        }
        const found = Map.groupBy(await world.rows("ledger_holds"), (row) => String(row["ipc_id"]))
        const named = new Map([...found].map(([id, rows]) => [id, rows.map((row) => String(row["hold_id"]))]))
        assert.deepStrictEqual(named, expected, `after batch ${number}`)
      }
      writer.close()
    }))
})
