/**
 * An embedded Store that a value is erased from. No worker may run: the data directory is held.
 *
 *   bodies and headers   each segment of the inbox is written again
 *   rows of the Store    changed, then the whole file is written again
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { Kysely } from "kysely"
import type { Settings } from "../../../config/Settings.ts"
import * as Erasure from "../../Domain/Erasure.ts"
import * as Erasures from "../../Stores/Erasures.ts"
import { disowned } from "../../Stores/Projection.ts"
import { setMeta } from "../../Stores/Segments/Meta.ts"
import * as Segments from "../../Stores/Segments/Open.ts"
import { dialect } from "../../Stores/Sqlite/Dialect.ts"
import { openFile } from "../../Stores/Sqlite/Opening.ts"
import * as Sqlite from "../../Stores/Sqlite/Store.ts"
import { Store } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { attempt, begun, type Engine, EraseError, type Looked, type Without } from "./Engine.ts"
import * as Files from "./Files.ts"
import * as Inbox from "./Inbox.ts"
import * as Rows from "./Rows.ts"

/** By the Store's own rules, so that its tables are current and its deliveries are in their folder. */
const settled = Effect.gen(function* () {
  const store = yield* Store
  yield* store.deliveries.last
  const archived = yield* store.deliveries.archived
  if (archived > 0) return yield* inArchives
  return yield* store.run(Erasures.tombstones)
})

const inArchives = new EraseError({
  message: "Deliveries have left for archives, from which nothing can be erased yet. Nothing was erased."
})

const withFile = <A, E>(path: string, use: (database: DatabaseSync) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    attempt(`The store ${path} can't be opened`, () => openFile(path)),
    use,
    (database) => Effect.sync(() => database.close())
  )

const lookInto = (path: string, redact: Erasure.Redact, isKept: Erasure.IsKept) =>
  withFile(path, (database) =>
    attempt("The store can't be read", (): Looked => {
      const { keeping, losing } = Inbox.look(Segments.folderOf(path), { redact, isKept })
      const { changed, kept } = Rows.look(database, redact)
      return { deliveries: losing, changed, kept: keeping === 0 ? kept : { deliveries: keeping, ...kept } }
    })
  )

const rid = (path: string, { answers, bodies, redact }: Without, erasure: number) =>
  withFile(path, (database) =>
    Effect.gen(function* () {
      const note = noting(database, erasure)
      yield* attempt(`${begun}. The inbox`, () =>
        Inbox.erase(Segments.folderOf(path), { redact, isKept: bodies }, (lost) => {
          for (const { sequence, sha256 } of lost) note(sha256, sequence)
        })
      )
      yield* attempt(`${begun}. The store`, () => {
        database.exec("begin immediate")
        Rows.erase(database, { redact, isKept: answers }, (sha256) => note(sha256, null))
        // The next start makes the warehouse again.
        setMeta(database, disowned.key, disowned.value)
        database.exec("commit")
      })
    })
  )

const noting = (database: DatabaseSync, erasure: number) => {
  const insert = database.prepare(
    `insert into erased_bodies (body_sha256, erasure, sequence) values (?, ?, ?) on conflict (body_sha256) do nothing`
  )
  return (sha256: string, sequence: number | null): void => void insert.run(sha256, erasure, sequence)
}

/** SQLite leaves what was deleted in free pages and in its log. */
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
    /** For this alone: nothing has it open while its files are written again. */
    const opened = <A, E>(use: Effect.Effect<A, E, Store>) =>
      Effect.scoped(Effect.provide(use, Layer.provide(Sqlite.layer, Layer.succeedContext(settings)), { local: true }))
    const { store: path } = place
    return {
      tombstones: opened(settled),
      look: (seeks, isKept) => Effect.forEach(seeks, (redact) => lookInto(path, redact, isKept)),
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
      discard: attempt(`${begun}. The files beside the store`, () => Files.discard(place)),
      writeAgain: withFile(path, vacuum),
      link: link(path)
    } satisfies Engine
  })
