/**
 * What analysts see, a second time, in the schema `construction_jsonb`: a view over each table and view of
 * `construction`, with the same columns in the same order, but with `jsonb` instead of `json`, which can be neither
 * compared nor grouped. (The tables keep `json`, because a merge needs the text as it was written.) Comments are
 * copied.
 *
 * Views are created in the transaction that creates their table or adds columns to it. They are replaced in place,
 * never dropped, so that views which people built on them stay. A view that can't be replaced because someone changed
 * its table by hand is left as it is. A role that may not create the schema continues without it (`siteledger doctor`
 * says so).
 *
 * No value makes a view fail. What `jsonb` refuses is replaced: an escaped NUL or half a surrogate pair by U+FFFD, and
 * a number that may be too large by its text.
 */
import { type Kysely, sql } from "kysely"
import { columnComments, quoted, seen } from "../Ddl.ts"
import * as Literal from "../../Domain/Literal.ts"
import * as Rights from "./Rights.ts"

export const schema = "construction_jsonb"

const says =
  "The tables and views of construction with jsonb in place of json, for select distinct, union, group by and @>."

/** A function that is replaced at the next start if it differs. */
interface Routine {
  readonly name: string
  readonly returns: string
  readonly body: string
}

// Each name is qualified, because a session chooses its own search path; E'' reads the same under every setting.
const escapes = String.raw`(?<!\\)((?:\\\\)*)\\u`
const refused = String.raw`(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})`
const high = String.raw`([dD][89abAB][0-9a-fA-F]{2})`
const low = String.raw`([dD][c-fC-F][0-9a-fA-F]{2})`
const large = "[eE][+-]?[0-9]{4}|[0-9]{255}"
const tokens = String.raw`("(?:[^"\\]|\\.)*")|(-?[0-9][-+.eE0-9]*)|([^"0-9-]+)`

const pattern = (text: string): string => `E${Literal.text(text.replaceAll("\\", "\\\\"))}`

const replaced = (value: string, from: string, to: string): string =>
  `pg_catalog.regexp_replace(${value}, ${pattern(from)}, ${pattern(to)}, 'g')`

/** Pairs are set apart (no JSON has `\u{`) while the rest is replaced. */
const withoutRefused = replaced(
  replaced(
    replaced("$1::pg_catalog.text", `${escapes}${high}\\\\u${low}`, String.raw`\1\\u{\2\3}`),
    `${escapes}${refused}`,
    String.raw`\1\\ufffd`
  ),
  `${escapes}\\{(.{4})(.{4})\\}`,
  String.raw`\1\\u\2\\u\3`
)

const mended: Routine = {
  name: "mended",
  returns: "jsonb",
  body: `
    select pg_catalog.string_agg(case when part[2] operator(pg_catalog.~) ${pattern(large)} then
        pg_catalog.to_json(part[2])::pg_catalog.text
      else coalesce(part[1], part[2], part[3]) end, '' order by place)::pg_catalog.jsonb
    from pg_catalog.regexp_matches(${withoutRefused}, ${pattern(tokens)}, 'g') with ordinality as found(part, place)`
}

/** The server inlines it, because it is a single expression: most values are only cast. */
const asJsonb: Routine = {
  name: "as_jsonb",
  returns: "jsonb",
  body: `
    select case when $1::pg_catalog.text operator(pg_catalog.~) ${pattern(String.raw`\\u${refused}|${large}`)}
      then ${schema}.mended($1) else $1::pg_catalog.jsonb end`
}

const routines = [mended, asJsonb]

const create = ({ body, name, returns }: Routine): ReadonlyArray<string> => [
  `create or replace function ${schema}.${name}(json) returns ${returns} language sql immutable parallel safe
  as $body$${body}$body$`,
  // A reader of a view calls its functions.
  `grant execute on function ${schema}.${name}(json) to public`
]

interface Column {
  readonly name: string
  readonly type: string
  readonly says: string | null
}

interface Relation {
  readonly says: string | null
  readonly columns: ReadonlyArray<Column>
}

const inView = (column: Column): Column => (column.type === "json" ? { ...column, type: "jsonb" } : column)

/** A view accepts new columns at its end, and no other change. */
const canBecome = (columns: ReadonlyArray<Column>, wanted: ReadonlyArray<Column>): boolean =>
  columns.every(({ name, type }, place) => wanted[place]?.name === name && wanted[place].type === type)

const ofView = (name: string, table: Relation, found: Relation | undefined): ReadonlyArray<string> => {
  const wanted = table.columns.map(inView)
  if (found !== undefined && !canBecome(found.columns, wanted)) return []
  const view = `${schema}.${quoted(name)}`
  const values = table.columns.map(({ name: column, type }) =>
    type === "json" ? `${schema}.as_jsonb(${quoted(column)}) as ${quoted(column)}` : quoted(column)
  )
  const isWhole = found?.columns.length === wanted.length
  const known = new Map(found?.columns.map((column) => [column.name, column.says]))
  const described = wanted.flatMap(({ name: column, says: text }) =>
    text === null || text === known.get(column) ? [] : [{ name: column, says: text }]
  )
  return [
    ...(isWhole
      ? []
      : [`create or replace view ${view} as select ${values.join(", ")} from ${seen(name)}`, Rights.readOnly(view)]),
    ...(table.says === null || table.says === found?.says
      ? []
      : [`comment on view ${view} is ${Literal.text(table.says)}`]),
    ...columnComments(view, described)
  ]
}

/**
 * The tables and views of `construction` whose view lacks a column or a comment, or that have no view. Describing all
 * of them takes the server more than twice as long, and a worker must then read what it sends.
 */
const outdated = async <DB>(db: Kysely<DB>): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<{ name: string }>`
    with shown as (
      select c.oid, c.relname, v.oid as view from pg_class c
        left join pg_class v on v.relname = c.relname and v.relkind = 'v'
          and v.relnamespace = (select oid from pg_namespace where nspname = ${schema})
      where c.relnamespace = 'construction'::regnamespace and c.relkind in ('r', 'p', 'v')
    ), said as (select * from pg_description where classoid = 'pg_class'::regclass)
    select relname as name from shown
    where obj_description(oid, 'pg_class') is distinct from obj_description(view, 'pg_class')
    union
    select relname from shown join pg_attribute own on own.attrelid = oid and own.attnum > 0 and not own.attisdropped
      left join pg_attribute other on other.attrelid = view and other.attname = own.attname and not other.attisdropped
      left join said on said.objoid = oid and said.objsubid = own.attnum
      left join said repeated on repeated.objoid = view and repeated.objsubid = other.attnum
    where other.attname is null or said.description is distinct from repeated.description`.execute(db)
  return rows.map(({ name }) => name)
}

/** The comments are aggregated: calling a function for each column takes seconds if there are tens of thousands. */
const relations = async <DB>(db: Kysely<DB>, names: ReadonlyArray<string>): Promise<ReadonlyMap<string, Relation>> => {
  const { rows } = await sql<{ name: string; says: string | null; columns: string }>`
    select nspname || '.' || relname as name, whole.description as says, json_agg(json_build_object(
      'name', attname, 'type', format_type(atttypid, atttypmod), 'says', part.description) order by attnum) as columns
    from pg_namespace n join pg_class c on relnamespace = n.oid join pg_attribute on attrelid = c.oid
      left join pg_description whole
        on whole.objoid = c.oid and whole.classoid = 'pg_class'::regclass and whole.objsubid = 0
      left join pg_description part
        on part.objoid = c.oid and part.classoid = 'pg_class'::regclass and part.objsubid = attnum
    where nspname in ('construction', ${schema}) and relname = any(${names}) and relkind in ('r', 'p', 'v')
      and attnum > 0 and not attisdropped
    group by 1, 2`.execute(db)
  return new Map(
    rows.map(({ columns, name, says: text }) => [
      name,
      { says: text, columns: JSON.parse(columns) as ReadonlyArray<Column> }
    ])
  )
}

const none: ReadonlyMap<string, Relation> = new Map()

interface Place {
  readonly isThere: boolean
  readonly isOurs: boolean
  readonly canMake: boolean
  readonly says: string | null
}

const place = async <DB>(db: Kysely<DB>): Promise<Place> => {
  const { rows } = await sql<Place>`
    select n.oid is not null as "isThere", coalesce(pg_has_role(nspowner, 'usage'), false) as "isOurs",
      has_database_privilege(current_database(), 'create') as "canMake", obj_description(n.oid, 'pg_namespace') as says
    from (select) as one left join pg_namespace n on nspname = ${schema}`.execute(db)
  return rows[0] ?? { isThere: false, isOurs: false, canMake: false, says: null }
}

const bodies = async <DB>(db: Kysely<DB>): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await sql<{ name: string; body: string }>`
    select proname as name, prosrc as body from pg_proc join pg_namespace n on n.oid = pronamespace
    where nspname = ${schema}`.execute(db)
  return new Map(rows.map(({ body, name }) => [name, body]))
}

/**
 * What the views over these tables and views of `construction` lack; nothing if the session's role may not create them.
 */
export const due = async <DB>(db: Kysely<DB>, names: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { canMake, isOurs, isThere, says: found } = await place(db)
  if (isThere ? !isOurs : !canMake) return []
  const lacking = await outdated(db)
  const those = names.filter((name) => lacking.includes(name))
  const [all, made] = [those.length === 0 ? none : await relations(db, those), await bodies(db)]
  return [
    ...(isThere ? [] : [`create schema ${schema}`]),
    ...(found === says ? [] : [`comment on schema ${schema} is ${Literal.text(says)}`]),
    ...routines.filter(({ body, name }) => made.get(name) !== body).flatMap(create),
    ...those.flatMap((name) => {
      const table = all.get(`construction.${name}`)
      return table === undefined ? [] : ofView(name, table, all.get(`${schema}.${name}`))
    })
  ]
}

/**
 * Runs in the caller's transaction, whose turn it is to change tables; all in one statement, because the server may be
 * far away.
 */
export const renew = async <DB>(db: Kysely<DB>, names: ReadonlyArray<string>): Promise<void> => {
  const statements = await due(db, names)
  if (statements.length > 0) await sql.raw(statements.join(";\n")).execute(db)
}
