/**
 * The log of rows is written in batches, and a transaction's rows may be in several of them. The backup off the machine has
 * all of a transaction or nothing, whenever it looks: no entry without its message, and none beside the hold that it answers.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { sql, type Transaction } from "kysely"
import * as Follow from "../../../src/Operate/Backup/Follow.ts"
import { temporaryFolder } from "../../Folders.ts"
import { readMeta, Store } from "../../../src/Stores/Store.ts"
import type { StoreTables } from "../../../src/Stores/StoreTables.ts"
import { begun, logged, vaultAt, restoredTo, rowsIn, within, world } from "./World.ts"

const at = "2026-11-20T02:00:00.000000Z"

type Tx = Transaction<StoreTables>

const numbers = (from: number, to: number) =>
  sql`with recursive n(n) as (select ${from} union all select n + 1 from n where n < ${to})`

const ask = (tx: Tx, to: number) =>
  sql`insert into ledger_holds (hold_id, ipc_id, payment_reference, reason, since, basis)
      ${numbers(1, to)} select printf('%032d', n), 'I', 'P' || n, 'no certificate', ${at}, '[]' from n`.execute(tx)

/** Each entry answers a hold, and is to be sent. */
const post = async (tx: Tx, from: number, to: number): Promise<void> => {
  const run = async (text: ReturnType<typeof sql>): Promise<void> => void (await text.execute(tx))
  await run(sql`insert into ledger_facts (number, ipc_id, kind, known_at, content)
    ${numbers(from, to)} select n, 'I', 'payment', ${at}, '{}' from n`)
  await run(sql`insert into ledger_entries (entry_id, sequence, ipc_id, kind, amount, payment_reference, debit_account,
      credit_account, effective_at, known_at, part, basis, fact)
    ${numbers(from, to)} select printf('%032d', n), n, 'I', 'payment', '1.0000', 'P' || n, 'bank', 'receivable', ${at},
      ${at}, 'settlement', '[]', n from n`)
  await run(sql`insert into ledger_outbox (entry_id, sequence, ipc_id, status, queued_at, next_attempt_at)
    ${numbers(from, to)} select printf('%032d', n), n, 'I', 'posted', ${at}, ${at} from n`)
  await run(sql`delete from ledger_holds where hold_id in
    (${numbers(from, to)} select printf('%032d', n) from n)`)
}

const many = 2500
const none = '[{"entries":0}]'

const asked = Effect.gen(function* () {
  yield* (yield* Store).transaction((tx) => ask(tx, many))
  yield* logged
})

interface Look {
  readonly ends: Effect.Success<NonNullable<Store["Service"]["following"]>["ends"]>
  readonly through: number
}

/** Where a turn of the backup would end, looked up all the time until all is logged, and how far the log is then. */
const seen = Effect.gen(function* () {
  const store = yield* Store
  const following = store.following ?? (yield* Effect.die("nothing is logged"))
  const looks: Array<Look> = []
  while (true) {
    const ends = yield* following.ends
    const mark = JSON.parse((yield* store.run((db) => readMeta(db, "row_log"))) ?? "{}") as { readonly through: number }
    const last = looks.at(-1)
    if (last?.ends.rows.last !== ends.rows.last || last.through !== mark.through) {
      looks.push({ ends, through: mark.through })
    }
    const left = yield* store.run((db) => db.selectFrom("row_changes").select("id").limit(1).execute())
    if (left.length === 0 && new Set(looks.map((look) => look.ends.rows.last)).size > 1) return looks
    yield* Effect.yieldNow
  }
})

/** Backs up as of each look, and returns how many entries each restored file has. */
const restored = Effect.fnUntraced(function* (folder: string, looks: ReadonlyArray<Look>) {
  const own = yield* begun(yield* vaultAt(folder))
  const counts: Array<number> = []
  const distinct = new Map(looks.map(({ ends }) => [ends.rows.last, ends]))
  for (const ends of distinct.values()) {
    const following = { ...own.following, ends: Effect.succeed(ends) }
    yield* Follow.turn({ ...own, following }, own.lineage)
    const file = join(temporaryFolder(), "made")
    yield* restoredTo(folder, file)
    const orphans =
      "select count(*) as entries from ledger_entries where entry_id not in (select entry_id from ledger_outbox)"
    const answered =
      "select count(*) as entries from ledger_entries where entry_id in (select hold_id from ledger_holds)"
    assert.deepStrictEqual([rowsIn(file, orphans), rowsIn(file, answered)], [none, none])
    const [count] = JSON.parse(
      rowsIn(
        file,
        "select (select count(*) from ledger_entries) as entries, (select count(*) from ledger_holds) as holds"
      )
    ) as ReadonlyArray<{ readonly entries: number; readonly holds: number }>
    assert.strictEqual(count!.entries + count!.holds, many)
    counts.push(count!.entries)
  }
  return counts
})

describe("a backup off the machine", () => {
  it.live("has all of a transaction or nothing, while the log of rows is in the middle of it", () =>
    Effect.gen(function* () {
      const { dataDir, folder } = world()
      const counts = yield* within(
        dataDir,
        Effect.scoped(
          Effect.gen(function* () {
            yield* asked
            const looking = yield* Effect.forkChild(seen)
            yield* (yield* Store).transaction((tx) => post(tx, 1, many))
            const looks = yield* Fiber.join(looking)
            // In the middle, too.
            assert.isAbove(new Set(looks.map(({ through }) => through)).size, 3)
            return yield* restored(folder, looks)
          })
        )
      )
      assert.deepStrictEqual(counts, [0, many])
    })
  )
})
