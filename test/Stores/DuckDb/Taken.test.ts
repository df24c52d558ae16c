/**
 * Rows that events are about are read and deleted by one statement: each id still keeps one row, the one that Merge
 * makes, and rows of other ids with the same hash don't change.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Change } from "../../../src/Domain/Change.ts"
import { merge, type Row } from "../../../src/Domain/Merge.ts"
import { byName } from "../../../src/Domain/Resource.ts"
import { EntityRows } from "../../../src/Stores/DuckDb/EntityRows.ts"
import { RecentRows } from "../../../src/Stores/DuckDb/RecentRows.ts"
import { Renumbered, StoredRows } from "../../../src/Stores/DuckDb/StoredRows.ts"
import { TableRows } from "../../../src/Stores/DuckDb/TableRows.ts"
import { seed } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"
import { alike } from "./Alike.ts"
import { vacuum } from "./Vacuum.ts"
import { changeOf, withWarehouse, type World } from "./WriterWorld.ts"

const ipcs = byName("ipcs")
const noneRecent = () => new RecentRows(0)

interface Written {
  readonly write: (changes: ReadonlyArray<Change>, fails?: boolean) => Promise<boolean>
  /** How often rows were taken. */
  readonly taken: () => number
  readonly renumbered: () => number
  readonly deleted: () => number
}

/** A writer of rows that keeps few of them, or none, in memory. */
const writing = async (world: World, makeRecent: () => RecentRows): Promise<Written> => {
  const wrote: Array<string> = []
  const { tables } = world
  const rows = new TableRows(world.connection, (_table, keys) => void wrote.push(...keys))
  let [taken, renumbered] = [0, 0]
  const take = rows.take.bind(rows)
  rows.take = async (...call) => {
    taken++
    return take(...call)
  }
  const entities = new EntityRows(rows, tables, new StoredRows(rows, tables, makeRecent))
  const write = async (changes: ReadonlyArray<Change>, fails = false): Promise<boolean> => {
    await world.connection.run("begin transaction")
    try {
      const isVisible = await entities.merge("ipcs", changes)
      await world.connection.run(fails ? "rollback" : "commit")
      if (fails) entities.forget()
      else entities.committed()
      return isVisible
    } catch (cause) {
      await world.connection.run("rollback")
      if (!(cause instanceof Renumbered)) throw cause
      entities.renumbered(cause.table)
      renumbered++
      return write(changes, fails)
    }
  }
  return { write, taken: () => taken, renumbered: () => renumbered, deleted: () => rows.deleted }
}

const assertRows = async ({ rows }: World, expected: ReadonlyMap<string, Row>): Promise<void> => {
  const found = await rows("ipcs")
  assert.strictEqual(found.length, expected.size)
  assert.deepStrictEqual(new Map(found.map((row) => [String(row["id"]), row as Row])), expected)
}

describe(`taken rows (seed ${seed})`, () => {
  for (const [name, makeRecent] of [
    ["none is in memory", noneRecent],
    ["some are in memory", () => new RecentRows(20_000)]
  ] as const) {
    it(`are those that Merge makes, each once: ${name}`, () =>
      withWarehouse(async (world) => {
        const random = seeded(seed)
        const expected = new Map<string, Row>()
        const { renumbered, taken, write } = await writing(world, makeRecent)
        let last: ReadonlyArray<Change> = []
        let vacuums = 0
        for (let batch = 0; batch < 150; batch++) {
          const changes = random.chance(0.2)
            ? last
            : Array.from({ length: 1 + random.below(30) }, (_, n) => changeOf(random, batch * 50 + n))
          last = changes
          if (random.chance(0.1)) await write(changes, true)
          const isVisible = await write(changes)
          let isExpected = false
          for (const [id, some] of Map.groupBy(changes, (change) => change.id)) {
            const before = expected.get(id)
            const row = merge(ipcs, before, some)
            if (row !== undefined) expected.set(id, row)
            isExpected ||= row !== undefined && before?.["_changed_at"] !== row["_changed_at"]
          }
          assert.strictEqual(isVisible, isExpected)
          if (random.chance(0.1)) {
            vacuums++
            await vacuum(world.connection)
          }
          if (batch % 30 === 29) await assertRows(world, expected)
        }
        assert.isAbove(taken(), 30)
        assert.isAbove(renumbered(), 0)
        // Nothing else gives rows other numbers.
        assert.isAtMost(renumbered(), vacuums)
      }))
  }

  it("of ids with one hash don't get lost or mixed up", () =>
    withWarehouse(async (world) => {
      const { taken, write } = await writing(world, noneRecent)
      const expected = new Map<string, Row>()
      let at = 0
      for (const [a, b] of [...alike, ...alike]) {
        for (const id of [a, a, b, a, b, b]) {
          const change = { ...changeOf(seeded(at), at++), id }
          await write([change])
          expected.set(id, merge(ipcs, expected.get(id), [change])!)
          await assertRows(world, expected)
        }
      }
      assert.isAbove(taken(), 15)
    }))

  it("are few: many are selected, and what a list shows is, too", () =>
    withWarehouse(async (world) => {
      const { deleted, taken, write } = await writing(world, noneRecent)
      const all = Array.from({ length: 100 }, (_, n) => ({ ...changeOf(seeded(n), n), id: `I${n}` }))
      const page = (change: Change): Change => ({ ...change, source: "page" })
      for (const changes of [all, all, all.slice(0, 10).map(page), [...all.slice(0, 9), page(all[9]!)]])
        await write(changes)
      assert.strictEqual(taken(), 0)
      const before = deleted()
      await write(all.slice(0, 10))
      assert.strictEqual(taken(), 1)
      assert.strictEqual(deleted() - before, 10)
    }))
})
