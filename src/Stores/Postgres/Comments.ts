/**
 * The comments on schemas and on views for analysts, updated at every start. (Comments on tables are created with the
 * tables.) A schema that another role owns, such as the ledger's owner, is left alone.
 */
import { type Kysely, sql } from "kysely"
import * as Literal from "../../Domain/Literal.ts"
import { type Comment, outdatedComments } from "../DescribedViews.ts"

export const schemas: Readonly<Record<string, string>> = {
  construction: "What analysts see: the service's records, events, and the books that siteledger keeps.",
  ledger: "The books as they are kept: facts and what follows from them. Rows are only appended.",
  siteledger: "What workers keep for themselves: deliveries, walks, secrets, what is to be sent."
}

export const renew = async <DB>(db: Kysely<DB>): Promise<void> => {
  const statements = [...(await ofSchemas(db)), ...(await ofViews(db))]
  if (statements.length > 0) await sql.raw(statements.join(";\n")).execute(db)
}

const ofSchemas = async <DB>(db: Kysely<DB>): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<{ name: string; says: string | null }>`
    select nspname as name, obj_description(oid, 'pg_namespace') as says from pg_namespace
    where nspname = any(${Object.keys(schemas)}) and pg_has_role(nspowner, 'usage')`.execute(db)
  return rows.flatMap(({ name, says }) => {
    const wanted = schemas[name]
    return wanted === undefined || wanted === says ? [] : [`comment on schema ${name} is ${Literal.text(wanted)}`]
  })
}

const ofViews = async <DB>(db: Kysely<DB>): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<Comment>`
    select relname as view, null as "column", obj_description(oid, 'pg_class') as says from pg_class
    where relnamespace = 'construction'::regnamespace and relkind = 'v'
    union all select relname, attname, col_description(attrelid, attnum) from pg_class join pg_attribute on attrelid = oid
    where relnamespace = 'construction'::regnamespace and relkind = 'v' and attnum > 0`.execute(db)
  return outdatedComments(rows)
}
