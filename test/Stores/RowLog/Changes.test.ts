/** The order in which rows are logged: wherever the log ends, no row in it refers to one that isn't in it. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Changes from "../../../src/Stores/RowLog/Changes.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { folder } from "../WarehouseEngines.ts"

const at = "2026-11-20T02:00:00.000000Z"
const idOf = (sequence: number): string => String(sequence).padStart(32, "0")

/** Three facts for each entry, and each entry is to be sent. */
const post = (database: DatabaseSync, entries: number): void => {
  const insert = (table: string, row: Record<string, string | number>) =>
    database
      .prepare(
        `insert into ${table} (${Object.keys(row).join()}) values (${Object.keys(row)
          .map(() => "?")
          .join()})`
      )
      .run(...Object.values(row))
  for (let sequence = 1; sequence <= entries; sequence++) {
    const common = { ipc_id: "I", known_at: at }
    for (let n = 2; n >= 0; n--) {
      insert("ledger_facts", { ...common, number: sequence * 3 - n, kind: "payment", content: "{}" })
    }
    insert("ledger_entries", {
      ...common,
      entry_id: idOf(sequence),
      sequence,
      kind: "adjustment",
      amount: "1.0000",
      payment_reference: "P",
      debit_account: "bank",
      credit_account: "receivable",
      effective_at: at,
      part: "settlement",
      basis: "[]",
      fact: sequence * 3
    })
    database.exec(
      `insert into row_changes (table_name, row_key) values ('ledger_outbox', json_array('${idOf(sequence)}'))`
    )
  }
}

it.live("a row follows those that it refers to, and is logged once", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const path = join(yield* folder, "store.sqlite")
      yield* Effect.scoped(Effect.provide(Effect.void, Sqlite.layerAt(path), { local: true }))
      const database = new DatabaseSync(path)
      yield* Effect.addFinalizer(() => Effect.sync(() => database.close()))
      database.exec("delete from row_changes")
      post(database, 20)
      const logged: Array<string> = []
      for (let appended: Changes.Appended = {}; ;) {
        const next = Changes.next(database, appended, 7)
        if (next.rows.length === 0) break
        for (const { key, kind: _, table } of next.rows) logged.push(`${table} ${key}`)
        database.prepare("delete from row_changes where id <= ?").run(next.through)
        appended = next.appended
      }
      assert.strictEqual(new Set(logged).size, 20 * 5)
      assert.strictEqual(logged.length, 20 * 5)
      for (let n = 1; n <= 20; n++) {
        const places = [`ledger_facts [${n * 3}]`, `ledger_entries [${n}]`, `ledger_outbox ["${idOf(n)}"]`]
        const found = places.map((name) => logged.indexOf(name))
        assert.notInclude(found, -1, places.join())
        assert.deepStrictEqual(
          found,
          found.toSorted((a, b) => a - b),
          places.join()
        )
      }
    })
  )
)
