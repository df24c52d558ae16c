/**
 * The journal by posting date, from each engine's Store: every entry once, in order, within a range, as of one moment.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JournalEntry, Range } from "../../../src/Ledger/Files/JournalEntry.ts"
import * as PostingDays from "../../../src/Ledger/Files/PostingDays.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { seeded } from "../../Seeded.ts"
import { engines } from "../../Stores/StoreEngines.ts"
import * as Journals from "./Journals.ts"

const keep = (rows: ReadonlyArray<Journals.Row>) =>
  Effect.flatMap(Store, (store) =>
    store.transaction(async (tx) => {
      const known_at = "2026-01-01T00:00:00.000000Z"
      const fact = { number: 1, ipc_id: "1", kind: "terms", known_at, content: "{}", chain: null }
      await tx
        .insertInto("ledger_facts")
        .values(fact)
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      const rest = {
        part: "",
        basis: "[]",
        fact: 1,
        event_id: null,
        reverses: null,
        certified_as: null,
        queued: null,
        chain: null
      }
      for (let from = 0; from < rows.length; from += 500) {
        const some = rows.slice(from, from + 500).map((row, index) => ({
          ...row,
          ...rest,
          entry_id: (from + index + row.sequence * 10_000).toString(16).padStart(32, "0"),
          ipc_id: `${row.sequence}`,
          // What no Store holds.
          kind: "adjustment" as const,
          payment_reference: row.payment_reference.replace("\uD834", ""),
          certificate_url: null
        }))
        await tx.insertInto("ledger_entries").values(some).execute()
      }
    })
  )

const readAll = (range: Range) =>
  Effect.gen(function* () {
    const found: Array<JournalEntry> = []
    for (const { day, first, last } of yield* PostingDays.days(range)) {
      let after = first - 1
      while (after < last) {
        const some = yield* PostingDays.entriesOf({ day, after, last }, Journals.chart())
        found.push(...some)
        after = some.at(-1)?.sequence ?? assert.fail(`nothing of ${day} after ${after}`)
      }
    }
    return found
  })

const places = (entries: ReadonlyArray<{ readonly date: string; readonly sequence: number }>) =>
  entries.map(({ date, sequence }) => `${date} ${sequence}`)

const expected = (rows: ReadonlyArray<Journals.Row>) =>
  Journals.inOrder(rows).map(({ effective_at, sequence }) => `${effective_at.slice(0, 10)} ${sequence}`)

describe.each(engines)("the journal by posting dates in $name", ({ isSkipped, place }) => {
  const test = <E>(fact: string, body: Effect.Effect<void, E, Store>) =>
    it.live.skipIf(isSkipped)(fact, () =>
      Effect.scoped(Effect.flatMap(place, ({ layer }) => Effect.provide(body, layer)))
    )

  test(
    "has every entry once, those of the first version too, and more of a day than one part holds",
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* PostingDays.days({}), [])
      const some = Journals.rows(seeded(1), { count: 2500 })
      const rows = some.map((row, index) =>
        index % 2 === 0
          ? row
          : { ...row, effective_at: "2026-02-28T23:59:59.999999Z", posting_date: row.posting_date && "2026-02-28" }
      )
      yield* keep(rows)
      const found = yield* readAll({})
      assert.deepStrictEqual(places(found), expected(rows))
      const days = yield* PostingDays.days({})
      assert.strictEqual(
        days.reduce((sum, { entries }) => sum + entries, 0),
        rows.length
      )
      for (const [from, to] of [
        ["2026-02-28", "2026-02-28"],
        ["2026-01-12", "2026-02-15"],
        ["2027-01-01", "2027-01-31"]
      ] as const) {
        const within = rows.filter(
          ({ effective_at }) => effective_at.slice(0, 10) >= from && effective_at.slice(0, 10) <= to
        )
        assert.deepStrictEqual(places(yield* readAll({ from, to })), expected(within))
      }
      const [entry] = found
      const row = rows.find(({ sequence }) => sequence === entry?.sequence) ?? assert.fail()
      const long = rows.find(({ lines }) => lines !== null)
      for (const each of [row, long ?? assert.fail()]) {
        const laid = found.find(({ sequence }) => sequence === each.sequence)
        assert.deepStrictEqual(
          laid?.lines.map(({ account, amount }) => ({ account, units: Journals.unitsOf(amount) })),
          Journals.linesOf(each)
        )
      }
      assert.deepInclude(entry, {
        currency: row.currency,
        reference: row.payment_reference,
        project: row.project_id
      })
    })
  )

  test(
    "leaves out what is posted while it is read",
    Effect.gen(function* () {
      const rows = Journals.rows(seeded(2), { count: 30 })
      yield* keep(rows.slice(0, 20))
      const days = yield* PostingDays.days({})
      yield* keep(rows.slice(20))
      const found = yield* Effect.forEach(days, ({ day, first, last }) =>
        PostingDays.entriesOf({ day, after: first - 1, last }, Journals.chart())
      )
      assert.deepStrictEqual(places(found.flat()), expected(rows.slice(0, 20)))
    })
  )
})
