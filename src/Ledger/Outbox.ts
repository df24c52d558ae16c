/**
 * The Outbox holds, in the Store, the entries that the accounting sink has yet to receive. An entry is queued in the
 * transaction that posts it, so neither exists without the other. This happens only while a sink is configured: an
 * entry posted before that isn't queued until a person sends it, and it holds back later entries of its IPC.
 *
 * One IPC's entries leave in the order of the journal: only the first undelivered one is due, so postponing it
 * postpones those behind it. Nothing is dropped: an entry that the sink refuses permanently becomes a dead message,
 * which waits until a person replays or settles it.
 */
import { Clock, Context, type Duration, Effect, Latch, Layer, Option } from "effect"
import { Settings } from "../../config/Settings.ts"
import * as Instant from "../Domain/Instant.ts"
import { named } from "../Runtime/Principal.ts"
import { readMeta, Store, type StoreError, writeMeta } from "../Stores/Store.ts"
import { LedgerError } from "./People/Decide.ts"
import * as Epoch from "./Epoch.ts"
import * as Due from "./Outbox/Due.ts"
import type { OutboxMessage } from "./Outbox/Due.ts"
import * as Messages from "./Outbox/Messages.ts"
import type { Queueing } from "./Outbox/Messages.ts"
import * as Drafts from "./Outbox/Drafts.ts"
import * as Backlog from "./Outbox/Backlog.ts"
import { waitIfBehind } from "./Outbox/Behind.ts"
import * as Outcomes from "./Outbox/Outcomes.ts"
import * as Halt from "./Outbox/Halt.ts"
import { Witness } from "./Outbox/Witness.ts"

export interface OutboxStatus {
  /** Undelivered entries, not counting dead messages. */
  readonly backlog: number
  readonly dead: number
  /** Age since it was queued; 0 if there is none. */
  readonly oldestPendingAgeMs: number
}

type Changed<A> = Effect.Effect<A, LedgerError | StoreError>

const noteKey = "ledger_sink"
const none = "none"
const draftsKey = "ledger_sink_drafts"
const kept = "kept"

const note = (options: Queueing | undefined) =>
  Effect.flatMap(Store, (store) =>
    store.transaction(async (tx) => {
      await writeMeta(tx, noteKey, options?.status ?? none)
      await writeMeta(tx, draftsKey, options?.keepsDrafts === true ? kept : "sent")
    })
  )

const opened = (dataDir: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new Witness(dataDir)),
    (witness) => Effect.sync(() => witness.close())
  )

const noted = Effect.gen(function* (): Effect.fn.Return<Queueing | undefined, StoreError, Settings | Store> {
  const store = yield* Store
  const status = yield* store.run((db) => readMeta(db, noteKey))
  if (status === undefined) return Option.getOrUndefined((yield* Settings).ledgerSink)
  const keepsDrafts = (yield* store.run((db) => readMeta(db, draftsKey))) === kept
  return status === none ? undefined : { status: status as Queueing["status"], keepsDrafts }
})

const now = Effect.map(Clock.currentTimeMillis, Instant.fromMillis)

const make = (options: Queueing | undefined, witness?: Witness) =>
  Effect.gen(function* () {
    const store = yield* Store
    const news = yield* Latch.make(true)
    const troubled = yield* Latch.make(true)
    const note = yield* Outcomes.noting(store)
    const posting = Effect.map(now, (at) => {
      if (options === undefined) return undefined
      const { keepsDrafts = false, status } = options
      return { status, keepsDrafts, at } satisfies Messages.Posting
    })
    return Outbox.of({
      posting,
      news,
      troubled,
      pollEvery: store.pollEvery,
      next: (inHand, most) => store.run((db) => Due.next(db, [...inHand], most)),
      delivered: Effect.fn("Outbox.delivered")((message) => note({ message, failure: undefined })),
      postponed: Effect.fn("Outbox.postponed")(function* (message, failure) {
        yield* note({ message, failure })
        if (failure.againAt === undefined) yield* troubled.open
      }),
      hurry: Effect.gen(function* () {
        const at = yield* now
        yield* store.transaction((tx) => Messages.hurry(tx, at))
        yield* news.open
      }),
      troubles: store.run(Backlog.troubles),
      status: Effect.gen(function* () {
        const { backlog, dead, oldest } = yield* store.run(Backlog.totals)
        if (options === undefined && backlog + dead === 0) return null
        const nowMs = yield* Clock.currentTimeMillis
        const age = oldest === null ? 0 : Math.max(0, nowMs - Instant.toMicros(oldest) / 1000)
        return { backlog, dead, oldestPendingAgeMs: Math.round(age) }
      }),
      dead: store.run(Backlog.dead),
      unsent: store.run(Backlog.unsent),
      leaving: Effect.fnUntraced(function* (message) {
        const { epoch, sequence } = message.entry
        if (message.isKept && options?.keepsDrafts !== true) {
          if (!(yield* store.transaction((tx) => Drafts.handOver(tx, message)))) return false
        }
        witness?.note({ epoch: epoch ?? 1, sequence: Number(sequence) })
        return true
      }),
      waits: Effect.gen(function* () {
        if (witness !== undefined) yield* waitIfBehind(store, witness.last, yield* Clock.currentTimeMillis)
        return yield* store.run(Halt.haltOf)
      }),
      ...byHand(store, Effect.andThen(news.open, troubled.open), posting)
    })
  })

export class Outbox extends Context.Service<
  Outbox,
  {
    /** What Books need to queue an entry; undefined if no sink is configured. */
    readonly posting: Effect.Effect<Messages.Posting | undefined>
    /** Open if something may have become due since it was last closed. */
    readonly news: Latch.Latch
    /** Open if what needs a person may have changed since it was last closed. */
    readonly troubled: Latch.Latch
    /** See Store. */
    readonly pollEvery: Duration.Duration
    /**
     * The first undelivered entry of each IPC that isn't in hand. Includes those due later; those due first come first;
     * at most `most`.
     */
    readonly next: (inHand: Iterable<string>, most: number) => Effect.Effect<ReadonlyArray<OutboxMessage>, StoreError>
    /** On disk when it returns, as with `postponed`. Outcomes of attempts that end together share a commit. */
    readonly delivered: (message: OutboxMessage) => Effect.Effect<void, StoreError>
    readonly postponed: (message: OutboxMessage, failure: Messages.Failure) => Effect.Effect<void, StoreError>
    /** The sink accepts entries again: everything that waited for it is due now. */
    readonly hurry: Effect.Effect<void, StoreError>
    readonly troubles: Effect.Effect<Backlog.Troubles, StoreError>
    /** Null if no sink is configured and nothing is left from an earlier one. */
    readonly status: Effect.Effect<OutboxStatus | null, StoreError>
    /** Messages that need a person, in the order of the journal. */
    readonly dead: Effect.Effect<ReadonlyArray<Backlog.DeadMessage>, StoreError>
    /**
     * Makes a dead or postponed message due now, by its entry's id or the beginning of that; undefined for all of them.
     * Returns how many.
     */
    readonly replay: (entry: string | undefined) => Changed<number>
    /** A person confirms that the accounting system has this entry: it counts as delivered. */
    readonly settle: (entry: string, by: string, reason: string) => Changed<void>
    /** Notes that this entry is about to be sent. False: it has changed meanwhile and must not be sent in this form. */
    readonly leaving: (message: OutboxMessage) => Effect.Effect<boolean, StoreError>
    /**
     * Why nothing is sent; undefined if entries are sent as they fall due. Also detects a Store that was put back to an
     * earlier state.
     */
    readonly waits: Effect.Effect<Halt.Halt | undefined, StoreError>
    /** Sends nothing until a person compares; raises the epoch and returns it. */
    readonly pause: (by: string, reason: string) => Changed<number>
    /** How many entries were posted while no sink was configured and were never queued. */
    readonly unsent: Effect.Effect<number, StoreError>
    /**
     * Queues the entries from this sequence on that were never queued, and releases held-back ones. Returns how many.
     */
    readonly send: (fromSequence: number) => Changed<number>
  }
>()("siteledger/Outbox") {
  /** For a worker: its configuration applies from here on. `dataDir`: where the witness is stored, if it is used. */
  static readonly layerWith = (
    options: Queueing | undefined,
    dataDir?: string
  ): Layer.Layer<Outbox, StoreError, Store> =>
    Layer.effect(
      Outbox,
      Effect.gen(function* () {
        yield* note(options)
        const outbox = yield* make(options, dataDir === undefined ? undefined : yield* opened(dataDir))
        // Before anything is posted, because entries of books that were put back belong to another epoch.
        yield* outbox.waits
        return outbox
      })
    )

  static readonly layer: Layer.Layer<Outbox, StoreError, Settings | Store> = Layer.unwrap(
    Effect.map(Settings, ({ dataDir, ledgerSink }) => Outbox.layerWith(Option.getOrUndefined(ledgerSink), dataDir))
  )

  /** For a verb without a worker, whose environment may lack the sink: uses the newest worker's. */
  static readonly layerAlone: Layer.Layer<Outbox, StoreError, Settings | Store> = Layer.effect(
    Outbox,
    Effect.flatMap(noted, make)
  )
}

/** What a person does about entries. Each action wakes the Sink. */
const byHand = (
  store: Store["Service"],
  wake: Effect.Effect<unknown>,
  posting: Outbox["Service"]["posting"]
): Pick<Outbox["Service"], "pause" | "replay" | "send" | "settle"> => {
  const one = Effect.fnUntraced(function* (entry: string) {
    const [found, another] = yield* store.run((db) => Messages.undeliveredLike(db, entry))
    if (found === undefined) return yield* new LedgerError({ message: `No entry ${entry} waits to be delivered.` })
    if (another === undefined) return found
    return yield* new LedgerError({ message: `Several entries begin with ${entry}: give more of the id.` })
  })
  return {
    pause: Effect.fn("Outbox.pause")(function* (by, reason) {
      if (by.trim() === "" || reason.trim() === "") {
        return yield* new LedgerError({ message: "Say who pauses it (--by) and why (--reason)." })
      }
      const since = yield* now
      const why = `Paused by ${yield* named(by)}: ${reason}.`
      return yield* store.transaction(async (tx) => {
        await Halt.halt(tx, { since, why })
        return Epoch.raise(tx)
      })
    }),
    replay: Effect.fn("Outbox.replay")(function* (entry) {
      const only = entry === undefined ? undefined : yield* one(entry)
      const at = yield* now
      const replayed = yield* store.transaction((tx) => Messages.replay(tx, only, at))
      yield* wake
      return replayed
    }),
    settle: Effect.fn("Outbox.settle")(function* (entry, by, reason) {
      if (by.trim() === "" || reason.trim() === "") {
        return yield* new LedgerError({ message: "Say who settles it (--by) and why (--reason)." })
      }
      const only = yield* one(entry)
      const at = yield* now
      const how = `Settled by ${yield* named(by)}: ${reason}`
      yield* store.transaction((tx) => Messages.settle(tx, only, at, how))
      yield* wake
    }),
    send: Effect.fn("Outbox.send")(function* (fromSequence) {
      const how = yield* posting
      if (how === undefined) {
        return yield* new LedgerError({
          message: "No accounting sink is configured: set SITELEDGER_LEDGER_SINK_URL and SITELEDGER_LEDGER_SINK_SECRET."
        })
      }
      const sent = yield* store.transaction((tx) => Messages.send(tx, fromSequence, how))
      yield* wake
      return sent
    })
  }
}
