/**
 * Entries of an IPC whose earlier ones the accounting system was never sent, as there was no sink then: they wait until
 * a person has said what it has. And what a person says about an entry that is under way.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import * as Instant from "../../../src/Domain/Instant.ts"
import { accounts, allDelivered, entryOf, letters, sending, unsending, until } from "./SinkWorld.ts"
import { certified, folder, hear, paid } from "../Started.ts"

const payment = (id: string) => [certified(id, 1, 10, "5.0000"), paid(id, 5, 11)]
const adjustments = (id: string) => [certified(id, 2, 12, "7.5000"), certified(id, 3, 13, "6.2500")]

/** A was paid while there was no sink, and is adjusted twice now that there is one; B comes after that. */
const adjusted = Effect.gen(function* () {
  yield* hear([...adjustments("A"), ...payment("B"), ...adjustments("B")])
  yield* until(
    "B is through",
    Effect.map(letters, (rows) => rows.filter(({ state }) => state === "delivered").length === 3)
  )
})

describe("an adjustment of a payment from before the sink", () => {
  it.live("isn't sent before a person has said what the accounting system has", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      yield* unsending(path, hear(payment("A")))
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          yield* adjusted
          const outbox = yield* Outbox
          const [held, ...others] = yield* outbox.dead
          assert.deepStrictEqual(others, [])
          assert.deepInclude(held, { ipcId: "A", sequence: 2, attempts: 0, waitingBehind: 1 })
          assert.match(
            held?.reason ?? "",
            /^Held back: entry 1 of the same IPC was posted while no accounting sink .*replay this one; if not, send both/
          )
          assert.deepInclude(yield* outbox.troubles, { dead: 0, heldBack: 1 })
          assert.strictEqual(yield* outbox.replay(held?.entryId), 1)
          yield* until("all are delivered", allDelivered)
          yield* hear([certified("A", 4, 14, "9.0000")])
          yield* until(
            "the next one needs nobody",
            Effect.map(letters, (rows) => rows.at(-1)?.state === "delivered")
          )
        })
      )
      const sent = to.posts.filter(({ ipcId }) => ipcId === "A").map(({ body }) => entryOf(body).sequence)
      assert.deepStrictEqual(sent, [2, 3, 7])
    }).pipe(Effect.scoped)
  )

  it.live("follows its payment when a person sends that", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      yield* unsending(path, hear(payment("A")))
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          yield* adjusted
          const outbox = yield* Outbox
          assert.strictEqual(yield* outbox.send(1), 2)
          yield* until("all are delivered", allDelivered)
          assert.deepInclude(yield* outbox.troubles, { dead: 0, heldBack: 0 })
        })
      )
      const sent = to.posts.filter(({ ipcId }) => ipcId === "A").map(({ body }) => entryOf(body).sequence)
      assert.deepStrictEqual(sent, [1, 2, 3])
    }).pipe(Effect.scoped)
  )
})

describe("what a person says about an entry that is under way", () => {
  it.live("stands, whatever comes of the attempt", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      to.answer = () => "silence"
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          const outbox = yield* Outbox
          yield* hear([...payment("A"), ...adjustments("A")])
          const letter = (yield* outbox.next([]))!
          yield* outbox.settle(letter.entry.entry_id, "Ada", "booked by hand")
          const settled = yield* letters
          const failure = { reason: "no answer", isRefused: false, againAt: Instant.fromMillis(Date.now() + 3_600_000) }
          yield* outbox.postponed(letter, failure)
          yield* outbox.postponed(letter, { ...failure, isRefused: true, againAt: undefined })
          yield* outbox.delivered(letter)
          assert.deepStrictEqual(yield* letters, settled)
          assert.deepInclude(settled[0], { state: "delivered", last_error: "Settled by Ada: booked by hand" })
        })
      )
    }).pipe(Effect.scoped)
  )
})
