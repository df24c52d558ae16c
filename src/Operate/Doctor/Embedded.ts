/**
 * The files of the embedded engine, for `siteledger doctor`: the whole store is checked and the warehouse is compared
 * with it, both read-only and without the lock. A warehouse that a running worker has open is left alone.
 */
import { execFile } from "node:child_process"
import { accessSync, constants, existsSync, statSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { DuckDBInstance } from "@duckdb/node-api"
import { Effect } from "effect"
import { CheckFailed, fail, messageOf, ok, warn } from "../Doctor.ts"
import { migrations } from "../../Stores/Sqlite/Migrations.ts"
import { objectionIn } from "../../Stores/DuckDb/Opening.ts"
import { openReadOnly } from "./ReadOnly.ts"
import { fileOf } from "../../Runtime/Module.ts"

const child = fileOf(new URL("./quick-check.ts", import.meta.url))

/** Part of the time that a check may take. */
const checkMs = 5_000

/** Undefined if it doesn't finish in time. */
const quickCheck = (path: string): Effect.Effect<string | undefined, CheckFailed> =>
  Effect.callback((resume) => {
    const flags = ["--disable-warning=ExperimentalWarning", child, path]
    const options = { timeout: checkMs, killSignal: "SIGKILL", env: {} } as const
    const running = execFile(process.execPath, flags, options, (error, stdout) => {
      if (error === null) return resume(Effect.succeed(stdout))
      resume(
        error.killed === true
          ? Effect.undefined
          : Effect.fail(new CheckFailed({ message: "the checking process failed" }))
      )
    })
    return Effect.sync(() => running.kill("SIGKILL"))
  })

/** Undefined if there is no store that can be read. */
const read = <A>(path: string, use: (database: DatabaseSync) => A): A | undefined => {
  if (!existsSync(path)) return undefined
  const database = openReadOnly(path)
  try {
    return use(database)
  } catch {
    return undefined
  } finally {
    database.close()
  }
}

const textsOf = (database: DatabaseSync, query: string): ReadonlyArray<string> =>
  database
    .prepare(query)
    .all()
    .map((row) => String(Object.values(row)[0]))

/** A store that this user can't read isn't damaged, so no backup should replace it. */
const isReadable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

export const store = (path: string) =>
  Effect.gen(function* () {
    if (!existsSync(path)) return ok(`${path} is created at the first start.`)
    if (!isReadable(path)) return fail(`${path} can't be read by this user.`, "Run the doctor as the worker's user.")
    const verdict = yield* quickCheck(path)
    const megabytes = Math.ceil(statSync(path).size / 1e6)
    if (verdict === undefined) {
      return warn(`${path} (${megabytes} MB) is too big to check within seconds.`, "Check a backup of it instead.")
    }
    if (verdict !== "ok") {
      return fail(`${path} is damaged: ${verdict}.`, "Keep it, and put a backup in place: siteledger restore FILE.")
    }
    const made = read(path, (database) => textsOf(database, "select name from kysely_migration")) ?? []
    const unknown = made.filter((name) => !(name in migrations))
    if (unknown.length > 0) {
      return fail(`${path} was written by a newer siteledger (${unknown.join(", ")}).`, "Install that version.")
    }
    return ok(`${path} (${megabytes} MB) is intact.`)
  })

export const sealedSecrets = (path: string): ReadonlyArray<string> =>
  read(path, (database) => textsOf(database, "select sealed from webhook_secrets where sealed is not null")) ?? []

const warehouseId = "select value from meta where key = 'warehouse_id'"

export const warehouse = (path: string, storePath: string) =>
  Effect.gen(function* () {
    if (!existsSync(path)) return ok(`${path} is created at the next start.`)
    const found = yield* Effect.result(Effect.tryPromise({ try: () => idOf(path), catch: messageOf }))
    if (found._tag === "Failure") {
      const objection = objectionIn(found.failure)
      const sentence = `${path} can't be read: ${objection.why}.`
      return objection.kind === "damage" ? warn(sentence, rebuildAdvice) : fail(sentence, objection.advice)
    }
    const expected = read(storePath, (database) => textsOf(database, warehouseId)[0])
    return expected === found.success
      ? ok(`${path} belongs to the store.`)
      : warn(`${path} belongs to another store.`, rebuildAdvice)
  })

const rebuildAdvice = "The next start sets it aside and rebuilds it from the store and a fresh walk."

const idOf = async (path: string): Promise<string | undefined> => {
  const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY" })
  try {
    const connection = await instance.connect()
    const answer = await connection.runAndReadAll("select value from siteledger.meta where key = 'id'")
    connection.disconnectSync()
    return String(answer.getRowsJson()[0]?.[0])
  } finally {
    instance.closeSync()
  }
}
