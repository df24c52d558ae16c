/**
 * Verifying the books reads each fact and each entry once, with the link before it: in any number of ranges, for IPCs
 * with few facts and with more than are read at once, on both engines.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import * as WholeBooks from "../../src/Ledger/WholeBooks.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { seeded } from "../Seeded.ts"
import { database, storesAt } from "../Stores/Postgres/World.ts"
import { contractor } from "./Contractor.ts"
import { certified, created, folder, hear, opened, paid, payment, started, verified } from "./Started.ts"

const { below } = seeded(5)

/** Of 130 IPCs, in no order of their ids. The books of two of them are longer than a page. */
const events = [
  ...Array.from({ length: 2200 }, (_, n) => certified(n % 2 === 0 ? "IPC-17" : "IPC-9", n, n, `${n + 1}.0000`)),
  ...Array.from({ length: 500 }, (_, n) => created(`IPC-${below(130)}`, n, n, "7")),
  ...["IPC-9", "IPC-17", "IPC-100", "IPC-3"].map((id) => paid(id, 5, 900)),
  // What waits for them is answered once they are certified.
  ...["IPC-100", "IPC-3"].map((id) => certified(id, 6, 901, "5.0000"))
]

const readWhole = (store: Store["Service"], range: WholeBooks.Range) =>
  Effect.gen(function* () {
    const read: Array<WholeBooks.WholeBooks> = []
    yield* WholeBooks.each(store, range, async (_tx, { books }) => void read.push(...books))
    return read
  })

const decisionsIn = (read: ReadonlyArray<WholeBooks.WholeBooks>) =>
  read.flatMap(({ decisions, ipcId }) => decisions.map((row) => ({ ...row, of: ipcId })))

const isReadOnce = Effect.gen(function* () {
  yield* hear(events)
  const store = yield* Store
  const { decisions, entries, facts } = yield* store.run(async (db) => ({
    decisions: await db.selectFrom("ledger_hold_decisions").selectAll().orderBy("number").execute(),
    entries: await db.selectFrom("ledger_entries").selectAll().orderBy("sequence").execute(),
    facts: await db.selectFrom("ledger_facts").selectAll().orderBy("number").execute()
  }))
  assert.isAbove(facts.length, 1000)
  assert.isAbove(entries.length, 1)
  assert.isAbove(decisions.length, 1)
  for (const count of [1, 2, 7, 200]) {
    const ranges = yield* store.run((db) => WholeBooks.ranges(db, count))
    assert.isAtMost(ranges.length, count)
    if (count > 1) assert.isAbove(ranges.length, 1)
    const read: Array<WholeBooks.WholeBooks> = []
    for (const range of ranges) read.push(...(yield* readWhole(store, range)))
    const ids = read.map(({ ipcId }) => ipcId)
    assert.strictEqual(new Set(ids).size, ids.length)
    const stored = read.flatMap((each) => each.stored).toSorted((a, b) => a.number - b.number)
    const before = facts.map((fact, n) => ({ ...fact, before: facts[n - 1]?.chain ?? null }))
    assert.deepStrictEqual(stored, before)
    assert.deepStrictEqual(
      read.flatMap((each) => each.entries).toSorted((a, b) => a.sequence - b.sequence),
      entries
    )
    assert.deepStrictEqual(
      decisionsIn(read).toSorted((a, b) => a.number - b.number),
      decisions.map((row) => ({ ...row, of: row.ipc_id }))
    )
    for (const each of read) {
      const numbers = each.facts.map(({ number }) => number)
      const own = facts.filter(({ ipc_id }) => ipc_id === each.ipcId)
      assert.deepStrictEqual(
        numbers,
        own.map(({ number }) => number)
      )
    }
  }
})

/** A payment is answered once its books were read, and another before, while those of others are. */
const hasWhatComesMeanwhile = Effect.gen(function* () {
  const late = events.filter(({ change }) => change.id !== "IPC-100" && change.id !== "IPC-3")
  yield* hear([...late, ...["IPC-3", "IPC-100", "IPC-999"].map((id) => paid(id, 5, 900))])
  yield* hear([certified("IPC-3", 6, 901, "5.0000")])
  const store = yield* Store
  const context = yield* Effect.context<Ledger>()
  let pages = 0
  const answer = hear(["IPC-100", "IPC-999"].map((id) => certified(id, 6, 901, "5.0000")))
  const later: Pick<typeof store, "run" | "transaction"> = {
    run: store.run,
    transaction: (body, options) =>
      Effect.suspend(() =>
        pages++ === 1
          ? Effect.andThen(Effect.provideContext(answer, context), store.transaction(body, options))
          : store.transaction(body, options)
      )
  }
  const read = yield* readWhole({ ...store, ...later }, WholeBooks.all)
  assert.isAbove(pages, 2)
  const answered = decisionsIn(read)
  assert.deepStrictEqual(
    answered.map(({ ipc_id, of }) => [ipc_id, of]),
    [
      ["IPC-3", "IPC-3"],
      ["IPC-999", "IPC-999"]
    ]
  )
  const of = read.find(({ ipcId }) => ipcId === "IPC-999")
  assert.strictEqual(of?.facts.at(-1)?.number, answered.at(-1)?.fact)
})

describe("whole books", () => {
  const ledger = Ledger.layerWith(contractor)

  it.effect("have the decisions that come while they are read, in SQLite", () =>
    Effect.flatMap(folder, (path) =>
      Effect.provide(hasWhatComesMeanwhile, Layer.provideMerge(ledger, Sqlite.layerAt(`${path}/store.sqlite`)))
    )
  )

  it.effect("have the decisions that come while they are read, in PostgreSQL", () =>
    Effect.flatMap(database, ({ url }) =>
      Effect.provide(hasWhatComesMeanwhile, Layer.provideMerge(ledger, storesAt(url)))
    )
  )

  it.effect("are read once each, in SQLite", () =>
    Effect.flatMap(folder, (path) =>
      Effect.provide(isReadOnce, Layer.provideMerge(ledger, Sqlite.layerAt(`${path}/store.sqlite`)))
    )
  )

  it.effect("are read once each, in PostgreSQL", () =>
    Effect.flatMap(database, ({ url }) => Effect.provide(isReadOnce, Layer.provideMerge(ledger, storesAt(url))))
  )

  it.effect("are also those of IPCs of which there is an entry and no fact", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(path, hear([...payment("B"), ...payment("D")]))
      const file = opened(path)
      for (const id of ["A", "C", "E"]) {
        file.exec(`create temp table other as select * from ledger_entries where ipc_id = 'B';
          update other set ipc_id = '${id}', entry_id = '${id}', sequence = (select max(sequence) + 1 from ledger_entries);
          insert into ledger_entries select * from other; drop table other`)
      }
      file.close()
      const { differences } = yield* started(path, verified)
      for (const id of ["A", "C", "E"]) {
        assert.include(differences, `IPC ${id}: entry ${id} is in the books, but no fact leads to it.`)
      }
    }).pipe(Effect.scoped)
  )
})

describe("a decision about an IPC of which nothing else is there", () => {
  it.effect("is named", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(path, hear([paid("B", 5, 5), certified("B", 6, 6, "5.0000"), ...payment("D")]))
      const file = opened(path)
      const last = "(select max(number) + 1 from ledger_hold_decisions)"
      // They count from 1, but whoever plants one needn't.
      for (const [id, number] of Object.entries({ A: last, C: "0", E: "-7" })) {
        file.exec(`create temp table other as select * from ledger_hold_decisions where ipc_id = 'B';
          update other set ipc_id = '${id}', number = ${number};
          insert into ledger_hold_decisions select * from other; drop table other`)
      }
      file.close()
      const { differences } = yield* started(path, verified)
      for (const id of ["A", "C", "E"]) assert.include(differences.join("\n"), `IPC ${id}: `)
    }).pipe(Effect.scoped)
  )
})

describe("books that began without links", () => {
  it.effect("are followed from their first fact, and what breaks the chain is named", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(path, hear(payment("A")))
      const early = opened(path)
      early.exec("update ledger_facts set chain = null; update ledger_entries set chain = null")
      early.close()
      yield* started(path, hear(payment("B")))
      const changed = opened(path)
      changed.exec("update ledger_facts set known_at = '2026-11-20T00:00:09.000000Z' where number = 1")
      changed.close()
      const { differences } = yield* started(path, verified)
      assert.match(differences.join("\n"), /^The chain breaks at fact 3: /m)
    }).pipe(Effect.scoped)
  )
})

describe("an entry with another link than its fact", () => {
  it.effect("is named", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(path, hear([...payment("A"), ...payment("B")]))
      const changed = opened(path)
      changed.exec(
        "update ledger_entries set chain = (select max(chain) from ledger_facts where number < 3) where fact = 4"
      )
      changed.close()
      const { differences } = yield* started(path, verified)
      assert.deepStrictEqual(differences, ["Entry 2 isn't linked to its fact, 4."])
    }).pipe(Effect.scoped)
  )
})
