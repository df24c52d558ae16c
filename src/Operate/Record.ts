/**
 * One record for a person: each field with its value and origin, including fields without a column, and the deliveries
 * about it, newest first. Only the search for these deliveries grows with the number of events, so it is limited to a
 * short time.
 */
import { Duration, Effect } from "effect"
import { sql } from "kysely"
import * as Draft from "../Domain/Draft.ts"
import type { Row } from "../Domain/Merge.ts"
import type { Resource } from "../Domain/Resource.ts"
import type { Version } from "../Domain/Version.ts"
import { type EntityTable, inTexts } from "../Stores/EntityTables.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import type { Answer, Payload } from "./AdminApi.ts"
import { VerbError } from "./AdminApi/Verb.ts"
import { type About, type Origin, originIn } from "./Records/Origin.ts"
import { read, typed } from "./Records/Where.ts"
import { ofRecords } from "./Tables.ts"

type Field = Answer<"record">["fields"][number]
type Told = NonNullable<Answer<"record">["deliveries"]>[number]

/** Deliveries per page. */
export const most = 200

const patience = Duration.seconds(2)

const rowOf = (table: EntityTable, id: string) =>
  Effect.flatMap(Warehouse, (warehouse) =>
    warehouse.query(async (db) => {
      const { rows } = await sql<Record<string, unknown>>`
        select * from ${sql.id("construction", table.name)}
        where ${sql.id(table.key)} = ${typed(table.resource.key, id)}`.execute(db)
      return rows.slice(0, 1).map((row) => inTexts(table, row))
    })
  )

/** Null if it took too long. One more than a page has. */
const deliveriesOf = ({ id, table }: About, before: number | undefined) =>
  Effect.flatMap(Warehouse, ({ query }) =>
    Effect.suspend(() => {
      let found: ReadonlyArray<Told> | null = null
      const asked = query(async (db) => {
        const rows = await db
          .selectFrom("construction.events")
          .select(["sequence", "event_id", "event_type", "event_timestamp", "received_at", "outcome", "reason"])
          .where("entity", "=", table)
          .where("entity_id", "=", id)
          .$if(before !== undefined, (all) => all.where("sequence", "<", String(before ?? 0)))
          .orderBy("sequence", "desc")
          .limit(most + 1)
          .execute()
        found = rows.map((row) => ({ ...row, sequence: Number(row.sequence) }))
      })
      return Effect.map(Effect.timeoutOption(Effect.interruptible(asked), patience), () => found)
    })
  )

/** The version of a column; the version of a status is that of its stage. */
const versionOf = (
  { stages }: Resource,
  row: Row,
  versions: Readonly<Record<string, Version>>,
  name: string
): Version | undefined => {
  const stage = name === "status" ? stages.findLast(({ at }) => row[at] != null) : undefined
  return versions[stage?.at ?? name]
}

/** Not the columns that describe all of its fields. */
const isShown = (name: string): boolean => !["_clocks", "_extra", "_nested"].includes(name)

const fieldsOf = ({ columns, resource }: EntityTable, row: Row, said: (version: Version) => Origin) => {
  const versions = Draft.versionsOf(row)
  const extra = Draft.extraOf(row)
  const of = (version: Version | undefined) => (version === undefined ? null : said(version))
  const known = columns
    .filter(({ name }) => isShown(name))
    .map(({ name, says, type }): Field => {
      const isMisfit = versions[`+${name}`] === undefined
      const misfit = isMisfit ? (extra[name] ?? null) : null
      return { name, type, says, value: row[name] ?? null, misfit, said: of(versionOf(resource, row, versions, name)) }
    })
  const names = new Set(columns.map(({ name }) => name))
  const others = Object.entries(extra)
    .filter(([name]) => versions[`+${name}`] !== undefined || !names.has(name))
    .map(([name, value]): Field => {
      return { name, type: null, says: null, value, misfit: null, said: of(versions[`+${name}`]) }
    })
  return [...known, ...others]
}

export const record = Effect.fnUntraced(function* ({ before, id, table: name }: Payload<"record">) {
  const table = yield* ofRecords(name)
  const key = read(table.resource.key, id)
  const [row] = key === undefined ? [] : yield* rowOf(table, key)
  const about = { table: name, id: key ?? id }
  const found = yield* deliveriesOf(about, before)
  if (row === undefined && (found?.length ?? 0) === 0) return yield* missing(about)
  const said = yield* originIn(about, Object.values(Draft.versionsOf(row)))
  return {
    ...about,
    fields: row === undefined ? [] : fieldsOf(table, row, said),
    deliveries: found?.slice(0, most) ?? null,
    hasOlder: (found?.length ?? 0) > most
  } satisfies Answer<"record">
})

const missing = ({ id, table }: About) =>
  new VerbError({
    message: `${table} has no record ${id}, and no event is about one: \`siteledger records ${table}\`.`
  })
