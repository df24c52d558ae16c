/**
 * `siteledger restore FILE`: puts a backup of the store in place; no worker may be running. The store that was
 * there is kept beside it. The warehouse is made again at the next start, since it may know more or less than the backup.
 */
import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { resolve } from "node:path"
import { Clock, Console, Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import * as Settings from "../../config/Settings.ts"
import * as Json from "../Json.ts"
import { Lock } from "../Lock.ts"
import { Store } from "../Store.ts"
import * as Sqlite from "../Store/Sqlite.ts"
import * as Seam from "../Warehouse/Seam.ts"

export class RestoreError extends Schema.TaggedError<RestoreError>()("RestoreError", { message: Schema.String }) {}

const path = Argument.String("path").pipe(Argument.withDescription("A file that `siteledger backup` made"))

/** A backup is opened and checked as a whole before anything is moved. */
const check = (file: string) =>
  Effect.try({
    try: () => {
      if (!existsSync(file)) throw new Error("there is no such file")
      const database = new DatabaseSync(file, { readOnly: true })
      try {
        const verdict = database.prepare("pragma integrity_check").get()?.["integrity_check"]
        if (verdict !== "ok") throw new Error(`it is damaged (${String(verdict)})`)
        database.prepare("select count(*) from inbox").get()
      } finally {
        database.close()
      }
    },
    catch: (cause) =>
      new RestoreError({
        message: `${file} can't be restored: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })

/** Copied beside first and renamed, so that a crash leaves the old store or the new one. */
const swap = (file: string, store: string, kept: string): void => {
  copyFileSync(file, `${store}.restoring`)
  if (existsSync(store)) {
    for (const suffix of ["-wal", "-shm"]) {
      if (existsSync(store + suffix)) renameSync(store + suffix, kept + suffix)
    }
    renameSync(store, kept)
  }
  renameSync(`${store}.restoring`, store)
  rmSync(`${store}-shm`, { force: true })
}

export const restore = Command.make("restore", { path }, (given) =>
  Effect.gen(function* () {
    const { dataDir } = yield* Settings.Settings
    const file = resolve(given.path)
    yield* check(file)
    const store = Sqlite.storePath(dataDir)
    const kept = `${store}.before-restore-${yield* Clock.currentTimeMillis}`
    const restoring = Effect.gen(function* () {
      yield* Effect.sync(() => swap(file, store, kept))
      yield* Effect.flatMap(Store, Seam.disown).pipe(Effect.provide(Sqlite.layer))
      yield* Console.log(Json.stringify({ restored: file, kept: existsSync(kept) ? kept : null }))
    })
    yield* restoring.pipe(Effect.provide(Lock.layer(dataDir)))
  }).pipe(Effect.provide(Settings.layer))
).pipe(Command.withDescription("Put a backup of the store in place; the warehouse is made again at the next start"))
