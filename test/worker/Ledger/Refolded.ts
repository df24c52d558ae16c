/**
 * The books of another store (always in SQLite) that gets the same deliveries in the same stored order, in batches of
 * another size: in this process, without a worker and without a crash.
 */
import { join } from "node:path"
import { Effect, Layer, References } from "effect"
import { documented } from "../../../config/WireFiles.ts"
import { awaitedTypes, ledgerTypes } from "../../../connectors/construction/ConstructionEvents.ts"
import * as ConstructionReader from "../../../connectors/construction/ConstructionReader.ts"
import { Apply } from "../../../src/Intake/Apply.ts"
import { EventReader } from "../../../src/Domain/Event.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import type { Instant } from "../../../src/Domain/Instant.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import type { Delivery } from "../../../src/Stores/Deliveries.ts"
import { stores } from "../../Ledger/Started.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import type { Random } from "../../Seeded.ts"
import { inSqlite } from "../Place.ts"
import type { World } from "../World.ts"
import { type Kept, storeBooks } from "./Kept.ts"

const reading = { aliases: {}, contentsAt: documented.delivery, trustTypeHeader: false, maximumBytes: 1 << 22 }

const reader = Layer.succeed(
  EventReader,
  EventReader.of({
    ledgerTypes,
    awaitedTypes,
    read: (event, now) => ConstructionReader.read(reading, event, now)
  })
)

const deliveries = async (world: World): Promise<ReadonlyArray<Delivery>> => {
  const rows = await world.inbox()
  return rows.map((row) => ({
    body: row["body"] as Uint8Array,
    bodySha256: row["body_sha256"] as Uint8Array,
    eventId: String(row["event_id"]),
    headerType: row["header_type"] as string | null,
    issuedAt: row["issued_at"] as Instant | null,
    receivedAt: row["received_at"] as Instant,
    headers: JSON.parse(String(row["headers"])) as ReadonlyArray<string>,
    secret: String(row["secret"])
  }))
}

const fold = (all: ReadonlyArray<Delivery>, random: Random) =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    for (let from = 0; from < all.length;) {
      const gulp = all.slice(from, from + 1 + random.below(1500))
      yield* Effect.promise(() => Promise.all(gulp.map((delivery) => inbox.offer(delivery))))
      from += gulp.length
      if (random.chance(0.3)) while ((yield* inbox.status).pending > 0) yield* Effect.sleep("1 millis")
    }
    while ((yield* inbox.status).pending > 0) yield* Effect.sleep("1 millis")
  })

export const refolded = async (world: World, random: Random): Promise<Kept> => {
  const folder = temporaryFolder()
  const applying = Apply.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Inbox.layer, reader, Reasons.layer)),
    Layer.provideMerge(stores(folder))
  )
  try {
    const all = await deliveries(world)
    await Effect.runPromise(
      fold(all, random).pipe(
        Effect.provide(applying),
        Effect.scoped,
        Effect.provideService(References.MinimumLogLevel, "None")
      )
    )
    return await storeBooks({ store: async (sql) => inSqlite(join(folder, "store.sqlite"), sql) })
  } finally {
    removeFolder(folder)
  }
}
