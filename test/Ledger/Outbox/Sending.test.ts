/**
 * When and how the sender sends: as soon as an entry is committed, many IPCs at a time, one IPC strictly in order.
 */
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import * as Instant from "../../../src/Domain/Instant.ts"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import { Store } from "../../../src/Stores/Store.ts"
import * as Databases from "../../Postgres.ts"
import { database, storesAt } from "../../Stores/Postgres/World.ts"
import {
  accounts,
  allDelivered,
  type Answer,
  entryOf,
  history,
  letters,
  sending,
  taken,
  unsending,
  until
} from "./SinkWorld.ts"
import { certified, folder, hear, payment } from "../Started.ts"
import { machine } from "../../SetClock.ts"

const ids = (count: number) => Array.from({ length: count }, (_, place) => `IPC-${place}`)

describe.skipIf(Databases.skipped !== undefined)("on PostgreSQL", () => {
  it.live("the sender is woken after the commit", () =>
    Effect.gen(function* () {
      const [path, to, own] = yield* Effect.all([folder, accounts, database])
      yield* sending(
        path,
        to,
        // Without news, nothing is looked for.
        { stores: storesAt(own.url), store: (store) => Store.of({ ...store, pollEvery: Duration.infinity }) },
        Effect.gen(function* () {
          const { atomically } = yield* Store
          // A sender that is woken before the commit has time to look, finds nothing, and isn't woken again.
          yield* atomically(Effect.andThen(hear(payment("A")), Effect.sleep("300 millis")))
          yield* until("it is delivered", allDelivered)
        })
      )
      assert.lengthOf(to.posts, 1)
    }).pipe(Effect.scoped)
  )
})

describe("a slow sink", () => {
  it.live("has many IPCs in flight, and one entry of each, in order", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      const many = 70
      const held: Array<(answer: Answer) => void> = []
      let isSlow = true
      let most = 0
      to.answer = () => {
        if (!isSlow) return taken
        const answer = new Promise<Answer>((resolve) => void held.push(resolve))
        most = Math.max(most, held.length)
        return answer
      }
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          yield* hear(ids(many).flatMap(history))
          yield* until(
            "64 are in flight",
            Effect.sync(() => held.length === 64)
          )
          assert.lengthOf(new Set(to.posts.map(({ ipcId }) => ipcId)), 64)
          held.shift()?.(taken)
          yield* until(
            "another one follows",
            Effect.sync(() => to.posts.length === 65)
          )
          isSlow = false
          for (const answer of held) answer(taken)
          yield* until("all are delivered", allDelivered)
        })
      )
      assert.strictEqual(most, 64)
      assert.lengthOf(to.posts, 3 * many)
      for (const posts of Map.groupBy(to.posts, ({ ipcId }) => ipcId).values()) {
        const sequences = posts.map(({ body }) => entryOf(body).sequence)
        assert.deepStrictEqual(
          sequences,
          sequences.toSorted((a, b) => a - b)
        )
      }
    }).pipe(Effect.scoped)
  )
})

describe("the next entry of an IPC", () => {
  it.live("goes after the outcome of the one before is on disk", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      const before: Array<ReadonlyArray<unknown>> = []
      to.answer = ({ ipcId, key }) => {
        // On disk: what another connection reads.
        const file = new DatabaseSync(`${path}/store.sqlite`, { readOnly: true })
        const earlier = file.prepare(
          `select o.state from ledger_outbox o join ledger_outbox own on own.entry_id = ?
           where o.ipc_id = ? and o.sequence < own.sequence order by o.sequence`
        )
        before.push(earlier.all(key, ipcId).map(({ state }) => state))
        file.close()
        return taken
      }
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          yield* hear(ids(5).flatMap(history))
          yield* until("all are delivered", allDelivered)
        })
      )
      const expected = [[], ["delivered"], ["delivered", "delivered"]]
      assert.sameDeepMembers(
        before,
        ids(5).flatMap(() => expected)
      )
    }).pipe(Effect.scoped)
  )
})

const engines = [
  { name: "SQLite", isSkipped: false, stores: Effect.succeed({}) },
  {
    name: "PostgreSQL",
    isSkipped: Databases.skipped !== undefined,
    stores: Effect.map(database, ({ url }) => ({ stores: storesAt(url) }))
  }
]

describe.each(engines)("the outbox in $name", ({ isSkipped, stores }) => {
  it.live.skipIf(isSkipped)("finds the first entries of other IPCs behind very many of one", () =>
    Effect.gen(function* () {
      const [path, to, on] = yield* Effect.all([folder, accounts, stores])
      to.answer = () => "silence"
      yield* sending(
        path,
        to,
        on,
        Effect.gen(function* () {
          const corrections = Array.from({ length: 300 }, (_, n) => certified("MANY", 2 + n / 200, 12, `${6 + n}.0000`))
          yield* hear([...payment("MANY"), ...corrections, ...payment("B"), ...payment("C")])
          assert.lengthOf(yield* letters, 303)
          const { next } = yield* Outbox
          const ipcs = (inHand: ReadonlyArray<string>, most: number) =>
            Effect.map(next(inHand, most), (found) => found.map(({ entry }) => entry.ipc_id))
          assert.deepStrictEqual(yield* ipcs([], 3), ["MANY", "B", "C"])
          assert.deepStrictEqual(yield* ipcs([], 1), ["MANY"])
          assert.deepStrictEqual(yield* ipcs(["MANY", "C"], 3), ["B"])
          assert.deepStrictEqual(yield* ipcs(["MANY", "B", "C"], 3), [])
        })
      )
    }).pipe(Effect.scoped)
  )
})

describe("a clock that was a day ahead", () => {
  it.live("and is set back doesn't keep entries from being sent", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      to.answer = () => ({ status: 503 })
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          yield* hear(["new", "tried"].flatMap((id) => payment(id)))
          yield* until(
            "the sink is found unavailable",
            Effect.sync(() => to.posts.length > 0)
          )
        })
      )
      yield* unsending(
        path,
        Effect.gen(function* () {
          const { run } = yield* Store
          const next_attempt_at = Instant.fromMillis((yield* Clock.currentTimeMillis) + 86_400_000)
          yield* run((db) => db.updateTable("ledger_outbox").set({ next_attempt_at, attempts: 1 }).execute())
          yield* run((db) => db.updateTable("ledger_outbox").set({ attempts: 0 }).where("ipc_id", "=", "new").execute())
        })
      )
      to.answer = () => taken
      to.posts.length = 0
      yield* sending(path, to, {}, until("all are delivered", allDelivered))
      assert.sameMembers(
        to.posts.map(({ ipcId }) => ipcId),
        ["new", "tried"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("and is set back doesn't keep a sink that was unavailable waiting", () =>
    Effect.gen(function* () {
      const [path, to, on] = yield* Effect.all([folder, accounts, machine])
      to.answer = () => ({ status: 503 })
      on.jump(86_400_000)
      const body = Effect.gen(function* () {
        yield* hear(payment("A"))
        yield* until(
          "the sink is found unavailable",
          Effect.sync(() => to.posts.length > 6)
        )
        on.jump(-86_400_000)
        to.answer = () => taken
        yield* until("it is delivered", allDelivered)
      })
      yield* on.on(sending(path, to, {}, body))
    }).pipe(Effect.scoped)
  )
})
