/**
 * The workers that share one PostgreSQL database: each says every few seconds that it is there, so that any of them can
 * show them all. One that has said nothing for a while is shown as gone, and is forgotten after an hour.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import * as Instant from "../Domain/Instant.ts"
import type { WorkerStatus } from "./AdminApi/StatusReport.ts"
import { Leadership } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import { supervised } from "../Runtime/Supervisor.ts"

export class Workers extends Context.Service<
  Workers,
  { readonly all: Effect.Effect<ReadonlyArray<WorkerStatus>, StoreError> }
>()("siteledger/Workers") {
  static readonly layer = Layer.effect(
    Workers,
    Effect.suspend(() => make)
  )
}

/** Nobody, where a worker is alone by construction. */
export const all: Effect.Effect<ReadonlyArray<WorkerStatus>, StoreError> = Effect.flatMap(
  Effect.serviceOption(Workers),
  Option.match({ onNone: () => Effect.succeed([]), onSome: (workers) => workers.all })
)

const sayEvery = Duration.seconds(2)
const goneAfterMs = 10_000
const forgottenAfterMs = 3_600_000

const make = Effect.gen(function* () {
  const store = yield* Store
  const reasons = yield* Reasons
  const leadership = yield* Leadership
  const id = randomUUID()
  const here = {
    id,
    host: hostname(),
    pid: process.pid,
    started_at: Instant.fromMillis(yield* Clock.currentTimeMillis)
  }

  const say = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const row = {
      ...here,
      seen_at: Instant.fromMillis(nowMs),
      is_leader: yield* leadership.isLeading,
      reasons: JSON.stringify(yield* reasons.all)
    }
    yield* store.run(async (db) => {
      await db
        .insertInto("workers")
        .values(row)
        .onConflict((of) => of.column("id").doUpdateSet(row))
        .execute()
      await db
        .deleteFrom("workers")
        .where("seen_at", "<", Instant.fromMillis(nowMs - forgottenAfterMs))
        .execute()
    })
  }).pipe(Effect.catchTag("StoreError", (error) => Effect.logDebug("Other workers can't hear of this one", error)))

  yield* Effect.addFinalizer(() =>
    Effect.ignore(store.run((db) => db.deleteFrom("workers").where("id", "=", id).execute()))
  )
  yield* say
  yield* Effect.forkScoped(supervised("the word to other workers", Effect.andThen(Effect.sleep(sayEvery), say)))

  return Workers.of({
    all: Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const rows = yield* store.run((db) => db.selectFrom("workers").selectAll().orderBy("started_at").execute())
      return rows.map((row) => ({
        host: row.host,
        pid: row.pid,
        startedAt: row.started_at,
        seenAt: row.seen_at,
        isUp: nowMs - Instant.toMicros(row.seen_at) / 1000 < goneAfterMs,
        isLeader: row.is_leader,
        isThis: row.id === id,
        reasons: JSON.parse(row.reasons) as ReadonlyArray<string>
      }))
    })
  })
})
