/**
 * `siteledger restore FROM`: replaces the store with a backup, from a file or off the machine; no worker may be
 * running. The previous store is kept beside it. The next start rebuilds the warehouse, which may be ahead of the
 * backup or behind it. If entries were sent to an accounting system, nothing more is sent until a person has compared
 * (`siteledger ledger sink compare`).
 */
import { accessSync, constants, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { resolve } from "node:path"
import { Clock, Console, Effect, Schema } from "effect"
import { CliError, Command } from "effect/cli"
import { Kysely } from "kysely"
import * as Settings from "../config/Settings.ts"
import { key as epochKey } from "../src/Ledger/Epoch.ts"
import * as Behind from "../src/Ledger/Outbox/Behind.ts"
import { lastSent } from "../src/Ledger/Outbox/Witness.ts"
import { type Reached, track, underWay } from "../src/Runtime/Progress.ts"
import { whyNot } from "../src/Runtime/SystemFailure.ts"
import { flushFolderOf } from "../src/Runtime/Flush.ts"
import { Lock } from "../src/Runtime/Lock.ts"
import { byEngine } from "../src/Stores/Engine.ts"
import { Store } from "../src/Stores/Store.ts"
import * as Erasures from "../src/Stores/Erasures.ts"
import * as Files from "../src/Stores/Segments/Open.ts"
import { openFile } from "../src/Stores/Sqlite/Opening.ts"
import { dialect } from "../src/Stores/Sqlite/Dialect.ts"
import * as Sqlite from "../src/Stores/Sqlite/Store.ts"
import { copy, isPartOf, objectionTo, pagesOf } from "../src/Stores/Sqlite/Copy.ts"
import * as Projection from "../src/Stores/Projection.ts"
import * as Own from "../src/Operate/Backup/Own.ts"
import * as Bar from "./Bar.ts"
import { argument, json } from "./Options.ts"
import * as Said from "./Said.ts"
import * as OffMachine from "./restore/OffMachine.ts"

export class RestoreError extends Schema.TaggedError<RestoreError>()("RestoreError", { message: Schema.String }) {}

const from = argument(
  "from",
  "A file that `siteledger backup` made, or the place of a backup off the machine: s3://BUCKET/PREFIX or a folder"
)

/** A backup is opened and completely checked before anything is moved. */
const check = (file: string, store: string) =>
  Effect.gen(function* () {
    if (!existsSync(file)) return yield* unusable(file, "there is no such file")
    if (statSync(file).isDirectory()) return yield* unusable(file, "it is a folder")
    if (isPartOf(store, file)) return yield* new CliError.UserError({ cause: `${file} is the store itself.` })
    yield* Effect.try({ try: () => accessSync(file, constants.R_OK), catch: (cause) => unusable(file, whyNot(cause)) })
    const objection = yield* Effect.sync(() => objectionTo(file))
    if (objection !== undefined) return yield* unusable(file, objection)
  })

const unusable = (file: string, why: string) => new RestoreError({ message: `${file} can't be restored: ${why}.` })

/** Removes what an earlier attempt left. */
const discard = (path: string): void => {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true })
}

/** The epoch of the store that is replaced; 0 if it can't be read. */
const epochIn = (store: string): number => {
  try {
    const database = new DatabaseSync(store, { readOnly: true })
    const value = database.prepare("select value from meta where key = ?").get(epochKey)?.["value"]
    database.close()
    return Number(value ?? 1)
  } catch {
    return 0
  }
}

/** What was erased from the store that is replaced, and is still in the backup; none if it can't be read. */
const erasedIn = (store: string): ReadonlyArray<Erasures.Tombstone> => {
  try {
    const database = new DatabaseSync(store, { readOnly: true })
    const rows = database.prepare("select * from erasures order by number").all()
    database.close()
    return rows as unknown as ReadonlyArray<Erasures.Tombstone>
  } catch {
    return []
  }
}

/** Done before the swap, so that no start takes the warehouse for this store's own, or sends what was already sent. */
const prepare = (elsewhere: Behind.Elsewhere, erased: ReadonlyArray<Erasures.Tombstone>, nowMs: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    yield* Projection.disown(store)
    return yield* store.transaction(async (tx) => {
      await Own.restored(tx)
      await Erasures.takeOver(tx, erased)
      // Someone may have signed out since.
      await tx.deleteFrom("sessions").execute()
      return Behind.restored(tx, elsewhere, nowMs)
    })
  })

/** With its deliveries in its table, as in a backup. */
const copyWhole = async (file: string, restored: string, reached: Reached): Promise<void> => {
  await copy(file, restored, reached)
  const database = openFile(restored)
  try {
    await Sqlite.migrate(new Kysely({ dialect: dialect(database) }))
    await Files.carry(file, database)
  } finally {
    database.close()
  }
}

/** Merges the write-ahead log of the present store into its file; a damaged store keeps its log beside it. */
const settle = (store: string): void => {
  try {
    const database = new DatabaseSync(store)
    database.exec("pragma wal_checkpoint(truncate)")
    database.close()
  } catch {
    // Kept unchanged: it may be the reason for the restore.
  }
}

/**
 * The old store gets a second name, then the new one takes over the first. So at any crash, one of the two has that
 * name. The old log is removed before, so that the new store is never opened with it. The new store's deliveries are in
 * its table, so the next start creates its inbox and sets the old one aside.
 */
const swap = (restoring: string, store: string, kept: string): void => {
  if (existsSync(store)) {
    settle(store)
    linkSync(store, kept)
    if (existsSync(`${store}-wal`)) copyFileSync(`${store}-wal`, `${kept}-wal`)
  }
  rmSync(`${store}-wal`, { force: true })
  rmSync(`${store}-shm`, { force: true })
  renameSync(restoring, store)
  if (existsSync(Files.folderOf(store))) renameSync(Files.folderOf(store), Files.folderOf(kept))
  flushFolderOf(store)
}

const notHere = new RestoreError({
  message: "The store is in PostgreSQL: restore it with the server's own tools, such as pg_restore (docs/postgres.md)."
})

const compareFirst =
  "Nothing is sent to the accounting system until you have compared: it may have entries from after this backup. " +
  "Export them there, and run `siteledger ledger sink compare FILE`."

/** Replaces the store. Returns what to report. */
const replaceStore = Effect.fnUntraced(function* (store: string, file: string, dataDir: string, nowMs: number) {
  yield* check(file, store)
  const kept = `${store}.before-restore-${nowMs}`
  const restored = `${store}.restoring`
  yield* Effect.sync(() => discard(restored))
  yield* track("restore", { unit: "pages", total: pagesOf(file) }, (reached) =>
    Effect.tryPromise({
      try: () => copyWhole(file, restored, reached),
      catch: (cause) => unusable(file, whyNot(cause))
    })
  )
  const sent = yield* Effect.sync(() => lastSent(dataDir))
  const elsewhere = { epoch: Math.max(epochIn(store), sent.epoch), isSent: sent.sequence > 0 }
  const found = yield* Effect.scoped(
    Effect.provide(prepare(elsewhere, erasedIn(store), nowMs), Sqlite.layerAt(restored))
  )
  yield* Effect.sync(() => swap(restored, store, kept))
  return { ...found, kept: existsSync(kept) ? kept : null }
})

export const restore = Command.make("restore", { from, json }, ({ from: name, json: asJson }) =>
  Effect.gen(function* () {
    const settings = yield* Settings.Settings
    const store = yield* byEngine(settings, {
      embedded: (files) => Effect.succeed(files.store),
      server: () => notHere
    })
    const given = yield* OffMachine.givenBy(name, settings)
    const file = resolve(name)
    if (given === undefined) yield* check(file, store)
    const restoring = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const { dataDir } = settings
      const replaceBy = (of: string) => replaceStore(store, of, dataDir, nowMs)
      const making =
        given === undefined
          ? Effect.map(replaceBy(file), (made) => ({ ...made, restored: file }))
          : OffMachine.fetched(given, settings, `${store}.fetched`, nowMs, replaceBy)
      const { epoch, isWaiting, ...rest } = yield* Bar.shown("restore", underWay)(making)
      yield* Said.answer(asJson, page)({ ...rest, ledgerEpoch: epoch })
      if (given !== undefined) yield* Console.error(OffMachine.since)
      if (isWaiting) yield* Console.error(compareFirst)
    })
    yield* restoring.pipe(Effect.provide(Lock.layerAt(settings.dataDir)))
  })
).pipe(
  Command.withDescription("Put a backup in the store's place; the next start rebuilds the warehouse"),
  Command.withExamples([
    {
      command: "siteledger restore books-2026-11-26.backup",
      description: "Put this backup in the store's place; no worker may run"
    },
    {
      command: "siteledger restore s3://my-bucket/siteledger-backup && siteledger start",
      description: "On an empty machine, with SITELEDGER_BACKUP_KEY: go on; accounting waits until you have compared"
    }
  ]),
  Command.provide(Settings.layer)
)

interface Restored {
  readonly ledgerEpoch: number
  readonly restored: string
  readonly kept: string | null
  /** For an off-machine backup. */
  readonly upTo?: string
  readonly deliveries?: number
  readonly entries?: number
}

const page = ({ deliveries, entries, kept, restored, upTo }: Restored) => [
  `Restored ${restored}${upTo === undefined ? "" : `, as of ${upTo}`}. The next start rebuilds the warehouse.`,
  ...(deliveries === undefined
    ? []
    : [
        `It has ${Said.counted(deliveries, "delivery", "deliveries")} and ${Said.counted(entries ?? 0, "entry", "entries")}.`
      ]),
  ...(kept === null ? [] : [`The store that was there is kept as ${kept}.`])
]
