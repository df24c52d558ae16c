/**
 * From the books to an accounting system over real HTTP: each entry once by its key, in order, however the sink fails.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { Store } from "../../../src/Stores/Store.ts"
import { seeded } from "../../Seeded.ts"
import {
  type Accounts,
  accounts,
  allDelivered,
  type Answer,
  entryOf,
  history,
  letters,
  sending,
  taken,
  until
} from "./SinkWorld.ts"
import { folder, hear, journal } from "../Started.ts"

/** One key has one body, and the sink first took each IPC's entries in the order of the journal. */
const assertOncePerKey = (to: Accounts, tookAt: ReadonlyArray<number>) => {
  const bodies = new Map<string, string>()
  for (const { body, key } of to.posts) assert.strictEqual(bodies.get(key) ?? String(body), String(body))
  for (const { body, key } of to.posts) bodies.set(key, String(body))
  const order = new Map<string, Array<number>>()
  const seen = new Set<string>()
  for (const number of tookAt) {
    const posted = to.posts[number - 1]
    if (posted === undefined || seen.has(posted.key)) continue
    seen.add(posted.key)
    order.set(posted.ipcId, [...(order.get(posted.ipcId) ?? []), entryOf(posted.body).sequence])
  }
  for (const sequences of order.values()) {
    assert.deepStrictEqual(
      sequences,
      sequences.toSorted((a, b) => a - b)
    )
  }
  return seen
}

describe("the accounting sink", () => {
  it.live("gets each entry once by its key, in order, while it fails every other request and is down for a while", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      const random = seeded(11)
      const ids = Array.from({ length: 20 }, (_, index) => `IPC-${index}`)
      const tookAt: Array<number> = []
      to.answer = (_, number): Answer => {
        if (number % 2 === 0) return random.pick<Answer>([{ status: 503 }, { status: 429 }, "hang-up"])
        tookAt.push(number)
        // It has the entry, but the answer is lost.
        return random.chance(0.2) ? "hang-up" : taken
      }
      const entries = yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          yield* hear(random.shuffle(ids.slice(0, 10)).flatMap(history))
          yield* until(
            "some are through",
            Effect.map(letters, (rows) => rows.some(({ state }) => state === "delivered"))
          )
          yield* Effect.promise(() => to.close())
          yield* hear(ids.slice(10).flatMap(history))
          yield* until(
            "the refused connection is noted",
            Effect.map(letters, (rows) => rows.some((row) => row.last_error?.includes("(ECONNREFUSED)") === true))
          )
          yield* Effect.promise(() => to.open())
          yield* until("all are delivered", allDelivered)
          return yield* journal
        })
      )
      assert.lengthOf(entries, 60)
      const seen = assertOncePerKey(to, tookAt)
      assert.deepStrictEqual([...seen].toSorted(), entries.map((entry) => entry.entry_id).toSorted(), "seed 11")
    }).pipe(Effect.scoped)
  )

  it.live("gets an entry again under its key when the worker dies before noting the answer", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      const dead = yield* Deferred.make<void>()
      let isDying = false
      to.answer = () => {
        isDying = true
        return taken
      }
      const dying = (store: Store["Service"]): Store["Service"] =>
        Store.of({
          ...store,
          run: (query) =>
            Effect.suspend(() =>
              isDying ? Effect.andThen(Deferred.succeed(dead, undefined), Effect.never) : store.run(query)
            )
        })
      const first = sending(path, to, { store: dying }, Effect.andThen(hear(history("A")), Effect.never))
      const fiber = yield* Effect.forkChild(first)
      yield* Deferred.await(dead)
      yield* Fiber.interrupt(fiber)
      assert.lengthOf(to.posts, 1)
      // One key has one body, even if the configuration has changed.
      yield* sending(path, to, { status: "posted" }, until("all are delivered", allDelivered))
      assert.deepStrictEqual(
        to.posts.map(({ body }) => entryOf(body).sequence),
        [1, 1, 2, 3]
      )
      assert.deepStrictEqual(to.posts[1]?.body, to.posts[0]?.body)
      assert.strictEqual(to.posts[1]?.headers["x-siteledger-signature"], to.posts[0]?.headers["x-siteledger-signature"])
    }).pipe(Effect.scoped)
  )

  it.live("gets an adjustment after its payment, and a stuck IPC delays no other", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      const ids = ["STUCK", "A", "B", "C"]
      let isStuck = true
      to.answer = ({ ipcId }) => (isStuck && ipcId === "STUCK" ? { status: 500 } : taken)
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          yield* hear(ids.flatMap((id) => history(id).slice(0, 2)))
          yield* until(
            "the payment is stuck",
            Effect.map(letters, ([stuck]) => (stuck?.attempts ?? 0) > 2)
          )
          // While the payment waits out a pause.
          yield* hear(ids.flatMap((id) => history(id).slice(2)))
          const done = Effect.map(letters, (rows) => rows.filter(({ state }) => state === "delivered").length === 9)
          yield* until("the others are through", done)
          const stuck = to.posts.filter(({ ipcId }) => ipcId === "STUCK")
          assert.deepStrictEqual([...new Set(stuck.map(({ body }) => entryOf(body).kind))], ["payment"])
          isStuck = false
          yield* until("all are delivered", allDelivered)
        })
      )
      const sequences = to.posts.flatMap(({ body, ipcId }) => (ipcId === "STUCK" ? [entryOf(body).sequence] : []))
      assert.deepStrictEqual([...new Set(sequences)], [1, 5, 6])
    }).pipe(Effect.scoped)
  )

  it.live("is given up on after its patience, and gets other IPCs' entries meanwhile", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      to.answer = ({ ipcId }) => (ipcId === "SLOW" ? "silence" : taken)
      yield* sending(
        path,
        to,
        { patience: Duration.millis(300) },
        Effect.gen(function* () {
          yield* hear(["SLOW", "A"].flatMap(history))
          yield* until(
            "the slow one is given up for now",
            Effect.map(
              letters,
              ([slow]) => slow?.last_error === "The accounting sink gave no answer within 0.3 seconds."
            )
          )
          yield* until(
            "the others' are delivered",
            Effect.map(letters, (all) => all.slice(3).every(({ state }) => state === "delivered"))
          )
          assert.deepStrictEqual(
            (yield* letters).slice(3).map(({ ipc_id }) => ipc_id),
            ["A", "A", "A"]
          )
        })
      )
    }).pipe(Effect.scoped)
  )
})
