/**
 * One worker per data directory: a tiny SQLite file is held exclusively while the process lives. The operating system
 * releases it when the process ends, even after kill -9.
 *
 * `worker.json` beside it (readable by its owner only) says who holds the directory and how the command line reaches
 * that process. It is a note, not the lock: a stale one is overwritten.
 */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Context, Duration, Effect, Layer, Option, Schedule, Schema, type Scope } from "effect"
import { codeOf, whyNot } from "./SystemFailure.ts"
import * as LogLine from "./LogLine.ts"

export class LockError extends Schema.TaggedError<LockError>()("LockError", {
  /** True: another process holds the directory. False: the directory can't be used at all. */
  isHeld: Schema.Boolean,
  message: Schema.String
}) {}

/** What a running worker leaves for the command line. */
export const WorkerNote = Schema.Struct({
  pid: Schema.Int,
  startedAt: Schema.String,
  admin: Schema.String,
  token: Schema.String
})
export type WorkerNote = typeof WorkerNote.Type

export class Lock extends Context.Service<
  Lock,
  {
    /** Writes the note; it is removed when the scope closes. */
    readonly announce: (note: WorkerNote) => Effect.Effect<void, never, Scope.Scope>
  }
>()("siteledger/Lock") {
  static readonly layerAt = (dataDir: string): Layer.Layer<Lock, LockError> => Layer.effect(Lock, make(dataDir))
}

/** A worker that is stopping may hold the directory for a moment. */
const patience = Duration.seconds(5)
const retryEvery = Duration.millis(100)

const notePath = (dataDir: string): string => join(dataDir, "worker.json")

const make = (dataDir: string) =>
  Effect.gen(function* () {
    yield* Effect.try({
      try: () => {
        mkdirSync(dataDir, { recursive: true })
        accessSync(dataDir, constants.W_OK | constants.X_OK)
      },
      catch: (cause) => unusable(dataDir, whyNot(cause))
    })
    yield* Effect.acquireRelease(
      Effect.retry(tryLock(dataDir), {
        schedule: Schedule.spaced(retryEvery).pipe(Schedule.upTo({ duration: patience })),
        while: ({ isHeld: held }) => held && !isServing(dataDir)
      }),
      (database) => Effect.sync(() => database.close())
    )
    const withdraw = Effect.sync(() => rmSync(notePath(dataDir), { force: true }))
    yield* withdraw
    return Lock.of({
      announce: (note) =>
        Effect.andThen(
          Effect.addFinalizer(() => withdraw),
          announced(dataDir, note)
        )
    })
  })

/**
 * Without the note (for instance if the disk is full) the worker still works: only the command line can't find it until
 * the note is written.
 */
const announced = (dataDir: string, note: WorkerNote) =>
  Effect.gen(function* () {
    const write = Effect.try({ try: () => writeNote(dataDir, note), catch: whyNot })
    const first = yield* Effect.result(write)
    if (first._tag === "Success") return
    yield* LogLine.write("note.unwritten", { path: notePath(dataDir), why: first.failure })
    yield* Effect.forkScoped(Effect.retry(Effect.delay(write, retryNoteEvery), Schedule.forever))
  })

const retryNoteEvery = Duration.seconds(5)

const tryLock = (dataDir: string): Effect.Effect<DatabaseSync, LockError> =>
  Effect.try({
    try: () => {
      const path = join(dataDir, "lock.sqlite")
      try {
        return locked(path)
      } catch (cause) {
        if (!damaged.has(codeIn(cause))) throw cause
        // The file has no content. Truncating it in place keeps the lock of a process that may hold it.
        truncateSync(path)
        return locked(path)
      }
    },
    catch: (cause) =>
      codeIn(cause) === busy
        ? new LockError({ isHeld: true, message: heldBy(dataDir) })
        : unusable(dataDir, whyNot(cause))
  })

const locked = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec("pragma locking_mode = exclusive; begin exclusive; commit")
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

const busy = 5
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damaged: ReadonlySet<number> = new Set([11, 26])

/** Other codes concern the folder: no right to write, or a full disk. */
const codeIn = (cause: unknown): number => ((cause as { readonly errcode?: number }).errcode ?? 0) % 256

const unusable = (dataDir: string, why: string) =>
  new LockError({ isHeld: false, message: `${dataDir} (SITELEDGER_DATA_DIR) can't be written to: ${why}.` })

/** Whether a process holds the directory. Doesn't take the lock, because an exclusive lock keeps readers out too. */
export const isHeld = (dataDir: string): boolean => {
  const path = join(dataDir, "lock.sqlite")
  if (!existsSync(path)) return false
  try {
    // Also fails for another user, who can't know.
    const database = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    try {
      database.prepare("select count(*) from sqlite_schema").get()
      return false
    } finally {
      database.close()
    }
  } catch {
    return true
  }
}

const heldBy = (dataDir: string): string => {
  const holder = Option.match(readNote(dataDir), {
    onNone: () => "Another process",
    onSome: ({ pid, startedAt }) => `The worker with process id ${pid}, running since ${startedAt},`
  })
  return `${holder} holds ${dataDir} (SITELEDGER_DATA_DIR). Stop it first, or choose another directory.`
}

/** The holder is alive and not about to stop, so waiting is pointless. */
const isServing = (dataDir: string): boolean =>
  Option.match(readNote(dataDir), {
    onNone: () => false,
    onSome: ({ pid }) => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
  })

/** The note of a worker that may be running. */
export const readNote = (dataDir: string): Option.Option<WorkerNote> => {
  try {
    return Schema.decodeUnknownOption(WorkerNote)(JSON.parse(readFileSync(notePath(dataDir), "utf8")))
  } catch {
    return Option.none()
  }
}

/** The note or the lock belongs to another user, so this process can't talk to that worker. */
export const isNoteClosed = (dataDir: string): boolean =>
  [notePath(dataDir), join(dataDir, "lock.sqlite")].some((path) => {
    try {
      accessSync(path, constants.R_OK)
      return false
    } catch (cause) {
      return codeOf(cause) === "EACCES"
    }
  })

const writeNote = (dataDir: string, note: WorkerNote): void => {
  const unfinished = `${notePath(dataDir)}.new`
  writeFileSync(unfinished, `${JSON.stringify(note)}\n`, { mode: 0o600 })
  chmodSync(unfinished, 0o600)
  renameSync(unfinished, notePath(dataDir))
}
