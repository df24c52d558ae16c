/**
 * Entries that the accounting system may have, but doesn't show yet: they let others go first, say why they wait, and
 * don't count as failures of the system.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import type { Adapter } from "../../../src/Ledger/Outbox/Adapter.ts"
import { accounts, allDelivered, letters, sending, taken, until } from "./SinkWorld.ts"
import { folder, hear, payment } from "../Started.ts"

const why = "It may show yet."

/** `mayShow`: whether it is so for an IPC now. */
const hiding =
  (mayShow: (ipcId: string) => boolean, forMs: number) =>
  ({ post }: Adapter): Adapter => ({
    post: (message) =>
      mayShow(message.entry.ipc_id) ? Effect.succeed({ _tag: "Waits", reason: why, forMs }) : post(message)
  })

const states = Effect.map(letters, (rows) => new Map(rows.map(({ ipc_id, state }) => [ipc_id, state])))

describe("entries that may show yet", () => {
  it.live("give their places to others, say why they wait, and are tried again", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      const hidden = Array.from({ length: 64 }, (_, place) => `IPC-${place}`)
      let areHidden = true
      const adapter = hiding((ipcId) => areHidden && hidden.includes(ipcId), 20)
      yield* sending(
        path,
        to,
        { adapter },
        Effect.gen(function* () {
          yield* hear([...hidden, "other"].flatMap((id) => payment(id)))
          yield* until(
            "the other one is delivered",
            Effect.map(states, (all) => all.get("other") === "delivered")
          )
          const [first] = yield* letters
          assert.deepInclude(first, { ipc_id: "IPC-0", state: "pending", last_error: why, refusals: 0 })
          assert.lengthOf(to.posts, 1)
          areHidden = false
          yield* until("all are delivered", allDelivered)
        })
      )
      assert.lengthOf(to.posts, 65)
    }).pipe(Effect.scoped)
  )

  it.live("show that a system which took nothing answers again", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      const ids = Array.from({ length: 5 }, (_, place) => `IPC-${place}`)
      to.answer = () => ({ status: 503 })
      const asked: Array<string> = []
      let areHidden = false
      const adapter = hiding((ipcId) => {
        const isHidden = areHidden && ipcId !== "another"
        if (isHidden) asked.push(ipcId)
        return isHidden
      }, 3_600_000)
      yield* sending(
        path,
        to,
        // None is tried again for its own sake.
        { adapter, pauses: { first: Duration.hours(1), longest: Duration.days(1) } },
        Effect.gen(function* () {
          yield* hear(ids.flatMap((id) => payment(id)))
          yield* until(
            "each was tried",
            Effect.map(letters, (rows) => rows.length === ids.length && rows.every(({ attempts }) => attempts > 0))
          )
          areHidden = true
          // One that was already on its way is refused; the system would take it otherwise.
          yield* until(
            "one is looked for",
            Effect.sync(() => asked.length > 0)
          )
          to.answer = () => taken
          yield* until(
            "each is looked for",
            Effect.map(letters, (rows) => rows.every(({ last_error: error }) => error === why))
          )
          yield* hear(payment("another"))
          yield* until(
            "another one is delivered",
            Effect.map(states, (all) => all.get("another") === "delivered")
          )
          // The system isn't asked for them without a pause, as one that takes nothing is.
          assert.isAtMost(asked.length, 2 * ids.length)
          assert.deepInclude(yield* (yield* Outbox).status, { backlog: ids.length, dead: 0 })
        })
      )
    }).pipe(Effect.scoped)
  )
})
