/**
 * The cost of a batch doesn't grow with the amount of stored data: none of its statements reads a whole table of the
 * store.
 */
import { join } from "node:path"
import { DatabaseSync, StatementSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { documented } from "../../../config/WireFiles.ts"
import { awaitedTypes, ledgerTypes } from "../../../connectors/construction/ConstructionEvents.ts"
import * as ConstructionReader from "../../../connectors/construction/ConstructionReader.ts"
import { EventReader } from "../../../src/Domain/Event.ts"
import { Apply } from "../../../src/Intake/Apply.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { delivery, until } from "../../Stores/Postgres/World.ts"

const reading = { aliases: {}, contentsAt: documented.delivery, trustTypeHeader: false, maximumBytes: 1 << 22 }

const reader = Layer.succeed(
  EventReader,
  EventReader.of({ ledgerTypes, awaitedTypes, read: (event, now) => ConstructionReader.read(reading, event, now) })
)

const worker = (folder: string) =>
  Apply.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Inbox.layer, Ledger.layerWith(contractor), Copies.layer, reader)),
    Layer.provideMerge(DuckDb.layerAt(join(folder, "warehouse.duckdb"))),
    Layer.provideMerge(Layer.merge(Sqlite.layerAt(join(folder, "store.sqlite")), Reasons.layer))
  )

const certified = (ipc: number) => ({
  ipc_id: `I${ipc}`,
  project_id: 1,
  certified_amount: `${ipc}.50`,
  certificate_url: "https://c/1",
  event_timestamp: "2026-11-19T09:00:00Z"
})

const paid = (ipc: number) => ({
  ipc_id: `I${ipc}`,
  payment_reference: `P${ipc}`,
  event_timestamp: "2026-11-19T10:00:00Z"
})

/** Applied, each after the one before. */
const apply = (bodies: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    for (const body of bodies) {
      yield* Effect.promise(() => inbox.offer(delivery(JSON.stringify(body))))
      yield* until(Effect.map(inbox.status, ({ pending }) => pending === 0))
    }
  })

/** The statements that SQLite runs meanwhile. */
const running = Effect.fnUntraced(function* <E, R>(work: Effect.Effect<void, E, R>) {
  const texts = new Set<string>()
  const { all, run } = StatementSync.prototype
  const noting = (original: typeof all | typeof run) =>
    function (this: StatementSync, ...given: ReadonlyArray<unknown>): never {
      texts.add(this.sourceSQL)
      return Reflect.apply(original, this, given) as never
    }
  Object.assign(StatementSync.prototype, { all: noting(all), run: noting(run) })
  yield* Effect.ensuring(
    work,
    Effect.sync(() => Object.assign(StatementSync.prototype, { all, run }))
  )
  return texts
})

/** Tables that grow for ever. */
const growing = new Set(["ledger_facts", "ledger_entries", "ledger_holds", "ledger_hold_decisions", "ledger_outbox"])

/** Of these, the ones that the statements read as a whole. An insert's plan also shows foreign keys, which cost nothing. */
const scannedBy = (store: string, texts: Iterable<string>): ReadonlyArray<string> => {
  const database = new DatabaseSync(store, { readOnly: true })
  const scanned = [...texts]
    .filter((text) => /^\s*(select|update|delete)\b/i.test(text))
    .flatMap((text) => database.prepare(`explain query plan ${text}`).all())
    .flatMap(({ detail }) => /^SCAN (\S+)/.exec(String(detail))?.[1] ?? [])
  database.close()
  return scanned.filter((name) => growing.has(name))
}

describe("a batch", () => {
  it.live("reads no table of the store from its beginning to its end", () =>
    Effect.gen(function* () {
      const folder = temporaryFolder()
      const texts = yield* Effect.gen(function* () {
        yield* apply([certified(1), paid(1)])
        return yield* running(apply([certified(2), paid(2), paid(3), certified(3), { no: "event" }]))
      }).pipe(Effect.provide(worker(folder)), Effect.scoped)
      assert.isAbove(texts.size, 10)
      assert.deepStrictEqual(scannedBy(join(folder, "store.sqlite"), texts), [])
      removeFolder(folder)
    })
  )
})
