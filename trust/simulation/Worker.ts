/**
 * One process of the simulated worker: the real Inbox, Apply, Ledger, Outbox, Walk, Pace and Nightly over the models.
 */
import { Clock, Cron, Duration, Effect, Latch, Layer, Logger, Random } from "effect"
import type { DatabaseSync } from "node:sqlite"
import { optionsOf, read } from "../../connectors/construction/ConstructionReader.ts"
import { awaitedTypes, documentAliases, ledgerTypes } from "../../connectors/construction/ConstructionEvents.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import { EventReader } from "../../src/Domain/Event.ts"
import { Apply } from "../../src/Intake/Apply.ts"
import { Inbox } from "../../src/Intake/Inbox.ts"
import { Export } from "../../src/Lake/Export.ts"
import { LakeError } from "../../src/Lake/Lake.ts"
import * as Nightly from "../../src/Lake/Nightly.ts"
import { Copies } from "../../src/Ledger/Copies.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { Outbox } from "../../src/Ledger/Outbox.ts"
import * as Sink from "../../src/Ledger/Outbox/Sink.ts"
import { Boot } from "../../src/Runtime/Boot.ts"
import { Leadership } from "../../src/Runtime/Leadership.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Seal } from "../../src/Runtime/Seal.ts"
import { Restart } from "../../src/Runtime/Restart.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as KeptSpending from "../../src/Walk/KeptSpending.ts"
import { Pace } from "../../src/Walk/Pace.ts"
import { Walk } from "../../src/Walk/Walk.ts"
import { contractor } from "../../test/Ledger/Contractor.ts"
import { Accounting } from "./Accounting.ts"
import type { Machine } from "./Machine.ts"
import { clockOf } from "./MachineClock.ts"
import { opened, type Stored } from "./MemoryStore.ts"
import { type Failing, warehouseLayer } from "./MemoryWarehouse.ts"
import { requestsPerMinute, type Service } from "./Service.ts"

/** Exports are due six times on a day. */
export const cron = Cron.parseUnsafe("0 */4 * * *", "UTC")

export interface Exported {
  readonly epoch: number
  /** By how much the clock had been set back in total. */
  readonly setBackMs: number
  readonly atMs: number
  readonly watermark: number
  readonly oldestPending: string | null
}

/** Everything that outlives a process. */
export interface World {
  readonly machine: Machine
  readonly service: Service
  readonly accounting: Accounting
  readonly store: DatabaseSync
  readonly warehouse: DatabaseSync
  /** The folder of the inbox's files and the witness. */
  readonly folder: string
  /** All frames of the inbox. */
  readonly stored: Array<Stored>
  readonly failing: Failing
  readonly exported: Array<Exported>
  /** How many of the next exports fail. */
  readonly lake: { failures: number }
  readonly onWritten: () => void
}

export interface Process {
  readonly inbox: Inbox["Service"]
  readonly apply: Apply["Service"]
  readonly walk: Walk["Service"]
}

const wire = {
  fieldAliases: documentAliases,
  envelope: { delivery: [] },
  trustTypeHeader: false,
  webhookMaxBytes: 1_000_000
} as unknown as Parameters<typeof optionsOf>[0]

const reader = Layer.succeed(
  EventReader,
  EventReader.of({ ledgerTypes, awaitedTypes, read: (event, nowMicros) => read(optionsOf(wire), event, nowMicros) })
)

/**
 * The lake's part of an export is a model: a snapshot, and a put that may fail. Nightly decides when an export is due.
 */
const exporting = ({ exported, lake, machine }: World, epoch: number) =>
  Layer.effect(
    Export,
    Effect.gen(function* () {
      const warehouse = yield* Warehouse
      const inbox = yield* Inbox
      const run = Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const { setBackMs } = machine
        const { watermark } = yield* Effect.scoped(warehouse.snapshot)
        const oldest = yield* inbox.receivedAfter(watermark)
        yield* Effect.sleep("2 seconds")
        yield* machine.gate(epoch, "export")
        if (lake.failures-- > 0) return yield* new LakeError({ reason: "Failed", message: "the lake is away" })
        exported.push({
          epoch,
          setBackMs,
          atMs: at,
          watermark,
          oldestPending: oldest !== null && oldest <= Instant.fromMillis(at) ? oldest : null
        })
        yield* machine.gate(epoch, "exported")
        return { run: "run", asOf: {} as never, rows: 0, filesWritten: 0, bytesWritten: 0, filesKept: 0, leftAlone: [] }
      })
      return Export.of({ run, again: run, status: Effect.succeed({ lastAt: null, nextAt: null }) })
    })
  )

const layers = (world: World, epoch: number) => {
  const { accounting, failing, folder, machine, onWritten, service, store, stored, warehouse } = world
  const books = Layer.unwrap(Effect.map(Outbox, (outbox) => Ledger.layerWith(contractor, outbox))).pipe(
    Layer.provideMerge(Outbox.layerWith({ status: "draft" }, folder))
  )
  return Layer.mergeAll(
    Apply.layer,
    Walk.layerWith({ every: Duration.hours(1), pageSize: 3, concurrency: 3 }),
    Sink.layerWith(accounting.options),
    Nightly.layerWith(cron)
  ).pipe(
    Layer.provideMerge(Layer.mergeAll(service.source(epoch), exporting(world, epoch))),
    Layer.provideMerge(
      Layer.mergeAll(Pace.layerWith({ requestsPerMinute, longestPause: Duration.minutes(2) }), Copies.layer)
    ),
    Layer.provideMerge(Layer.mergeAll(KeptSpending.layer, books, Inbox.layer, reader, accounting.layer(epoch))),
    Layer.provideMerge(
      Layer.mergeAll(
        opened(machine, store, { folder: `${folder}/inbox`, stored }, epoch).layer,
        warehouseLayer(machine, warehouse, epoch, failing, onWritten),
        Reasons.layer,
        Restart.layer,
        // Its lists keep no bookmark that is sealed.
        Seal.layerWith(new Uint8Array(32))
      )
    )
  )
}

/** Starts a process; `started` is called when all of it runs. */
export const start = (
  world: World,
  epoch: number,
  started: (process: Process) => void,
  ended: (cause: unknown) => void
) => {
  const { machine } = world
  const random = machine.random
  const process = Effect.gen(function* () {
    started({ inbox: yield* Inbox, apply: yield* Apply, walk: yield* Walk })
    return yield* Effect.never
  }).pipe(
    Effect.provide(layers(world, epoch), { local: true }),
    Effect.provide(Logger.layer([])),
    Effect.tapCause((cause) => Effect.sync(() => ended(cause))),
    Effect.provideService(Clock.Clock, clockOf(machine, epoch)),
    // The process's own: fibers that wait at the default one would outlive the day.
    Effect.provideService(Leadership, {
      isLeading: Effect.succeed(true),
      leading: Latch.makeUnsafe(true),
      following: Latch.makeUnsafe(false)
    }),
    Effect.provideService(Boot, { id: `boot ${machine.boots}`, suspendedMs: () => 0 }),
    Effect.provideService(Random.Random, {
      nextIntUnsafe: () => random.below(2 ** 31),
      nextDoubleUnsafe: () => random.below(2 ** 31) / 2 ** 31
    })
  )
  machine.post(epoch, () => Effect.runFork(process, { scheduler: machine.scheduler(epoch) }))
}
