/** What the quarantine shows a person, on both engines: every reason with its remedy, and its rows a page at a time. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import { quarantine, quarantineExport } from "../../src/Operate/Quarantine.ts"
import { toDoOf } from "../../src/Operate/Quarantine/ToDo.ts"
import { Store } from "../../src/Stores/Store.ts"
import { delivery } from "../Stores/Postgres/World.ts"
import { engines } from "../Stores/StoreEngines.ts"

const reasonOf = (place: number): string => (place % 3 === 0 ? "no-key" : "unknown-type")

const sequencesOf = ({ rows }: { readonly rows: ReadonlyArray<{ readonly sequence: number }> }) =>
  rows.map(({ sequence }) => sequence)

describe.each(engines)("the quarantine in $name", ({ isSkipped, place }) => {
  const test = <E>(fact: string, body: Effect.Effect<void, E, Store>) =>
    it.live.skipIf(isSkipped)(fact, () =>
      Effect.scoped(Effect.flatMap(place, ({ layer }) => Effect.provide(body, layer)))
    )

  /** Deliveries 1 to `count`, of which every other one is in quarantine. */
  const keep = Effect.fnUntraced(function* (count: number) {
    const store = yield* Store
    const bodies = Array.from({ length: count }, (_, index) =>
      delivery(`body ${index + 1}`, { eventId: `e${index + 1}` })
    )
    yield* Effect.promise(() => store.deliveries.receive(bodies))
    const sequences = Array.from({ length: count }, (_, index) => index + 1).filter((number) => number % 2 === 1)
    const rows = sequences.map((sequence) => ({ sequence, reason: reasonOf(sequence), event_type: "ipc.paid" }))
    yield* store.transaction((tx) => tx.insertInto("quarantine").values(rows).execute())
    return sequences
  })

  test(
    "is empty, and says so",
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* quarantine({}), { total: 0, reasons: [], rows: [] })
    })
  )

  test(
    "is handed out whole, in parts of no more bytes than fit, each delivery once and byte for byte, without what is lost",
    Effect.gen(function* () {
      const store = yield* Store
      const large = "x".repeat(1_500_000)
      const bodies = [large, `${large}y`, `${large}z`, Buffer.from([0xff, 0x00, 0x7b]), large.replace("x", "a"), "{}"]
      yield* Effect.promise(() =>
        store.deliveries.receive(bodies.map((body, at) => ({ ...delivery(body), eventId: `e${at + 1}` })))
      )
      const rows = [1, 2, 3, 4, 6, 9].map((sequence) => ({ sequence, reason: reasonOf(sequence), event_type: null }))
      yield* store.transaction((tx) => tx.insertInto("quarantine").values(rows).execute())
      const parts: Array<Answer<"quarantine-export">> = []
      for (let after: number | null = 0; after !== null;) {
        const part: Answer<"quarantine-export"> = yield* quarantineExport({ after })
        parts.push(part)
        after = part.next
      }
      const all = parts.flatMap(({ deliveries }) => deliveries)
      assert.deepStrictEqual(sequencesOf({ rows: all }), [1, 2, 3, 4, 6])
      assert.isAtLeast(parts.length, 2)
      for (const { body, bodyBase64, sequence } of all) {
        const stored = Buffer.from(bodies[sequence - 1]!)
        assert.isTrue(Buffer.from(bodyBase64, "base64").equals(stored))
        assert.strictEqual(body, sequence === 4 ? null : stored.toString())
      }
      assert.deepStrictEqual(sequencesOf({ rows: (yield* quarantineExport({ reason: "no-key" })).deliveries }), [3, 6])
    })
  )

  test(
    "comes in pages, in stored order, each delivery once, of one reason or of all",
    Effect.gen(function* () {
      const sequences = yield* keep(61)
      for (const reason of [undefined, "no-key", "unknown-type"]) {
        const wanted = reason === undefined ? {} : { reason }
        const expected = sequences.filter((number) => (reason ?? reasonOf(number)) === reasonOf(number))
        const paged: Array<number> = []
        let after = 0
        while (paged.length <= expected.length) {
          const page = yield* quarantine({ ...wanted, after, limit: 4 })
          assert.strictEqual(page.total, expected.length)
          assert.deepStrictEqual(
            page.reasons.map(({ count, reason: of, toDo }) => [of, count, toDo === toDoOf(of)]),
            [
              ["no-key", 10, true],
              ["unknown-type", 21, true]
            ]
          )
          if (page.rows.length === 0) break
          paged.push(...sequencesOf(page))
          after = paged.at(-1) ?? 0
        }
        assert.deepStrictEqual(paged, expected)
      }
      const [first] = (yield* quarantine({ reason: "no-key" })).rows
      assert.deepStrictEqual(first, {
        sequence: 3,
        event_id: "e3",
        received_at: "2026-11-20T02:00:00.000000Z",
        event_type: "ipc.paid",
        reason: "no-key",
        due_at: null
      })
    })
  )

  test(
    "shows also what a damaged disk has lost, and reads large deliveries in parts",
    Effect.gen(function* () {
      const store = yield* Store
      const large = [1, 2, 3].map((number) => delivery(Buffer.alloc(3_000_000, number), { eventId: `large ${number}` }))
      for (const each of large) yield* Effect.promise(() => store.deliveries.receive([each]))
      yield* store.transaction((tx) =>
        tx
          .insertInto("quarantine")
          .values([1, 2, 3, 99].map((sequence) => ({ sequence, reason: "too-large" })))
          .execute()
      )
      const { rows } = yield* quarantine({})
      assert.deepStrictEqual(
        rows.map(({ event_id: id }) => id),
        ["large 1", "large 2", "large 3", null]
      )
    })
  )
})

describe("what makes a delivery readable", () => {
  it("is said for each reason, and for one that only a newer version knows", () => {
    for (const reason of ["no-key", "label-only", "not-json", "event-time-ahead"]) {
      assert.match(toDoOf(reason), /^[A-Z].*\.$/)
      assert.notStrictEqual(toDoOf(reason), toDoOf("of-another-version"))
    }
    assert.match(toDoOf("constructor"), /newest version/)
  })
})
