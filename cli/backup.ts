/**
 * `siteledger backup FILE`: a copy of the store, also while the worker runs. It appears under its name when it is whole,
 * in the place of an earlier backup; anything else that is there is left alone. Never the store itself: exit 2.
 */
import { existsSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Effect, Schema } from "effect"
import { Argument, CliError, Command } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { store } from "../pipelines/stores.ts"
import { whyNot } from "../src/Runtime/SystemFailure.ts"
import { byEngine } from "../src/Stores/Engine.ts"
import { noBackup } from "../src/Stores/Postgres/Store.ts"
import { isCopy, isPartOf } from "../src/Stores/Sqlite/Copy.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import * as Print from "./Print.ts"

export class BackupError extends Schema.TaggedError<BackupError>()("BackupError", { message: Schema.String }) {}

const path = Argument.String("file").pipe(
  Argument.withDescription("Where to, readable by you only; an earlier backup is replaced, anything else is not")
)

/**
 * Whether an earlier backup is to be replaced. Looked at here and not in the worker: to close a file of its own
 * databases would drop their locks.
 */
const isAgain = (own: string, file: string) =>
  Effect.gen(function* () {
    // One would be made: an empty backup, and maybe in the place of a good one.
    if (!existsSync(own)) return yield* new BackupError({ message: `There is no store ${own} (SITELEDGER_DATA_DIR).` })
    const folder = dirname(file)
    if (!existsSync(folder)) return yield* new BackupError({ message: `There is no folder ${folder}.` })
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined) return false
    if (isPartOf(own, file)) return yield* itself(file)
    if (found.isDirectory()) return yield* new BackupError({ message: `${file} is a folder: name a file in it.` })
    const isBackup = yield* Effect.try({ try: () => isCopy(file), catch: (cause) => unreadable(file, cause) })
    if (!isBackup)
      return yield* new BackupError({ message: `${file} is there already and is no backup: it is left as it is.` })
    return true
  })

const unreadable = (file: string, cause: unknown) =>
  new BackupError({ message: `${file} can't be read, and is left as it is: ${whyNot(cause)}.` })

const itself = (file: string) =>
  new CliError.UserError({ cause: `${file} is the store itself, or its log: name another file for the backup.` })

export const backup = Command.make("backup", { path }, (given) =>
  Effect.gen(function* () {
    const own = yield* byEngine(yield* Settings.Settings, {
      embedded: (files) => Effect.succeed(files.store),
      server: () => noBackup
    })
    // The worker may stand in another folder than whoever asks.
    const file = resolve(given.path)
    yield* Print.document(yield* ask("backup", { path: file, replace: yield* isAgain(own, file) }, store))
  })
).pipe(
  Command.withDescription("Copy the store, the one irreplaceable file, also while the worker runs"),
  Command.provide(Log.layerSettings)
)
