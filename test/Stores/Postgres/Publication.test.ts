/**
 * The copy for analysts on PostgreSQL: made whole or from the file before it, it holds exactly what the server held at one
 * point in time, whoever wrote it, and however long that took.
 */
import { renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, type Scope } from "effect"
import { rounds } from "../../Long.ts"
import * as Databases from "../../Postgres.ts"
import { seeded } from "../../Seeded.ts"
import { batch, batchOf } from "../DuckDb/PublicationWorld.ts"
import { takingTurns, test, type World } from "./PublicationWorld.ts"
import { session, untilBlocked } from "./World.ts"

const entry = (number: number): string => `
  insert into ledger.ledger_facts (number, ipc_id, kind, known_at, content)
    values (${number}, 'I${number}', 'paid', '2026-11-20T00:00:00.000000Z', '{}');
  insert into ledger.ledger_entries (entry_id, sequence, ipc_id, kind, part, amount, payment_reference, debit_account, credit_account,
      effective_at, known_at, basis, fact)
    values (md5('${number}'), ${number}, 'I${number}', 'payment', 0, 10000, 'r${number}', 'a', 'b',
      '2026-11-20T00:00:00.000000Z', '2026-11-20T00:00:00.000000Z', '{}', ${number})`

const hold = (number: number): string => `
  delete from siteledger.ledger_holds;
  insert into siteledger.ledger_holds (hold_id, ipc_id, payment_reference, reason, since, basis)
    values (md5('${number}'), 'I${number}', 'r', 'over-payment', '2026-11-20T00:00:00.000000Z', '{}')`

describe.skipIf(Databases.skipped !== undefined)("copies for analysts from PostgreSQL", () => {
  for (const seed of Array.from({ length: rounds(1, 20) }, (_, n) => n + 1)) {
    test(`hold what the server holds, whatever was written between them, seed ${seed}`, ({
      published,
      restart,
      run,
      write
    }) =>
      Effect.gen(function* () {
        const random = seeded(seed)
        const made: Array<{ readonly inode: number; readonly isWhole: boolean }> = []
        for (let number = 1; number <= rounds(9, 16); number++) {
          const { ledger: _ledger, watermark: _watermark, ...rest } = batchOf(random, number)
          yield* write(rest)
          if (random.chance(0.4)) yield* run(entry(number))
          if (random.chance(0.4)) yield* run(hold(number))
          if (random.chance(0.1)) yield* run("vacuum (freeze) construction.ipcs, construction.events")
          if (random.chance(0.3)) yield* restart
          if (random.chance(0.6)) made.push(yield* published)
        }
        assert.strictEqual(new Set(made.map(({ inode }) => inode)).size, 2, "two files take turns")
        assert.isTrue(made.slice(1).every(({ isWhole }) => !isWhole))
      }))
  }

  test("lack nothing that was being written while one was made", (world) =>
    Effect.gen(function* () {
      yield* takingTurns(world)
      const run = yield* session(world.own)
      yield* run("begin")
      yield* run("update construction.ipcs set status = 'late' where id = 'I1'")
      yield* run("savepoint later")
      yield* run("delete from construction.project_currencies")
      for (const number of [4, 5, 6]) {
        yield* world.write(batch(number))
        yield* world.published
      }
      yield* run("update construction.ipcs set status = 'later' where id = 'I2'")
      yield* run("commit")
      for (const _turn of [1, 2]) assert.isFalse((yield* world.published).isWhole)
    }))

  for (const [how, harm] of [
    ["is cut", (path: string) => truncateSync(path, 8192)],
    ["is rubbish", (path: string) => writeFileSync(path, "rubbish".repeat(10_000))],
    ["is gone", (path: string) => renameSync(path, `${path}.old`)]
  ] as const) {
    test(`are made from the shown one's bytes if the file before ${how}`, (world) =>
      Effect.gen(function* () {
        const { hidden, shown } = yield* takingTurns(world)
        harm(`${world.target}.previous`)
        const made = yield* world.published
        assert.notInclude([hidden, shown], made.inode)
        assert.isFalse(made.isWhole)
      }))
  }

  const isWholeAfter = (what: string, change: (world: World) => Effect.Effect<unknown, unknown, Scope.Scope>) =>
    test(`are made whole after ${what}`, (world) =>
      Effect.gen(function* () {
        yield* takingTurns(world)
        yield* change(world)
        assert.isTrue((yield* world.published).isWhole)
        yield* world.write(batch(9))
        assert.isFalse((yield* world.published).isWhole)
      }))

  isWholeAfter("what was known of the one before is lost", (world) =>
    Effect.andThen(
      Effect.sync(() => rmSync(`${world.target}.known`)),
      world.restart
    )
  )
  isWholeAfter("one that failed", (world) =>
    Effect.gen(function* () {
      const run = yield* session(world.own)
      yield* run("begin; lock table construction.ipcs")
      const failing = yield* Effect.forkChild(Effect.flip(world.published))
      yield* untilBlocked(world.own)
      yield* run(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      )
      yield* run("commit")
      yield* Fiber.join(failing)
      yield* world.restart
    })
  )
  isWholeAfter("a rebuild", (world) => Effect.andThen(world.rebuild, world.write(batch(2))))
  // No row has changed.
  isWholeAfter("columns have come", (world) => Effect.andThen(world.made, world.evolve(["site"])))
  isWholeAfter("somebody deleted rows on the server", (world) =>
    world.run("delete from construction.events where sequence = 1")
  )

  test(
    "are made whole after many rows were replaced",
    (world) =>
      Effect.gen(function* () {
        yield* takingTurns(world)
        yield* world.write({ changes: [], events: [4, 5, 6, 7, 8].flatMap((number) => batch(number).events) })
        assert.isTrue((yield* world.published).isWhole)
      }),
    { replaced: 5 }
  )
})
