/**
 * Positions as rows of the Store, and their neighbours within their projects.
 */
import { type Kysely, type RawBuilder, sql } from "kysely"
import { isAmong, listedRows } from "../../Stores/Sql.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { Position } from "../Fold/Position.ts"
import * as Rows from "../Rows.ts"

type Db = Kysely<StoreTables>
type Row = StoreTables["ledger_certified"]

/** What determines an IPC's position. */
export type Place = Pick<Position, "firstAt" | "ipcId" | "projectId">

export type Side = "before" | "after"

export type Beside = { readonly [On in Side]?: Position }

export const rowOf = ({ certificates, firstAt, ipcId, projectId }: Position): Row => ({
  ipc_id: ipcId,
  project_id: projectId,
  first_at: firstAt,
  certificates: textOf(certificates)
})

type Certificates = Position["certificates"]

/** As JSON. Most have one certificate, and writing it takes a third as long as parsing it. */
const textOf = (certificates: Certificates): string =>
  `[${certificates.map(({ at, units }) => `{"at":${JSON.stringify(at)},"units":"${units}"}`).join()}]`

/** `known`: the expected certificates. If they match, their text needn't be parsed. */
export const positionIn = ({ certificates, first_at, ipc_id, project_id }: Row, known?: Certificates): Position => ({
  ipcId: ipc_id,
  projectId: project_id,
  firstAt: first_at,
  certificates:
    known !== undefined && isTextOf(certificates, known) ? known : (Rows.fromJson(certificates) as Certificates)
})

/** In a fact that someone has tampered with, a value other than a bigint could give the same text. */
const isTextOf = (text: string, known: Certificates): boolean =>
  known.every(({ units }) => typeof units === "bigint") && textOf(known) === text

/** The order of the database: text by its bytes. */
export const inOrder = (a: Place, b: Place): number =>
  a.firstAt === b.firstAt ? Buffer.compare(Buffer.from(a.ipcId), Buffer.from(b.ipcId)) : a.firstAt < b.firstAt ? -1 : 1

const nearest = (side: Side, of: RawBuilder<unknown>): RawBuilder<unknown> =>
  side === "before"
    ? sql`(first_at, ipc_id) < ${of} order by first_at desc, ipc_id desc limit 1`
    : sql`(first_at, ipc_id) > ${of} order by first_at asc, ipc_id asc limit 1`

/**
 * The next one in its project on that side; the IPC itself may still stand elsewhere. `without`: other IPCs that are
 * skipped.
 */
export const neighbour = async (
  db: Db,
  { firstAt, ipcId, projectId }: Place,
  side: Side,
  without: ReadonlyArray<string> = []
): Promise<Position | undefined> => {
  const isPassed = isAmong(db, "ipc_id", [ipcId, ...without])
  const { rows } = await sql<Row>`
    select * from ledger_certified where project_id = ${projectId} and not ${isPassed}
      and ${nearest(side, sql`(${firstAt}, ${ipcId})`)}`.execute(db)
  const [row] = rows
  return row === undefined ? undefined : positionIn(row)
}

const both: ReadonlyArray<Side> = ["before", "after"]

/** The same for several places, in one round trip. */
export const neighbours = async (db: Db, places: ReadonlyArray<Place>): Promise<ReadonlyArray<Beside>> => {
  if (places.length === 0) return []
  const given = listedRows(
    db,
    ["project_id", "first_at", "ipc_id"],
    places.map(({ firstAt, ipcId, projectId }) => [projectId, firstAt, ipcId])
  )
  const found = (side: Side) => sql`
    select place, ${sql.lit(side)} as side, (
      select ipc_id from ledger_certified
      where project_id = given.project_id and ipc_id <> given.ipc_id
        and ${nearest(side, sql`(given.first_at, given.ipc_id)`)}
    ) as found from ${given} as given`
  const { rows } = await sql<Row & { readonly place: number; readonly side: Side }>`
    select beside.place, beside.side, ledger_certified.* from (${sql.join(both.map(found), sql` union all `)}) as beside
      join ledger_certified on ledger_certified.ipc_id = beside.found`.execute(db)
  const all = places.map((): { [On in Side]?: Position } => ({}))
  for (const { place, side, ...row } of rows) all[Number(place)]![side] = positionIn(row)
  return all
}
