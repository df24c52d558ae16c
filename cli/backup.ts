/**
 * `siteledger backup FILE`: a copy of the store, even while the worker runs. The file gets its name once it is
 * complete. It replaces an earlier backup and nothing else. Naming the store itself exits with 2. `siteledger backup
 * --verify` reads the off-machine backup back, and exits with 1 if anything was damaged.
 */
import { existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Effect, Option, Schema } from "effect"
import { Argument, CliError, Command } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { backupAlone } from "../pipelines/backup.ts"
import { store } from "../pipelines/stores.ts"
import type { Answer } from "../src/Operate/AdminApi.ts"
import { whyNot } from "../src/Runtime/SystemFailure.ts"
import { byEngine } from "../src/Stores/Engine.ts"
import { noBackup } from "../src/Stores/Postgres/Store.ts"
import { isCopy, isPartOf } from "../src/Stores/Sqlite/Copy.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { argument, json, toggle } from "./Options.ts"
import * as Said from "./Said.ts"

export class BackupError extends Schema.TaggedError<BackupError>()("BackupError", { message: Schema.String }) {}

const path = argument(
  "file",
  "The file to write, readable only by you; replaces an earlier backup, but no other file"
).pipe(Argument.optional)

const isVerifying = toggle("verify", "Instead: read back the whole backup that SITELEDGER_BACKUP names, and compare it")

/** The faults have been printed. */
export class BackupDiffers extends Schema.TaggedError<BackupDiffers>()("BackupDiffers", { message: Schema.String }) {}

const verify = Effect.fnUntraced(function* (asJson: boolean) {
  const verified = yield* ask("backup-verify", {}, backupAlone)
  yield* Said.answer(asJson, page)(verified)
  const { backup: place, faults } = verified
  if (faults.length === 0) return
  return yield* new BackupDiffers({
    message: `The backup on ${place} was damaged, and was written again: find out who can write there.`
  })
})

/**
 * Whether the file is an earlier backup that may be replaced. Not checked in the worker: if the file is one of its own
 * databases, closing it there would drop their locks.
 */
const isEarlierBackup = (own: string, file: string) =>
  Effect.gen(function* () {
    // SQLite would create one, and an empty backup might replace a good one.
    if (!existsSync(own)) return yield* new BackupError({ message: `There is no store ${own} (SITELEDGER_DATA_DIR).` })
    const folder = dirname(file)
    if (!existsSync(folder)) return yield* new BackupError({ message: `There is no folder ${folder}.` })
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined) return false
    if (isPartOf(own, file)) return yield* itself(file)
    if (found.isDirectory()) return yield* new BackupError({ message: `${file} is a folder: name a file in it.` })
    const isBackup = yield* Effect.try({ try: () => isCopy(file), catch: (cause) => unreadable(file, cause) })
    if (!isBackup)
      return yield* new BackupError({ message: `${file} already exists and isn't a backup: it is left as it is.` })
    return true
  })

const unreadable = (file: string, cause: unknown) =>
  new BackupError({ message: `${file} can't be read and is left as it is: ${whyNot(cause)}.` })

const itself = (file: string) =>
  new CliError.UserError({ cause: `${file} is the store itself or its log: name another file for the backup.` })

const toFile = (name: string, asJson: boolean) =>
  Effect.gen(function* () {
    const own = yield* byEngine(yield* Settings.Settings, {
      embedded: (files) => Effect.succeed(files.store),
      server: () => noBackup
    })
    // The worker may have a different working directory.
    const file = resolve(name)
    const done = yield* ask("backup", { path: file, replace: yield* isEarlierBackup(own, file) }, store)
    yield* Said.answer(asJson, () => [`Backed up to ${file} (${Said.size(statSync(file).size)}).`])(done)
  })

const oneOfBoth = new CliError.UserError({ cause: "Name a file for the backup, or give --verify." })

export const backup = Command.make(
  "backup",
  { path, isVerifying, json },
  ({ isVerifying: isVerify, json: asJson, path: file }) =>
    Effect.gen(function* () {
      if (Option.isSome(file) === isVerify) return yield* oneOfBoth
      yield* Option.match(file, {
        onNone: () => Effect.asVoid(verify(asJson)),
        onSome: (name) => Effect.asVoid(toFile(name, asJson))
      })
    })
).pipe(
  Command.withDescription("Copy the store, the one irreplaceable file, even while the worker runs"),
  Command.withExamples([
    { command: "siteledger backup books-2026-11-26.backup", description: "Back up now, while the worker runs" },
    {
      command: 'siteledger backup "$(date +%F).backup" && cp "$SITELEDGER_DATA_DIR/key" key.copy',
      description: "A new file each day, with the key that opens its secrets"
    },
    {
      command: "siteledger backup --verify",
      description: "Read back the backup off the machine, down to the last byte"
    }
  ]),
  Command.provide(Log.layerSettings)
)

const page = ({ at, backup: place, bytes, faults, chunks }: Answer<"backup-verify">) => [
  `Read ${Said.counted(chunks, "chunk")} (${Said.size(bytes)}) of the backup on ${place}, which reaches up to ${at}: ` +
    (faults.length === 0 ? "all are whole." : `${Said.counted(faults.length, "fault")}.`),
  ...faults.map((fault) => `! ${fault}`)
]
