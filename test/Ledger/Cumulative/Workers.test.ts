/** Several workers on one PostgreSQL hear of the same events at the same time: the books are those of one. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer } from "effect"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { patience, rounds } from "../../Long.ts"
import * as Databases from "../../Postgres.ts"
import { seeded } from "../../Seeded.ts"
import { database, storesAt } from "../../Stores/Postgres/World.ts"
import { at, hear } from "../Started.ts"
import { eventsOf, isAsExpected, lives } from "./Lives.ts"
import { terms } from "./Projects.ts"

const count = 3

const worker = (url: string) => Layer.build(Layer.fresh(Layer.provideMerge(Ledger.layerWith(terms), storesAt(url))))

/** Of each event, what was learned of each IPC by itself. */
const learned = Effect.flatMap(Store, (store) =>
  Effect.map(
    store.run((db) => db.selectFrom("ledger_facts").selectAll().where("kind", "<>", "preceding").execute()),
    (rows) => rows.map(({ content, ipc_id, kind }) => `${kind} of ${ipc_id} by ${eventOf(content)}`)
  )
)

const eventOf = (content: string): string => (JSON.parse(content) as { readonly eventId: string }).eventId

/** Each worker hears of all events, in an order of its own. */
const together = (seed: number) =>
  Effect.gen(function* () {
    const random = seeded(seed)
    const { url } = yield* database
    const workers = yield* Effect.replicateEffect(worker(url), count)
    const all = lives(random)
    const events = all
      .flatMap((life) => eventsOf(life, random))
      .map((event, n) => ({ ...event, receivedAt: at(1000 + n) }))
    const plans = workers.map((context) => {
      const own = random.shuffle(events)
      const batches = Array.from({ length: Math.ceil(own.length / 2) }, (_, n) => own.slice(2 * n, 2 * n + 2))
      return Effect.provide(Effect.forEach(batches, hear, { discard: true }), context)
    })
    yield* Effect.all(plans, { concurrency: "unbounded" })
    yield* Effect.provide(isAsExpected(all), workers[0]!)
    const facts = yield* Effect.provide(learned, workers[0]!)
    assert.deepStrictEqual(facts, [...new Set(facts)])
  })

describe.skipIf(Databases.skipped !== undefined)("several workers", () => {
  it.live(
    "post once what each of them has heard",
    () =>
      Effect.forEach(
        Array.from({ length: rounds(3, 200) }, (_, n) => n + 1),
        (seed) =>
          Effect.catchCause(Effect.scoped(together(seed)), (cause) =>
            Effect.die(new Error(`seed ${seed}: ${Cause.pretty(cause)}`))
          ),
        { discard: true }
      ),
    patience
  )
})
