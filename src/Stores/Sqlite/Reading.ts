/**
 * The file of an embedded Store, opened for reading only: what is written meanwhile is visible in the next transaction.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { Kysely } from "kysely"
import { alsoGivingBack } from "../../Runtime/Rest.ts"
import type { Reader } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import { dialect, prepared } from "./Dialect.ts"
import { storeError } from "./Failure.ts"

const connect = (path: string): DatabaseSync => new DatabaseSync(path, { readOnly: true, timeout: 5000 })

const through = (database: DatabaseSync) => new Kysely<StoreTables>({ dialect: dialect(prepared(database)) })

const givingBackItsCache = (database: DatabaseSync): (() => void) =>
  alsoGivingBack(() => database.exec("pragma shrink_memory"))

/** When the thread rests, the connection gives back its page cache, of up to 2 MB. */
export const givingBack = (database: DatabaseSync) =>
  Effect.acquireRelease(
    Effect.sync(() => givingBackItsCache(database)),
    (end) => Effect.sync(end)
  )

/** A second connection for the thread that writes the file, opened at first use. */
export const beside = (path: string) =>
  Effect.gen(function* () {
    let opened: { readonly close: () => void; readonly db: Kysely<StoreTables> } | undefined
    yield* Effect.addFinalizer(() => Effect.sync(() => opened?.close()))
    return (): Kysely<StoreTables> => {
      if (opened === undefined) {
        const database = connect(path)
        const endGivingBack = givingBackItsCache(database)
        const close = (): void => {
          endGivingBack()
          database.close()
        }
        opened = { close, db: through(database) }
      }
      return opened.db
    }
  })

/**
 * For readers of the whole file, through several indexes: enough for the levels above their leaves. With 64 MB, reading
 * the books of 100,000 entries took no less time, and a tenth more system time: leaves are soon read again from the
 * page cache.
 */
const cachedKiB = 8 * 1024

const connectCaching = (path: string): DatabaseSync => {
  const database = connect(path)
  database.exec(`pragma cache_size = -${cachedKiB}`)
  return database
}

export const open = Effect.fnUntraced(function* (path: string) {
  const database = yield* Effect.acquireRelease(
    Effect.try({ try: () => connectCaching(path), catch: storeError }),
    (opened) => Effect.sync(() => opened.close())
  )
  const db = through(database)
  const attempt = <A>(use: () => Promise<A>) => Effect.tryPromise({ try: use, catch: storeError })
  const reader: Reader = {
    run: (query) => attempt(() => query(db)),
    transaction: (body) => attempt(() => db.transaction().execute(body))
  }
  return reader
})
