/**
 * Entries that a sink refuses, and entries that wait for them: dead letters with their reason, replayed or settled by a
 * person; a Retry-After that is obeyed; and catching up when the sink is available again.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as Instant from "../../../src/Domain/Instant.ts"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import { accounts, allDelivered, letters, secret, sending, taken, until } from "./SinkWorld.ts"
import { certified, folder, hear, payment } from "../Started.ts"

const adjustment = (id: string) => [certified(id, 2, 12, "7.5000")]
const hourly = { first: Duration.hours(1), longest: Duration.days(1) }

const deadLetters = Effect.flatMap(Outbox, (outbox) => outbox.dead)
const oneIsDead = Effect.map(deadLetters, (dead) => dead.length === 1)

describe("an entry that the sink refuses", () => {
  it.live("is a dead letter after five attempts, with the answer for a bookkeeper, and keeps its IPC waiting", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      const text = `<h1>Period\u001B[31m closed</h1>\r\n(key ${secret})\n${"x".repeat(2000)}`
      to.answer = ({ ipcId }) => (ipcId === "A" ? { status: 422, text } : taken)
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          yield* hear([...payment("A"), ...adjustment("A"), ...payment("B")])
          yield* until("it is a dead letter", oneIsDead)
          const [dead] = yield* deadLetters
          assert.deepInclude(dead, { ipcId: "A", sequence: 1, attempts: 5, waitingBehind: 1 })
          const reason = dead?.reason ?? ""
          assert.match(reason, /^The accounting sink refused the entry \(422\): <h1>Period \[31m closed<\/h1> \(key \[/)
          assert.isBelow(reason.length, 600)
          assert.notInclude(reason, secret)
          const outbox = yield* Outbox
          yield* until(
            "B is through",
            Effect.map(letters, (rows) => rows[2]?.state === "delivered")
          )
          assert.deepInclude(yield* outbox.status, { backlog: 1, dead: 1 })
          assert.deepInclude(yield* outbox.troubles, { dead: 1, oldest: undefined })
          assert.lengthOf(
            to.posts.filter(({ ipcId }) => ipcId === "A"),
            5
          )
          assert.strictEqual(yield* outbox.replay(dead?.entryId), 1)
          yield* until(
            "it was sent five more times",
            Effect.map(deadLetters, ([again]) => again?.attempts === 5)
          )
          assert.lengthOf(
            to.posts.filter(({ ipcId }) => ipcId === "A"),
            10
          )
          to.answer = () => taken
          assert.match((yield* Effect.flip(outbox.replay("zz"))).message, /No entry zz/)
          assert.match((yield* Effect.flip(outbox.replay(""))).message, /^Several entries begin with/)
          assert.strictEqual(yield* outbox.replay(dead?.entryId.slice(0, 8)), 1)
          yield* until("all are delivered", allDelivered)
        })
      )
      assert.strictEqual(new Set(to.posts.map(({ key }) => key)).size, 3)
    }).pipe(Effect.scoped)
  )

  it.live("is settled when a person says that the accounting system has it, and what waited behind it goes", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      to.answer = (_, number) => (number <= 5 ? { status: 400 } : taken)
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          const outbox = yield* Outbox
          yield* hear([...payment("A"), ...adjustment("A")])
          yield* until("it is a dead letter", oneIsDead)
          const [dead] = yield* deadLetters
          assert.strictEqual(dead?.reason, "The accounting sink refused the entry (400) and gave no reason.")
          const entry = dead?.entryId ?? ""
          assert.match((yield* Effect.flip(outbox.settle(entry, "Ada", " "))).message, /--reason/)
          yield* outbox.settle(entry, "Ada", "booked by hand")
          yield* until("all are delivered", allDelivered)
          const [settled] = yield* letters
          assert.strictEqual(settled?.last_error, "Settled by Ada: booked by hand")
        })
      )
      assert.strictEqual(to.posts.filter(({ key }) => key === to.posts[0]?.key).length, 5)
    }).pipe(Effect.scoped)
  )

  it.live("with a 409 counts as delivered only if the answer names the entry", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      to.answer = ({ ipcId, key }) => ({
        status: 409,
        text: ipcId === "KNOWN" ? JSON.stringify({ error: "duplicate", entry_id: key }) : '{"entry_id":"another"}'
      })
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          yield* hear([...payment("KNOWN"), ...payment("CONFLICT")])
          yield* until("one is a dead letter", oneIsDead)
          assert.deepStrictEqual(
            (yield* letters).map(({ ipc_id, state }) => [ipc_id, state]),
            [
              ["KNOWN", "delivered"],
              ["CONFLICT", "dead"]
            ]
          )
        })
      )
    }).pipe(Effect.scoped)
  )
})

describe("an unavailable sink", () => {
  it.live("is left alone for as long as it asks", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      to.answer = ({ ipcId }) => (ipcId === "A" ? { status: 429, headers: { "retry-after": "7200" } } : taken)
      yield* sending(
        path,
        to,
        { pauses: hourly },
        Effect.gen(function* () {
          const before = Instant.fromMillis(Date.now() + 7_200_000)
          yield* hear([...payment("A"), ...payment("B")])
          yield* until(
            "both were tried",
            Effect.map(letters, (rows) => rows.every(({ attempts }) => attempts === 1))
          )
          const [postponed] = yield* letters
          assert.isAtLeast(postponed?.next_attempt_at.localeCompare(before) ?? -1, 0)
          assert.strictEqual(
            postponed?.last_error,
            "The accounting sink can't take entries for now (429) and gave no reason."
          )
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("gets everything at once when it is available again, however long the pauses had become", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      let isAvailable = false
      to.answer = ({ ipcId }) => (isAvailable && ipcId !== "REFUSED" ? taken : { status: isAvailable ? 400 : 503 })
      const ids = Array.from({ length: 12 }, (_, index) => `IPC-${index}`)
      yield* sending(
        path,
        to,
        { pauses: hourly },
        Effect.gen(function* () {
          yield* hear(ids.flatMap(payment))
          yield* until(
            "it was tried again and again",
            Effect.sync(() => to.posts.length > 20)
          )
          isAvailable = true
          yield* until("all are delivered", allDelivered)
          yield* hear(payment("REFUSED"))
          yield* until(
            "one is refused",
            Effect.map(letters, (rows) => rows.at(-1)?.refusals === 1)
          )
          const outbox = yield* Outbox
          yield* outbox.hurry
          const refused = (yield* letters).at(-1)
          assert.isAbove(refused?.next_attempt_at.localeCompare(Instant.fromMillis(Date.now())) ?? 0, 0)
        })
      )
    }).pipe(Effect.scoped)
  )
})
