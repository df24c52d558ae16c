/** An auditor's verify: each kind of change that someone with the file could plant is found and named. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Books from "../../src/Ledger/Books.ts"
import * as Chain from "../../src/Ledger/Chain.ts"
import { type AppliedEvent, factsOf } from "../../src/Ledger/EventFacts.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { others, parseHead } from "../../src/Ledger/Verify/Chained.ts"
import { Store } from "../../src/Stores/Store.ts"
import { database, storesAt } from "../Stores/Postgres/World.ts"
import { contractor } from "./Contractor.ts"
import { at, certified, folder, hear, opened, paid, payment, started, verified } from "./Started.ts"

/** Three payments, queued for accounting; the third is posted later, once its certificate is known. */
const history = [...payment("A"), ...payment("B"), paid("C", 5, 12), certified("C", 1, 13, "7.0000")]

const recorded = Effect.flatMap(Store, (store) =>
  store.transaction((tx) => Books.record(tx, history.flatMap(factsOf), contractor, { status: "draft", at: at(20) }))
)

const engines = {
  SQLite: Effect.gen(function* () {
    const path = yield* folder
    const change = (statements: string) => {
      const file = opened(path)
      file.exec(statements)
      file.close()
    }
    const start = <A, E>(body: Effect.Effect<A, E, Ledger | Store>) => started(path, body)
    return { start, change: (statements: string) => Effect.sync(() => change(statements)) }
  }),
  PostgreSQL: Effect.gen(function* () {
    const { query, url } = yield* database
    const layer = Layer.provideMerge(Ledger.layerWith(contractor), storesAt(url))
    // As who owns the database, whom no trigger stops.
    const unguarded = "set session_replication_role = replica; set search_path = ledger, siteledger;"
    const start = <A, E>(body: Effect.Effect<A, E, Ledger | Store>) =>
      Effect.scoped(Effect.provide(body, layer, { local: true }))
    return { start, change: (statements: string) => Effect.promise(() => query(unguarded + statements)) }
  })
}

const changed = (engine: keyof typeof engines, statements: string) =>
  Effect.gen(function* () {
    const { change, start } = yield* engines[engine]
    yield* start(recorded)
    assert.deepStrictEqual((yield* start(verified)).differences, [])
    yield* change(statements)
    return (yield* start(verified)).differences
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
  "other lines": [
    `update ledger_entries set lines = '{"bank":"5.0000","escrow":"-5.0000"}' where ipc_id = 'A'`,
    [/^IPC A: entry \w+ has lines \["bank 5\.0000","escrow -5\.0000"\] in the books and null by the facts\.$/]
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

/** The outbox isn't part of it. */
const isChained = (what: string) =>
  !what.startsWith("an entry gone from the outbox") &&
  !what.startsWith("an entry that is sent") &&
  !what.startsWith("an entry whose turn")

const everywhere = Object.entries(planted).flatMap(([what, [statements, words]]) =>
  (["SQLite", "PostgreSQL"] as const).map((engine) => ({ engine, what, statements, words }))
)

describe("verify finds", () => {
  for (const { engine, statements, what, words } of everywhere) {
    it.effect(`${what}, in ${engine}`, () =>
      Effect.gen(function* () {
        const all = yield* changed(engine, statements)
        const differences = all.filter((each) => !/^The chain breaks|isn't linked/.test(each))
        assert.strictEqual(
          all.some((each) => each.startsWith("The chain breaks")),
          isChained(what)
        )
        assert.strictEqual(differences.length, words.length, differences.join("\n"))
        for (const [index, pattern] of words.entries()) assert.match(differences[index] ?? "", pattern)
      })
    )
  }
})

describe("the head of the books", () => {
  const books = (path: string, amount: string, more: ReadonlyArray<AppliedEvent> = []) =>
    started(path, Effect.andThen(hear([certified("A", 1, 10, amount), paid("A", 5, 11), ...more]), verified))

  /** What an audit says of books whose head was kept. */
  const unlike = (path: string, head: string | null) =>
    started(
      path,
      Effect.flatMap(Store, (store) => store.run((db) => others(db, parseHead(head ?? "")!)))
    )

  it.effect("is that of the newest entry, and none without one", () =>
    Effect.gen(function* () {
      const [path, empty] = [yield* folder, yield* folder]
      assert.match((yield* books(path, "5.0000", payment("B"))).head ?? "", /^2:[0-9a-f]{64}$/)
      assert.isNull((yield* started(empty, Effect.andThen(hear([paid("A", 5, 11)]), verified))).head)
    }).pipe(Effect.scoped)
  )

  it.effect("is the same for the same history, and another for any other", () =>
    Effect.gen(function* () {
      const heads: Array<string | null> = []
      for (const amount of ["5.0000", "5.0000", "6.0000"]) heads.push((yield* books(yield* folder, amount)).head)
      assert.strictEqual(heads[0], heads[1])
      assert.notStrictEqual(heads[0], heads[2])
      // What was kept elsewhere has to be found by any later version.
      assert.strictEqual(heads[0], "1:ea80b617db2b0ddfdd8e612bbe0bb2edb08cedcf1314a6a3afaf01aba7e4b0c6")
    }).pipe(Effect.scoped)
  )

  it.effect("is found again while the books go on, and missed once they were made anew", () =>
    Effect.gen(function* () {
      const [path, anew, less] = [yield* folder, yield* folder, yield* folder]
      const { head } = yield* books(path, "5.0000")
      const later = yield* started(path, Effect.andThen(hear([...payment("B"), paid("C", 5, 12)]), verified))
      assert.isUndefined(yield* unlike(path, head))
      assert.isUndefined(yield* unlike(path, later.head))
      yield* books(anew, "6.0000", payment("B"))
      assert.strictEqual(
        yield* unlike(anew, later.head),
        "The books up to entry 2 aren't those of the head that you gave: they were changed since."
      )
      yield* books(less, "5.0000")
      assert.strictEqual(yield* unlike(less, later.head), "The books have no entry 2, which they had.")
    }).pipe(Effect.scoped)
  )

  it.effect("continues facts that were stored without links", () =>
    Effect.gen(function* () {
      const heads: Array<string | null> = []
      for (const [amount, isLinked] of [
        ["5.0000", true],
        ["5.0000", false],
        ["6.0000", false]
      ] as const) {
        const path = yield* folder
        yield* books(path, amount)
        const database = opened(path)
        if (!isLinked) database.exec("update ledger_facts set chain = null; update ledger_entries set chain = null")
        database.close()
        const { differences, head } = yield* started(path, Effect.andThen(hear(payment("B")), verified))
        assert.deepStrictEqual(differences, [])
        heads.push(head)
      }
      assert.match(heads[0] ?? "", /^2:/)
      assert.strictEqual(heads[0], heads[1])
      assert.notStrictEqual(heads[0], heads[2])
    }).pipe(Effect.scoped)
  )
})

describe("the chain", () => {
  it.effect("holds while more is posted beside those who read it", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const linked = started(
        path,
        Effect.gen(function* () {
          yield* hear(payment("A"))
          const db = yield* (yield* Store).run(async (all) => all)
          const reading = Chain.linked(db)
          const read = [yield* Effect.promise(() => reading.next())]
          yield* hear(payment("B"))
          while (read.at(-1)?.done !== true) read.push(yield* Effect.promise(() => reading.next()))
          return read.flatMap(({ value }) => (value === undefined ? [] : [...value]))
        })
      )
      let before = Chain.start
      for (const each of yield* linked) {
        before = Chain.next(before, each)
        assert.strictEqual(each.fact.chain, before)
      }
      assert.notStrictEqual(before, Chain.start)
    }).pipe(Effect.scoped)
  )
})

describe("what isn't a head", () => {
  for (const text of ["", "1", "1:abc", `x:${"0".repeat(64)}`, `1:${"0".repeat(65)}`]) {
    it(`is refused: ${text.slice(0, 10)}`, () => assert.isUndefined(parseHead(text)))
  }
})
