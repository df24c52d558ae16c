/** A copy of the books has the same rows as the Store, or each difference is named. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { type Copy, differing, rowsOf } from "../../../src/Operate/Audit/Copied.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { accrued, type Given, withheld } from "../../connectors/Entries.ts"
import { certified, copy, hear, keep, paid, payment, startedWholeOnce } from "../../Ledger/Started.ts"

/** Two entries; a third, and a decision, after the certificate of C came late; an open hold of D. */
const history = [...payment("A"), ...payment("B"), paid("C", 5, 12), certified("C", 1, 13, "7.0000"), paid("D", 5, 14)]

const inWarehouse = Effect.gen(function* () {
  const warehouse = yield* Warehouse
  const { catchUp } = yield* Copies
  return {
    name: "The warehouse",
    query: (text) => warehouse.query(rowsOf(text)),
    refresh: catchUp
  } satisfies Copy<unknown, never>
})

const planted = (...statements: ReadonlyArray<string>) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.query(async (db) => {
      for (const statement of statements) await sql.raw(statement).execute(db)
    })
  )

const test = (
  fact: string,
  statements: ReadonlyArray<string>,
  expected: { readonly fresh: ReadonlyArray<RegExp>; readonly older?: ReadonlyArray<RegExp> },
  more: ReadonlyArray<Given> = []
) =>
  it.effect(fact, () =>
    startedWholeOnce(
      Effect.gen(function* () {
        yield* hear(history)
        yield* keep(more)
        yield* copy
        const fresh = yield* inWarehouse
        const older = { ...fresh, name: "An older copy", refresh: undefined }
        assert.deepStrictEqual(yield* differing(fresh, 100), [])
        assert.deepStrictEqual(yield* differing(older, 100), [])
        yield* planted(...statements)
        for (const [kind, patterns] of [
          [fresh, expected.fresh],
          [older, expected.older ?? expected.fresh]
        ] as const) {
          const differences = yield* differing(kind, 100)
          assert.strictEqual(differences.length, patterns.length, differences.join("\n"))
          for (const [index, pattern] of patterns.entries()) assert.match(differences[index] ?? "", pattern)
        }
      })
    )
  )

const moved = `'{"receivable":"1130.0000","retention":"60.0000","revenue":"-1000.0000","VAT":"-190.0000"}'`
const [here, there] = [
  /"receivable":"1140\.0000","retention":"50\.0000"/,
  /"receivable":"1130\.0000","retention":"60\.0000"/
].map(({ source }) => `\\{${source},"revenue":"-1000\\.0000","VAT":"-190\\.0000"\\}`)

/** A page of entries, one of decisions and one of holds, and each time that there is nothing after it. */
const pages = 6

describe("a copy of the books", () => {
  it.effect("that is the same is compared page by page, not row by row", () =>
    startedWholeOnce(
      Effect.gen(function* () {
        yield* hear(history)
        yield* keep([accrued, withheld])
        yield* copy
        const whole = yield* inWarehouse
        let asked = 0
        const counted: typeof whole = {
          ...whole,
          query: (text) => Effect.suspend(() => (asked++, whole.query(text)))
        }
        assert.deepStrictEqual(yield* differing(counted, 100), [])
        assert.strictEqual(asked, pages)
      })
    )
  )
  test(
    "with a value that has moved to the column beside it",
    ["update construction.ledger_entries set debit_account = 'bankre', credit_account = 'ceivable' where sequence = 1"],
    { fresh: [/ has debit_account bankre for entry 1; /, / has credit_account ceivable for entry 1; /] }
  )
  test(
    "with an amount moved between two lines of an entry",
    [`update construction.ledger_entries set lines = ${moved} where sequence = 4`],
    { fresh: [new RegExp(` has lines ${there} for entry 4; in the books it is ${here}\\.$`)] },
    [accrued, withheld]
  )
  test(
    "without the lines of an entry",
    ["update construction.ledger_entries set lines = null where sequence = 4"],
    { fresh: [new RegExp(` has lines null for entry 4; in the books it is ${here}\\.$`)] },
    [accrued, withheld]
  )
  test(
    "with lines of an entry that has none of its own",
    [`update construction.ledger_entries set lines = '{"bank":"5.0000","escrow":"-5.0000"}' where sequence = 1`],
    { fresh: [/ has lines \{"bank":"5\.0000","escrow":"-5\.0000"\} for entry 1; in the books it is null\.$/] },
    [accrued, withheld]
  )
  test("with a changed amount", ["update construction.ledger_entries set amount = 6 where ipc_id = 'A'"], {
    fresh: [/ has amount 6\.0000 for entry 1; in the books it is 5\.0000\.$/]
  })
  test("without an entry in its middle", ["delete from construction.ledger_entries where sequence = 2"], {
    fresh: [/ lacks entry 2\.$/]
  })
  test(
    "without the newest entry, and holds of its time",
    ["delete from construction.ledger_entries where sequence = 3"],
    {
      fresh: [/ lacks entry 3\.$/],
      older: []
    }
  )
  test(
    "with an entry more",
    [
      `insert into construction.ledger_entries select * replace (4 as sequence, 'f00d' as entry_id)
       from construction.ledger_entries where sequence = 1`
    ],
    { fresh: [/ has entry 4, which isn't in the books\.$/] }
  )
  test("with a decision that was rewritten", ["update construction.ledger_hold_decisions set why = 'as agreed'"], {
    fresh: [/ has why as agreed for decision 1; in the books it is null\.$/]
  })
  test("without an open hold", ["delete from construction.ledger_holds"], {
    fresh: [/^The warehouse lacks hold \w+\.$/],
    older: []
  })
  test("with a hold more", ["update construction.ledger_holds set hold_id = 'f00d'"], {
    fresh: [/^The warehouse lacks hold \w{32}\.$/, /^The warehouse has hold f00d, which isn't in the books\.$/],
    older: []
  })
})
