/**
 * A Store in PostgreSQL from which a value is erased, with the warehouse beside it. No worker may run, on any machine.
 *
 *   bodies and headers            changed in the inbox; each body keeps the hash of the original
 *   rows of Store and warehouse   changed in place
 *   answers, and who asked        as the owner of the append-only tables, which may be another role
 *   the server's own files        each table is rewritten
 */
import { Clock, Effect, type Option, type Redacted } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import * as Agreed from "../../Ledger/Agreed.ts"
import * as Erasures from "../../Stores/Erasures.ts"
import { migrate } from "../../Stores/Postgres/Migrations.ts"
import { inStore } from "../../Stores/Postgres/Rights.ts"
import { Resources } from "../../Stores/Resources.ts"
import { readMeta, writeMeta } from "../../Stores/Store.ts"
import { storeTables } from "../../Stores/StoreTables.ts"
import { begun, type Engine, EraseError, type Note, type RowsFound, type Without } from "./Engine.ts"
import type { Fields } from "./Fields.ts"
import * as Files from "./Files.ts"
import * as Alone from "./ServerAlone.ts"
import { look } from "./ServerLook.ts"
import * as Rows from "./ServerRows.ts"
import { attempt, opened, ownersOf, type Session, step, variable } from "./ServerSessions.ts"
import { type Known, known as knownIn } from "./ServerTables.ts"
import * as Vacuum from "./ServerVacuum.ts"
import * as Warehouse from "./ServerWarehouse.ts"

export interface Place extends Files.Place {
  readonly url: Redacted.Redacted
  /** The address of the owner of the append-only tables, if that is another role. */
  readonly ownersUrl: Option.Option<Redacted.Redacted>
  readonly fields: Fields
}

interface Parts {
  readonly worker: Session
  readonly owner: Session | undefined
  readonly known: Known
  readonly fields: Fields
  /** An Instant. */
  readonly now: string
}

const guarded = Rows.all.filter((texts) => Rows.isGuarded(texts) && !Rows.isBook(texts))
const changeable = Rows.all.filter((texts) => !Rows.isGuarded(texts))

/** In the Store's meta while an erasure that needs the owner is unfinished. */
const needsOwner = "erasing_as_owner"

const noOwner = () =>
  new EraseError({
    message:
      `Tables that are append-only have it (${guarded.map(({ table }) => table).join(" or ")}), and their owner is another ` +
      `role: give its address in ${variable}.`
  })

const isDue = ({ changed }: RowsFound): boolean => guarded.some(({ name }) => (changed[name] ?? 0) > 0)

const noted = async ({ worker: { client, db } }: Parts, asOwner: boolean, of: Parameters<Engine["note"]>[0]) =>
  Alone.inTurn(client, async () => {
    const others = await Alone.othersInTurn(client)
    if (others !== undefined) throw inTheWay(others)
    await db.transaction().execute(async (tx) => {
      await tx
        .insertInto("erasures")
        .values(of(await Erasures.tombstones(tx)) satisfies Note)
        .execute()
      if (asOwner) await writeMeta(tx, needsOwner, "yes")
    })
    const late = await Alone.othersInTurn(client)
    if (late !== undefined) throw new EraseError({ message: `${late} has started meanwhile: stop it. ${begun}.` })
  })

const inTheWay = (who: string) =>
  new EraseError({ message: `${who} works on the database: stop it first. Nothing was erased.` })

const rid = async ({ fields, known, now, owner, worker }: Parts, without: Without, erasure: number) => {
  const { client, db } = worker
  if (owner === undefined && ((await readMeta(db, needsOwner)) !== undefined || (await isAppended(client, without)))) {
    throw new EraseError({ message: `${noOwner().message} ${begun}.` })
  }
  await Rows.eraseInbox(client, without, erasure)
  for (const texts of changeable) await Rows.eraseRows(client, texts, without)
  if (owner !== undefined)
    for (const texts of guarded) await Rows.eraseGuarded({ client, owner: owner.client, erasure }, texts, without)
  for (const table of known.written) await Warehouse.erase(client, table, { ...without, fields, now })
}

/** Includes what arrived while a person was being asked. */
const isAppended = async (client: Session["client"], without: Without): Promise<boolean> => {
  for (const texts of guarded) if (await Rows.isIn(client, texts, without)) return true
  return false
}

const stillRead = (who: string) =>
  new EraseError({ message: `${who} still reads the database as it was before: end it, so that no old row stays.` })

/** Includes tables from which nothing was erased now: rows that were replaced earlier may have contained it. */
const written = storeTables.filter((table) => table.isAppendOnly !== true && table.only !== "sqlite").map(inStore)

const writeAgain = async ({ known, owner, worker: { client } }: Parts) => {
  const first = await Vacuum.readersBefore(client)
  if (first !== undefined) throw stillRead(first)
  await Vacuum.writeAgain(client, [...written, ...known.written.map(({ table }) => table)])
  if (owner !== undefined)
    await Vacuum.writeAgain(
      owner.client,
      guarded.map(({ table }) => table)
    )
  if (!(await Vacuum.mayWriteStatistics(client))) return
  const second = await Vacuum.readersBefore(client)
  if (second !== undefined) throw stillRead(second)
  await Vacuum.writeStatisticsAgain(client)
}

const link = ({ worker: { db } }: Parts) =>
  db.transaction().execute(async (tx) => {
    await Erasures.finish(tx)
    await tx.deleteFrom("meta").where("key", "=", needsOwner).execute()
  })

const setAside = (place: Place, { known, worker: { client } }: Parts) =>
  Effect.map(
    attempt({ name: place.published }, () => Vacuum.mayWriteStatistics(client)),
    (may) => [...Files.besideServer(place), ...known.strangers, ...(may ? [] : [Vacuum.statisticsStay])]
  )

export const open = (place: Place) =>
  Effect.gen(function* () {
    const { fields, ownersUrl, url } = place
    const worker = yield* opened(undefined, url)
    const others = yield* attempt(worker, () => Alone.othersOn(worker.client))
    if (others !== undefined) return yield* inTheWay(others)
    yield* attempt(worker, () => migrate(worker.connections))
    const owner = yield* ownersOf(worker, url, ownersUrl)
    const resources = yield* Resources
    const known = yield* attempt(worker, () => knownIn(worker.db, resources))
    const now = Instant.fromMillis(yield* Clock.currentTimeMillis)
    const parts = { worker, owner, known, fields, now }
    let asOwner = false
    return {
      tombstones: attempt(worker, () => Erasures.tombstones(worker.db)),
      namings: attempt(worker, () => Agreed.namings(worker.db)),
      look: (seeks, reads) =>
        Effect.map(
          attempt(worker, () => look(worker.client, known.written, seeks, { reads, fields, now })),
          (found) => ({ found, unopened: [] })
        ),
      // There are none.
      archives: () => Effect.void,
      setAside: setAside(place, parts),
      ready: (found) =>
        Effect.suspend(() => {
          asOwner = isDue(found)
          return asOwner && owner === undefined ? Effect.fail(noOwner()) : Effect.void
        }),
      note: (of) => attempt(worker, () => noted(parts, asOwner, of)),
      rid: (without, erasure) => step(worker, () => rid(parts, without, erasure)),
      discard: step(worker, async () => Files.discardBesideServer(place)),
      writeAgain: step(worker, () => writeAgain(parts)),
      link: step(worker, () => link(parts))
    } satisfies Engine
  })
