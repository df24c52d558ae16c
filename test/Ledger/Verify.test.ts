/** An auditor's verify: each kind of change that someone with the file could plant is found and named. */
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Books from "../../src/Ledger/Books.ts"
import { factsOf } from "../../src/Ledger/EventFacts.ts"
import { Store } from "../../src/Stores/Store.ts"
import { contractor } from "./Contractor.ts"
import { at, certified, folder, paid, payment, started, verified } from "./Started.ts"

/** Three payments, queued for accounting; the third is posted later, once its certificate is known. */
const history = [...payment("A"), ...payment("B"), paid("C", 5, 12), certified("C", 1, 13, "7.0000")]

const recorded = Effect.flatMap(Store, (store) =>
  store.transaction((tx) => Books.record(tx, history.flatMap(factsOf), contractor, { status: "draft", at: at(20) }))
)

const changed = (statements: string) =>
  Effect.gen(function* () {
    const path = yield* folder
    yield* started(path, recorded)
    assert.deepStrictEqual((yield* started(path, verified)).differences, [])
    const database = new DatabaseSync(`${path}/store.sqlite`)
    for (const { name } of database.prepare("select name from sqlite_master where type = 'trigger'").all()) {
      database.exec(`drop trigger "${name}"`)
    }
    database.exec(statements)
    database.close()
    return (yield* started(path, verified)).differences
  }).pipe(Effect.scoped)

const swap = (table: string, column: string, a: number, b: number) => `
  update ${table} set ${column} = -1 where ${column} = ${a};
  update ${table} set ${column} = ${a} where ${column} = ${b};
  update ${table} set ${column} = ${b} where ${column} = -1;`

const planted: Readonly<Record<string, readonly [string, ReadonlyArray<RegExp>]>> = {
  "swapped entries": [
    swap("ledger_entries", "sequence", 1, 2) + swap("ledger_outbox", "sequence", 1, 2),
    [/^The entries with numbers 1 and 2 aren't in the order of their facts\.$/]
  ],
  "a gap in the sequence": [
    `update ledger_entries set sequence = 4 where sequence = 3;
     update ledger_outbox set sequence = 4 where sequence = 3`,
    [/^There is no entry with number 3\.$/]
  ],
  "an entry gone": [
    "delete from ledger_outbox where ipc_id = 'B'; delete from ledger_entries where ipc_id = 'B'",
    [/^IPC B: entry \w+ follows from the facts but is missing/, /^There is no entry with number 2\.$/]
  ],
  "a payment gone with its facts": [
    `delete from ledger_outbox where ipc_id = 'A'; delete from ledger_entries where ipc_id = 'A';
     delete from ledger_facts where ipc_id = 'A'`,
    [/^There is no fact 1\.$/, /^There is no entry with number 1\.$/]
  ],
  "an entry that claims another fact": [
    "update ledger_entries set fact = 4 where ipc_id = 'A'",
    [/^IPC A: entry \w+ has fact 4 in the books and 2 by the facts\.$/]
  ],
  "a decision rewritten": [
    "update ledger_hold_decisions set verdict = 'accept', decided_by = 'mallory'",
    [
      /^IPC C: decision on hold \w+ by fact 6 has verdict "accept" in the books and "answered"/,
      /has decided_by "mallory"/
    ]
  ],
  "a decision gone": ["delete from ledger_hold_decisions", [/^IPC C: decision on hold .* is missing in the books\.$/]],
  "a decision made up": [
    `insert into ledger_hold_decisions (hold_id, ipc_id, payment_reference, reason, since, verdict, decided_at, fact)
     select 'f00d', ipc_id, payment_reference, reason, since, 'reject', decided_at, fact from ledger_hold_decisions`,
    [/^IPC C: decision on hold f00d by fact 6 is in the books, but no fact leads to it\.$/]
  ],
  "an entry gone from the outbox": [
    "delete from ledger_outbox where sequence = 2",
    [/^The entry with number 2 was queued for the accounting sink, and the outbox has lost it\.$/]
  ],
  "an entry that is sent as something else": [
    "update ledger_outbox set status = 'posted' where sequence = 2",
    [/^The entry with number 2 was queued as draft, and is in the outbox as posted\.$/]
  ],
  "an entry whose turn was changed": [
    "update ledger_outbox set ipc_id = 'B' where sequence = 1",
    [/^The entry with number 1 has another number or IPC in the outbox\.$/]
  ],
  "an entry moved to an epoch before": [
    "update ledger_entries set epoch = 5 where sequence = 2",
    [/^The entry with number 3 is from an epoch before its predecessor's\.$/]
  ]
}

describe("verify finds", () => {
  for (const [what, [statements, words]] of Object.entries(planted)) {
    it.effect(what, () =>
      Effect.gen(function* () {
        const differences = yield* changed(statements)
        assert.strictEqual(differences.length, words.length, differences.join("\n"))
        for (const [index, pattern] of words.entries()) assert.match(differences[index] ?? "", pattern)
      })
    )
  }
})
