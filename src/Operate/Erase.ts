/**
 * Erases a value, such as a person's name, from everything that an embedded Store and its lake hold. No worker may run.
 *
 * It is first noted in the Store, with the value's salted hash in place of the value; no worker starts from then on. Then
 * each file is rid of it, and the note gets its link. Every step may be done again, so whatever dies in between, the same
 * verb finishes it, for which it needs nothing but the note.
 *
 *   bodies and headers   each segment of the inbox is written again
 *   rows of the Store    changed, then the whole file is written again
 *   log of rows          begun again by the next start
 *   warehouse, analysts' copy, exports   removed: the next start makes them again, of what is left
 */
import { randomBytes } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import { Clock, Effect, Schema } from "effect"
import { Kysely } from "kysely"
import * as Erasure from "../Domain/Erasure.ts"
import * as Instant from "../Domain/Instant.ts"
import { Lake } from "../Lake/Lake.ts"
import * as Runs from "../Lake/Runs.ts"
import * as TemporaryFolder from "../Runtime/TemporaryFolder.ts"
import { whyNot } from "../Runtime/SystemFailure.ts"
import * as Erasures from "../Stores/Erasures.ts"
import { disowned } from "../Stores/Projection.ts"
import { setMeta } from "../Stores/Segments/Meta.ts"
import * as Segments from "../Stores/Segments/Open.ts"
import { dialect } from "../Stores/Sqlite/Dialect.ts"
import { openFile } from "../Stores/Sqlite/Opening.ts"
import * as Sqlite from "../Stores/Sqlite/Store.ts"
import { Store } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import * as Exports from "./Erase/Exports.ts"
import * as Files from "./Erase/Files.ts"
import * as Inbox from "./Erase/Inbox.ts"
import * as Rows from "./Erase/Rows.ts"

export class EraseError extends Schema.TaggedError<EraseError>()("EraseError", { message: Schema.String }) {}

export interface Place extends Files.Place {
  readonly kept: Erasures.Kept
}

export interface Found extends Rows.RowsFound {
  readonly deliveries: number
  /** Deliveries and rows that have it within longer texts, where it stays unless that is asked for. */
  readonly insideLonger: number
  /** Exports that go, with until when each was to stay. */
  readonly exports: ReadonlyArray<Pick<Runs.Run, "run" | "safeUntil">>
  /** Files that nobody looks into. */
  readonly setAside: ReadonlyArray<string>
}

export interface By {
  readonly by: string
  readonly reason: string
  /** Whether exports may go before the time until which they were to stay. */
  readonly removesExports: boolean
}

const attempt = <A>(what: string, use: () => A): Effect.Effect<A, EraseError> =>
  Effect.try({ try: use, catch: (cause) => new EraseError({ message: `${what}: ${whyNot(cause)}.` }) })

const begun = "Not everything is erased yet; run `siteledger erase --resume`"

/** Opens the Store for this alone: nothing has it open while its files are written again. */
const opened = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.scoped(Effect.provide(use, Sqlite.layer, { local: true }))

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

const asBytes = 32

/** The same for all of a Store, so that a text need be hashed once. */
const saltOf = (all: ReadonlyArray<Erasures.Tombstone>): string => all[0]?.salt ?? randomBytes(asBytes).toString("hex")

const withoutOf = (rule: ReadonlyArray<Erasure.Erased>, { kept }: Place) => ({
  // There is at least one.
  redact: Erasure.redactor(rule) ?? ((text: string) => text),
  bodies: Erasure.keptAt(kept.inBodies),
  answers: Erasure.keptAt(kept.inAnswers)
})

const withFile = <A, E, R>(path: string, use: (database: DatabaseSync) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    attempt(`The store ${path} can't be opened`, () => openFile(path)),
    use,
    (database) => Effect.sync(() => database.close())
  )

const exported = Effect.flatMap(Runs.list, ({ runs }) =>
  Effect.succeed(runs.map(({ run, safeUntil }) => ({ run, safeUntil })))
)

const noneSo = new EraseError({
  message: "An erasure was begun and isn't through: run `siteledger erase --resume` first."
})

/** What would be erased, and what would remain; nothing is changed. */
export const look = Effect.fn("Erase.look")(function* (place: Place, asked: Erasure.Asked) {
  const all = yield* opened(settled)
  if (!all.every(Erasures.isThrough)) return yield* noneSo
  const { bodies, redact } = withoutOf([Erasure.erased(asked, saltOf(all))], place)
  const inAll = (seek: Erasure.Redact) =>
    withFile(place.store, (database) =>
      attempt("The store can't be read", () => {
        const { keeping, losing } = Inbox.look(Segments.folderOf(place.store), { redact: seek, isKept: bodies })
        const { changed, kept } = Rows.look(database, seek)
        return { deliveries: losing, changed, kept: keeping === 0 ? kept : { deliveries: keeping, ...kept } }
      })
    )
  const found = yield* inAll(redact)
  const more = asked.isWithin ? undefined : yield* inAll(beyond(redact, asked, saltOf(all)))
  const looked: Found = {
    ...found,
    insideLonger: more === undefined ? 0 : more.deliveries + sumOf(more.changed),
    exports: yield* exported,
    setAside: [...Files.setAside(place), ...(yield* Effect.flatMap(Lake, Exports.strangers))]
  }
  return looked
})

/** What would go only if longer texts were looked into, too. */
const beyond = (redact: Erasure.Redact, asked: Erasure.Asked, salt: string): Erasure.Redact => {
  const wide = Erasure.redactor([Erasure.erased({ ...asked, isWithin: true }, salt)]) ?? redact
  return (text, name, isLoose) => {
    const left = redact(text, name, isLoose)
    const less = wide(left, name, isLoose)
    return less === left ? text : less
  }
}

const sumOf = (counts: Rows.Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

const names = (asked: Erasure.Asked, { by, reason }: By): boolean => {
  const redact = Erasure.redactor([Erasure.erased({ ...asked, field: null, isWithin: true }, "")])
  return [by, reason].some((text) => redact?.(text, null) !== text)
}

const named = new EraseError({
  message: "The reason or the name given has the value that is erased, and both are kept. Nothing was erased."
})

const notAgreed = (count: number) =>
  new EraseError({
    message:
      `The lake has ${count === 1 ? "an export" : `${count} exports`}, each of which may hold it: give --remove-exports ` +
      "to have them removed, or wait until they are gone. Nothing was erased."
  })

/** Notes what is asked for, then does it. */
export const erase = Effect.fn("Erase.erase")(function* (place: Place, asked: Erasure.Asked, given: By) {
  if (names(asked, given)) return yield* named
  const found = yield* look(place, asked)
  if (found.exports.length > 0 && !given.removesExports) return yield* notAgreed(found.exports.length)
  const now = yield* Clock.currentTimeMillis
  yield* opened(
    Effect.gen(function* () {
      const store = yield* Store
      yield* store.transaction(async (tx) => {
        const rule = Erasure.erased(asked, saltOf(await Erasures.tombstones(tx)))
        await tx
          .insertInto("erasures")
          .values({
            asked_at: Instant.fromMillis(now),
            asked_by: given.by,
            reason: given.reason,
            field: rule.field,
            salt: rule.salt,
            value_sha256: rule.sha256,
            value_length: rule.length,
            is_within: rule.isWithin ? 1 : 0,
            chain: null
          })
          .execute()
      })
    })
  )
  yield* finish(place)
  return found
})

const nothing = new EraseError({ message: "No erasure was begun that isn't through: there is nothing to resume." })

/** Finishes what was begun. */
export const resume = Effect.fn("Erase.resume")(function* (place: Place) {
  const all = yield* opened(settled)
  if (all.every(Erasures.isThrough)) return yield* nothing
  yield* finish(place)
})

const finish = Effect.fn("Erase.finish")(function* (place: Place) {
  yield* withFile(place.store, (database) =>
    Effect.gen(function* () {
      const db = new Kysely<StoreTables>({ dialect: dialect(database) })
      const all = (yield* Effect.promise(() => Erasures.tombstones(db))).filter((row) => !Erasures.isThrough(row))
      const without = withoutOf(all.map(Erasures.ruleOf), place)
      const note = noting(database, Number(all[0]?.number))
      const { answers, bodies, redact } = without
      yield* attempt(`${begun}. The inbox`, () =>
        Inbox.erase(Segments.folderOf(place.store), { redact, isKept: bodies }, (lost) => {
          for (const { sequence, sha256 } of lost) note(sha256, sequence)
        })
      )
      yield* attempt(`${begun}. The store`, () => {
        database.exec("begin immediate")
        Rows.erase(database, { redact, isKept: answers }, (sha256) => note(sha256, null))
        setMeta(database, disowned.key, disowned.value)
        database.exec("commit")
      })
      yield* attempt(`${begun}. The files beside the store`, () => Files.discard(place))
      yield* Effect.promise(() => TemporaryFolder.sweep().catch(() => undefined))
      yield* Effect.mapError(
        Effect.flatMap(Lake, Exports.remove),
        ({ message }) => new EraseError({ message: `${begun}. The lake: ${message}` })
      )
      yield* attempt(`${begun}. The store`, () => writeAgain(database))
      yield* Effect.promise(() => db.transaction().execute(Erasures.finish))
      yield* attempt(`${begun}. The store`, () => writeAgain(database))
    })
  )
})

/** Of the first of several that are done together. */
const noting = (database: DatabaseSync, erasure: number) => {
  const insert = database.prepare(
    `insert into erased_bodies (body_sha256, erasure, sequence) values (?, ?, ?) on conflict (body_sha256) do nothing`
  )
  return (sha256: string, sequence: number | null): void => void insert.run(sha256, erasure, sequence)
}

/** SQLite leaves what was deleted in free pages and in its log. */
const writeAgain = (database: DatabaseSync): void => {
  database.exec("pragma secure_delete = on; vacuum; pragma wal_checkpoint(truncate)")
}
