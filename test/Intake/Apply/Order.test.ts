/**
 * One history in many orders, with duplicates, under other ids, in batches of any size: always the same rows. Uses the
 * worker's own store, inbox, reader and warehouse in this process; worker/Order.test.ts sends some through a real worker.
 */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { sql } from "kysely"
import { documented } from "../../../config/WireFiles.ts"
import { awaitedTypes, ledgerTypes } from "../../../connectors/construction/ConstructionEvents.ts"
import * as ConstructionReader from "../../../connectors/construction/ConstructionReader.ts"
import { Apply } from "../../../src/Intake/Apply.ts"
import { EventReader } from "../../../src/Domain/Event.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import * as Instant from "../../../src/Domain/Instant.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { patience, rounds } from "../../Long.ts"
import { type Random, seeded } from "../../Seeded.ts"
import { disorder, lives, outcome, type Query, type Sent } from "../../worker/Disorder.ts"
import { model, read, sha256 } from "../../worker/Story.ts"

const reading = { aliases: {}, contentsAt: documented.delivery, trustTypeHeader: false, maximumBytes: 1 << 22 }

const orders = rounds(6, 1000)

const files = (folder: string) => ({
  store: join(folder, "store.sqlite"),
  warehouse: join(folder, "warehouse.duckdb")
})

const reader = Layer.succeed(
  EventReader,
  EventReader.of({
    ledgerTypes,
    awaitedTypes,
    read: (event, now) => ConstructionReader.read(reading, event, now)
  })
)

const applying = (folder: string) => {
  const { store, warehouse } = files(folder)
  return Apply.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Inbox.layer, Ledger.layerWith(contractor), Copies.layer, reader)),
    Layer.provideMerge(DuckDb.layerAt(warehouse)),
    Layer.provideMerge(Layer.merge(Sqlite.layerAt(store), Reasons.layer))
  )
}

const deliveryOf = ({ body, type }: Sent, receivedMs: number) => ({
  body: Buffer.from(body),
  bodySha256: Buffer.from(sha256(body), "hex"),
  eventId: randomUUID(),
  headerType: type,
  issuedAt: null,
  headers: [],
  secret: "f",
  receivedAt: Instant.fromMillis(receivedMs)
})

/** Offers in groups of any size, so that Apply gets batches of any size, and waits until all are applied. */
const apply = <A>(random: Random, sent: ReadonlyArray<Sent>, look: (query: Query) => Promise<A>) =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    const group = random.chance(0.02) ? 1 : random.pick([20, 60, sent.length, sent.length])
    for (let from = 0; from < sent.length; from += group) {
      const deliveries = sent
        .slice(from, from + group)
        .map((each, index) => deliveryOf(each, 1_790_000_000_000 + index))
      yield* Effect.promise(() => Promise.all(deliveries.map((delivery) => inbox.offer(delivery))))
    }
    while ((yield* inbox.status).pending > 0) yield* Effect.sleep("5 millis")
    const warehouse = yield* Warehouse
    const context = yield* Effect.context<never>()
    const query = (text: string) =>
      Effect.runPromiseWith(context)(
        warehouse.query((db) =>
          sql
            .raw<Record<string, unknown>>(text)
            .execute(db)
            .then((result) => result.rows)
        )
      )
    // The file is deleted afterwards, so closing it need not write a checkpoint.
    yield* Effect.promise(() => query("pragma disable_checkpoint_on_shutdown"))
    return yield* Effect.promise(() => look(query))
  })

const inFolder = <A>(template: string | undefined, use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = temporaryFolder()
  if (template !== undefined) {
    for (const name of ["store", "warehouse"] as const) copyFileSync(files(template)[name], files(folder)[name])
  }
  return use(folder).finally(() => removeFolder(folder))
}

const runIn = <A, E>(folder: string, effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof applying>>>) =>
  Effect.runPromise(
    effect.pipe(
      Effect.provide(applying(folder)),
      Effect.scoped,
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )

describe("one history of events", () => {
  it(`ends in the same rows in ${orders} orders`, { timeout: patience }, () =>
    inFolder(undefined, async (template) => {
      await runIn(template, Effect.void)
      const once = <A>(seed: number, look: (query: Query) => Promise<A>): Promise<A> => {
        const of = seeded(seed)
        return inFolder(template, (folder) => runIn(folder, apply(of, disorder(of), look)))
      }
      assert.deepStrictEqual(await once(0, read), model(lives))
      const expected = await once(0, outcome)
      let seed = 1
      const lane = async (): Promise<void> => {
        while (seed < orders) {
          const mine = seed++
          assert.strictEqual(await once(mine, outcome), expected, `seed ${mine}`)
        }
      }
      await Promise.all([lane(), lane(), lane(), lane()])
    })
  )
})
