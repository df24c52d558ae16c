/**
 * Entries of an IPC whose earlier entries were posted before there was a sink: they wait until a person says what the
 * accounting system has. And a person's decision about an entry that is under way.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import * as Instant from "../../../src/Domain/Instant.ts"
import { accounts, allDelivered, entryOf, letters, sending, type Services, unsending, until } from "./SinkWorld.ts"
import { certified, folder, hear, payment } from "../Started.ts"

const adjustments = (id: string) => [certified(id, 2, 12, "7.5000"), certified(id, 3, 13, "6.2500")]

/** A was paid before there was a sink, and is adjusted twice now; B comes after that. Returns what was sent of A. */
const adjusted = <A, E>(body: Effect.Effect<A, E, Services>) =>
  Effect.gen(function* () {
    const [path, to] = yield* Effect.all([folder, accounts])
    yield* unsending(path, hear(payment("A")))
    const afterB = Effect.gen(function* () {
      yield* hear([...adjustments("A"), ...payment("B"), ...adjustments("B")])
      yield* until(
        "B is delivered",
        Effect.map(letters, (rows) => rows.filter(({ state }) => state === "delivered").length === 3)
      )
      yield* body
    })
    yield* sending(path, to, {}, afterB)
    return to.posts.filter(({ ipcId }) => ipcId === "A").map(({ body }) => entryOf(body).sequence)
  }).pipe(Effect.scoped)

describe("an adjustment of a payment from before the sink", () => {
  it.live("isn't sent before a person has said what the accounting system has", () =>
    Effect.gen(function* () {
      const sent = yield* adjusted(
        Effect.gen(function* () {
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
            "the next one is delivered without a person",
            Effect.map(letters, (rows) => rows.at(-1)?.state === "delivered")
          )
        })
      )
      assert.deepStrictEqual(sent, [2, 3, 7])
    })
  )

  it.live("follows its payment when a person sends that", () =>
    Effect.gen(function* () {
      const sent = yield* adjusted(
        Effect.gen(function* () {
          const outbox = yield* Outbox
          assert.strictEqual(yield* outbox.send(1), 2)
          yield* until("all are delivered", allDelivered)
          assert.deepInclude(yield* outbox.troubles, { dead: 0, heldBack: 0 })
        })
      )
      assert.deepStrictEqual(sent, [1, 2, 3])
    })
  )
})

describe("a person's decision about an entry that is under way", () => {
  it.live("stays, with any outcome of the attempt", () =>
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
          const [letter] = yield* outbox.next([], 1)
          assert.isDefined(letter)
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
