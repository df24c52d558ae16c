/**
 * The ledger's own sink posts to QuickBooks through a bad network, and is stopped in the middle: afterwards each entry is
 * there once, with its amount. SEED=n repeats a run.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import type { Terms } from "../../../src/Ledger/Fact.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import type { Queueing } from "../../../src/Ledger/Outbox/Messages.ts"
import * as Sink from "../../../src/Ledger/Outbox/Sink.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import type { Store } from "../../../src/Stores/Store.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { allDelivered, history, letters, until } from "../../Ledger/Outbox/SinkWorld.ts"
import { hear } from "../../Ledger/Started.ts"
import { rounds, seed } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"
import type { StandIn, Trouble } from "./StandIn.ts"
import { folder, type Post, within } from "./World.ts"

const terms: Terms = { ...contractor, currency: "EUR", certificates: { standard: "each", payable: [], byProject: {} } }
const quick = { first: Duration.millis(2), longest: Duration.millis(20) }

/** One start of a worker. */
const sending = <A, E>(
  path: string,
  post: Post,
  body: Effect.Effect<A, E, Ledger | Outbox | Store>,
  status: Queueing["status"] = "posted"
) => {
  const ledger = Layer.unwrap(Effect.map(Outbox, (outbox) => Ledger.layerWith(terms, outbox)))
  const layer = Layer.merge(Sink.layerWith({ adapter: { post }, pauses: quick, rests: quick }), ledger).pipe(
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.provideMerge(Outbox.layerWith({ status, keepsDrafts: true })),
    Layer.provideMerge(Sqlite.layerAt(`${path}/store.sqlite`)),
    Layer.provideMerge(Reasons.layer)
  )
  return Effect.scoped(Effect.provide(body, layer, { local: true }))
}

const troubles: ReadonlyArray<Trouble> = [
  "lost",
  "unheard",
  { status: 500, body: "" },
  { status: 429, headers: { "retry-after": "0" }, body: "" }
]

const disturb = (quickBooks: StandIn, ofRound: number): void => {
  const random = seeded(ofRound)
  quickBooks.trouble = ({ what }) => {
    if (random.chance(0.1)) quickBooks.forgetRequests()
    return what !== "POST tokens" && random.chance(0.3) ? random.pick(troubles) : undefined
  }
}

const ipcs = Array.from({ length: 12 }, (_, nth) => `IPC-${nth}`)

describe("the accounting sink", () => {
  it.live.each(Array.from({ length: rounds(2, 20) }, (_, round) => seed + round))(
    "has each entry in QuickBooks once, however bad the network is (SEED=%s)",
    (ofRound) =>
      within(({ quickBooks, started }) =>
        Effect.gen(function* () {
          const dataDir = yield* folder
          disturb(quickBooks, ofRound)
          const unlimited = { requestsPerMinute: 1_000_000 }
          yield* sending(
            dataDir,
            yield* started(unlimited),
            Effect.gen(function* () {
              yield* hear(ipcs.flatMap(history))
              yield* until(
                "some are there",
                Effect.sync(() => quickBooks.entries.length >= 10)
              )
            })
          )
          yield* sending(
            dataDir,
            yield* started(unlimited),
            Effect.gen(function* () {
              yield* until("all are delivered", allDelivered)
              const ids = (yield* letters).map(({ entry_id }) => `SL-${entry_id.slice(0, 18)}`)
              assert.lengthOf(ids, 3 * ipcs.length)
              assert.sameMembers(
                quickBooks.entries.map(({ entry }) => entry.DocNumber),
                ids
              )
            })
          )
          const amounts = quickBooks.entries.map(({ entry }) => entry.Line[0]?.Amount)
          assert.sameMembers(
            amounts,
            ipcs.flatMap(() => ["5.00", "2.50", "1.25"])
          )
        })
      )
  )

  it.live.each(Array.from({ length: rounds(2, 20) }, (_, round) => seed + round))(
    "has drafts in QuickBooks once and in order, whichever a person releases first (SEED=%s)",
    (ofRound) =>
      within(({ quickBooks, started }) =>
        Effect.gen(function* () {
          const dataDir = yield* folder
          disturb(quickBooks, ofRound)
          const random = seeded(ofRound)
          const unlimited = { requestsPerMinute: 1_000_000 }
          const by = { by: "Ada", reason: "reviewed" }
          const releasing = (ids: ReadonlyArray<string | undefined>) =>
            Effect.flatMap(Ledger, ({ release }) => Effect.forEach(ids, (id) => release(id, by)))
          yield* sending(
            dataDir,
            yield* started(unlimited),
            Effect.gen(function* () {
              yield* hear(ipcs.flatMap(history))
              const ids = (yield* letters).map(({ entry_id }) => entry_id)
              yield* releasing(random.shuffle(ids).slice(0, 20))
              yield* until(
                "some are there",
                Effect.sync(() => quickBooks.entries.length >= 3)
              )
            }),
            "draft"
          )
          yield* sending(
            dataDir,
            yield* started(unlimited),
            Effect.gen(function* () {
              const [{ released } = { released: 0 }] = yield* releasing([undefined])
              assert.strictEqual(released, 3 * ipcs.length - 20)
              yield* until("all are delivered", allDelivered)
              const numbers = new Map(
                (yield* letters).map((row) => [`SL-${row.entry_id.slice(0, 18)}`, [row.ipc_id, Number(row.sequence)]])
              )
              const there = quickBooks.entries.map(({ entry }) => numbers.get(entry.DocNumber))
              assert.lengthOf(there, 3 * ipcs.length)
              assert.strictEqual(new Set(there).size, there.length)
              for (const id of ipcs) {
                const own = there.filter((each) => each?.[0] === id).map((each) => Number(each?.[1]))
                assert.deepStrictEqual(
                  own,
                  own.toSorted((a, b) => a - b)
                )
              }
            }),
            "draft"
          )
        })
      )
  )
})
