/**
 * The knowledge about copies for analysts of a server is known to each process that makes them, and covers only that
 * server's copies.
 */
import { existsSync } from "node:fs"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import * as Databases from "../../Postgres.ts"
import { batch } from "../DuckDb/PublicationWorld.ts"
import { always, takingTurns, test, worldOf } from "./PublicationWorld.ts"
import { database, storesAt } from "./World.ts"

describe.skipIf(Databases.skipped !== undefined)("copies for analysts from PostgreSQL", () => {
  test("are made from the one before whichever process made that, even in the middle of another's copies", (world) =>
    Effect.gen(function* () {
      const { hidden } = yield* takingTurns(world)
      yield* world.restart
      const made = yield* world.published
      assert.deepStrictEqual(made, { inode: hidden, isWhole: false })
      const others = yield* worldOf(world.own, always, world.target)
      for (const process of [others, world, others, world]) assert.isFalse((yield* process.published).isWhole)
    }))

  test("are made whole after an erasure: a file keeps what its rows were before, and so does the hidden one", (world) =>
    Effect.gen(function* () {
      yield* takingTurns(world)
      yield* world.run(`insert into siteledger.erasures
        (asked_at, asked_by, reason, table_name, salt, value_sha256, value_length, is_within)
        values ('2026-11-29T00:00:00.000000Z', 'Ada', 'asked', 'ipcs', repeat('0', 64), repeat('0', 64), 0, 0)`)
      yield* world.restart
      assert.isTrue((yield* world.published).isWhole)
      assert.isFalse(existsSync(`${world.target}.previous`))
    }))

  test("are made whole after copies of another database", (world) =>
    Effect.gen(function* () {
      yield* takingTurns(world)
      const other = yield* database
      yield* Effect.provide(
        Effect.gen(function* () {
          const others = yield* worldOf(other, always, world.target)
          yield* others.write(batch(1))
          for (const isWhole of [true, false]) assert.strictEqual((yield* others.published).isWhole, isWhole)
        }),
        storesAt(other.url),
        { local: true }
      )
      assert.isTrue((yield* world.published).isWhole)
    }))
})
