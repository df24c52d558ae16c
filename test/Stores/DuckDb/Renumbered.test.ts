/**
 * When a checkpoint drops rows, the rows after them get other numbers: the writer looks up only those, and each id
 * keeps one row, the one that Merge makes. If that isn't enough, it looks up all of them.
 */
import { assert, describe, it } from "@effect/vitest"
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Change } from "../../../src/Domain/Change.ts"
import { Listed, sheet } from "../../../src/Domain/Listed.ts"
import { merge, type Row } from "../../../src/Domain/Merge.ts"
import { byName } from "../../../src/Domain/Resource.ts"
import { event } from "../../Domain/Merge/Histories.ts"
import { seed } from "../../Long.ts"
import { type Random, seeded } from "../../Seeded.ts"
import { changeOf, withWarehouse, type World } from "./WriterWorld.ts"

/** More than DuckDB has in one of its row groups. */
const old = 300_000

const idOf = (n: number): string => `I1${n}`

/** An IPC and so many others like it, which no event is about. */
const withOld = async ({ connection, open }: World): Promise<void> => {
  const writer = await open()
  await writer.write({ changes: [{ ...changeOf(seeded(1), 1), id: "I1" }], events: [] })
  writer.close()
  await connection.run(
    `insert into construction.ipcs select ipcs.* replace (id || n as id) from construction.ipcs, range(${old}) of(n)`
  )
  await connection.run("checkpoint")
}

/** Hears of each look at the numbers of a table that has rows: from which one on. They are read in parts. */
const lookingUp = (found: Array<number>) => (connection: DuckDBConnection) => {
  const read = connection.runAndReadAll.bind(connection)
  let isFirst = false
  connection.runAndReadAll = (sql, ...rest) => {
    const from = /rowid >= (\d+)/.exec(sql)?.[1]
    if (from !== undefined && isFirst) found.push(Number(from))
    isFirst = sql.startsWith("select max(rowid)")
    return read(sql, ...rest)
  }
}

const changed = (random: Random, id: string, at: number): Change => ({
  ...event("ipcs", "certified", at, { certified_amount: `${random.below(1000)}.0000` }),
  id
})

const listed = (id: string, at: number): Listed => {
  const { entity, seenAt, version } = changed(seeded(at), id, at)
  return new Listed(sheet({ columns: new Map(), entity, keyColumn: "id", seenAt, version }, {}), id, [])
}

describe(`rows with other numbers (seed ${seed})`, () => {
  it("are looked up without the many that have theirs still", { timeout: 120_000 }, () =>
    withWarehouse(async (world) => {
      await withOld(world)
      const random = seeded(seed)
      const looks: Array<number> = []
      const writer = await world.open(lookingUp(looks))
      const expected = new Map<string, Row>()
      const base = (await world.rows("ipcs")).find(({ id }) => id === idOf(7))
      let at = 0
      for (let batch = 0; batch < 60; batch++) {
        // New ones, which are changed again and again, and some of old.
        const changes = Array.from({ length: 20 }, () =>
          changed(random, random.chance(0.02) ? idOf(random.below(old)) : `N${random.below(60)}`, at++)
        )
        await writer.write({ changes, events: [] })
        for (const [id, some] of Map.groupBy(changes, (change) => change.id)) {
          const before = expected.get(id) ?? (id.startsWith("I1") ? ({ ...base, id } as Row) : undefined)
          const row = merge(byName("ipcs"), before, some) ?? before
          if (row !== undefined) expected.set(id, row)
        }
        if (random.chance(0.5)) await world.connection.run("checkpoint")
      }
      writer.close()
      const rows = await world.rows("ipcs")
      assert.strictEqual(new Set(rows.map(({ id }) => id)).size, rows.length)
      const wrong = rows.filter(
        (row) => expected.has(String(row["id"])) && !isSame(row as Row, expected.get(String(row["id"]))!)
      )
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(
        [...expected.keys()].filter((id) => !rows.some((row) => row["id"] === id)),
        []
      )
      // All once, at first.
      assert.strictEqual(looks.shift(), 0)
      assert.isAbove(looks.length, 3)
      assert.isAbove(Math.min(...looks), old)
    })
  )

  it("are all looked up if there are more of them than have numbers", () =>
    withWarehouse(async (world) => {
      const looks: Array<number> = []
      const hear = lookingUp(looks)
      const writer = await world.open((connection) => {
        hear(connection)
        const read = connection.runAndReadAll.bind(connection)
        connection.runAndReadAll = async (sql, ...rest) =>
          sql.startsWith("select count(*) from") ? read("select 1000") : read(sql, ...rest)
      })
      const write = (at: number) => writer.write({ changes: [changed(seeded(at), "N1", at)], events: [] })
      await write(1)
      await (await world.open()).write({ changes: [changed(seeded(2), "N1", 2)], events: [] })
      await write(3)
      writer.close()
      assert.deepStrictEqual(looks, [0, 0])
      assert.strictEqual((await world.rows("ipcs")).length, 1)
    }))

  it("are all found, also where one part of a look ends", { timeout: 60_000 }, () =>
    withWarehouse(async (world) => {
      await withOld(world)
      const writer = await world.open()
      const around = [0, 61_440, 122_880, 184_320, 245_760, old].flatMap((end) =>
        Array.from({ length: 8 }, (_, n) => end - 4 + n)
      )
      const ids = around.filter((n) => n >= 0 && n < old).map(idOf)
      await writer.write({ changes: ids.map((id, at) => changed(seeded(at), id, at)), events: [] })
      writer.close()
      const rows = await world.rows("ipcs")
      assert.strictEqual(rows.length, old + 1)
      assert.strictEqual(new Set(rows.map(({ id }) => id)).size, rows.length)
    })
  )

  it("tell which ids a list shows first, once they are looked up", () =>
    withWarehouse(async (world) => {
      const writer = await world.open()
      const write = (...changes: ReadonlyArray<Change>) => writer.write({ changes, events: [] })
      await write(changed(seeded(1), "N1", 1))
      const other = await world.open()
      await other.write({ changes: [changed(seeded(2), "N1", 2), changed(seeded(3), "N2", 2)], events: [] })
      other.close()
      await write(changed(seeded(4), "N1", 3), listed("N2", 3))
      writer.close()
      assert.deepStrictEqual((await world.rows("ipcs")).map(({ id }) => id).toSorted(), ["N1", "N2"])
    }))

  it("are all looked up if others are gone", () =>
    withWarehouse(async (world) => {
      await withOld(world)
      const random = seeded(seed)
      const looks: Array<number> = []
      const writer = await world.open(lookingUp(looks))
      const write = (...ids: ReadonlyArray<string>) =>
        writer.write({ changes: ids.map((id, n) => changed(random, id, looks.length * 10 + n)), events: [] })
      await write("N1", "N2")
      await world.connection.run(`delete from construction.ipcs where id in ('${idOf(3)}', '${idOf(4)}', 'N1')`)
      await write("N1", "N2", idOf(3), idOf(4), idOf(5))
      await write("N1", "N2", idOf(3), idOf(4), idOf(5))
      writer.close()
      assert.isAbove(looks.filter((from) => from === 0).length, 1)
      const rows = await world.rows("ipcs")
      assert.strictEqual(rows.length, old + 3)
      assert.strictEqual(new Set(rows.map(({ id }) => id)).size, rows.length)
    }))
})

const isSame = (one: Row, other: Row): boolean =>
  Object.keys({ ...one, ...other }).every((name) => (one[name] ?? null) === (other[name] ?? null))
