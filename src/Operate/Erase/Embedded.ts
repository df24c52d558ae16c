/**
 * An embedded Store from which a value is erased. No worker may run: the data directory is held.
 *
 *   bodies and headers   each segment of the inbox is rewritten, and each archive with its copy on the lake
 *   rows of the Store    changed, then the whole file is rewritten
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { Kysely } from "kysely"
import type { Settings } from "../../../config/Settings.ts"
import type * as Erasure from "../../Domain/Erasure.ts"
import * as Agreed from "../../Ledger/Agreed.ts"
import { folderOf } from "../../Stores/Archives/ArchiveFolder.ts"
import * as Erasures from "../../Stores/Erasures.ts"
import { disowned } from "../../Stores/Projection.ts"
import { setMeta } from "../../Stores/Segments/Meta.ts"
import * as Segments from "../../Stores/Segments/Open.ts"
import { dialect } from "../../Stores/Sqlite/Dialect.ts"
import { openFile } from "../../Stores/Sqlite/Opening.ts"
import * as Sqlite from "../../Stores/Sqlite/Store.ts"
import { Store } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import * as Archives from "./Archives.ts"
import { attempt, begun, type Engine, EraseError, type Without } from "./Engine.ts"
import * as Files from "./Files.ts"
import * as Inbox from "./Inbox.ts"
import * as Look from "./Look.ts"
import * as Rows from "./Rows.ts"
import type { Seek } from "./Seek.ts"
import { noting } from "./Tombstones.ts"

/** Opened by the Store's own rules, so that its tables are current and its deliveries are in their folder. */
const settled = Effect.gen(function* () {
  const store = yield* Store
  yield* store.deliveries.last
  return yield* store.run(Erasures.tombstones)
})

const withFile = <A, E, R>(path: string, use: (database: DatabaseSync) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    attempt(`The store ${path} can't be opened`, () => openFile(path)),
    use,
    (database) => Effect.sync(() => database.close())
  )

const failing =
  (what: string) =>
  ({ message }: { readonly message: string }) =>
    new EraseError({ message: `${what}${message}` })

const look = (store: string, seeks: ReadonlyArray<Seek>, reads: Erasure.Reads) =>
  withFile(store, (database) => Effect.mapError(Look.into({ store, database }, seeks, reads), failing("")))

const rid = (path: string, without: Without, erasure: number) =>
  withFile(path, (database) =>
    Effect.gen(function* () {
      const note = noting(database, erasure)
      const beside = { archive: folderOf(path), archives: Segments.archivesOf(database) }
      yield* attempt(`${begun}. The inbox`, () =>
        Inbox.erase(Segments.folderOf(path), beside, inBodies(without), note.all)
      )
      yield* attempt(`${begun}. The store`, () => {
        database.exec("begin immediate")
        Rows.erase(database, without, (sha256) => note.one(sha256, null))
        // The next start rebuilds the warehouse.
        setMeta(database, disowned.key, disowned.value)
        database.exec("commit")
      })
    })
  )

const inBodies = ({ reads, redact }: Without): Inbox.Without => ({ redact, read: reads.bodies })

const archives = (store: string, without: Without, erasure: number) =>
  withFile(store, (database) =>
    Effect.mapError(
      Archives.erase({ store, database }, inBodies(without), noting(database, erasure).all),
      failing(`${begun}. The archives: `)
    )
  )

/** SQLite leaves deleted data in free pages and in its log. */
const vacuum = (database: DatabaseSync) =>
  attempt(`${begun}. The store`, () =>
    database.exec("pragma secure_delete = on; vacuum; pragma wal_checkpoint(truncate)")
  )

const link = (path: string) =>
  withFile(path, (database) =>
    Effect.gen(function* () {
      const db = new Kysely<StoreTables>({ dialect: dialect(database) })
      yield* Effect.promise(() => db.transaction().execute(Erasures.finish))
      yield* vacuum(database)
    })
  )

export const open = (place: Files.Place) =>
  Effect.gen(function* () {
    const settings = yield* Effect.context<Settings>()
    /** Opened only for this: nothing has it open while its files are rewritten. */
    const opened = <A, E>(use: Effect.Effect<A, E, Store>) =>
      Effect.scoped(Effect.provide(use, Layer.provide(Sqlite.layer, Layer.succeedContext(settings)), { local: true }))
    const { store: path } = place
    return {
      tombstones: opened(settled),
      namings: opened(Effect.flatMap(Store, (store) => store.run(Agreed.namings))),
      look: (seeks, reads) => look(path, seeks, reads),
      setAside: Effect.sync(() => Files.setAside(place)),
      ready: () => Effect.void,
      note: (of) =>
        opened(
          Effect.gen(function* () {
            const store = yield* Store
            yield* store.transaction(async (tx) => {
              await tx
                .insertInto("erasures")
                .values(of(await Erasures.tombstones(tx)))
                .execute()
            })
          })
        ),
      rid: (without, erasure) => rid(path, without, erasure),
      archives: (without, erasure) => archives(path, without, erasure),
      discard: attempt(`${begun}. The files beside the store`, () => Files.discard(place)),
      writeAgain: withFile(path, vacuum),
      link: link(path)
    } satisfies Engine
  })
