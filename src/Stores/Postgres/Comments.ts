/**
 * The comments on schemas and on views for analysts, brought up to date at every start. (Those on tables come with the
 * tables.) A schema of another role, like the ledger's owner, is left alone.
 */
import { type Kysely, sql } from "kysely"
import * as Literal from "../../Domain/Literal.ts"
import { type Comment, lackingComments } from "../DescribedViews.ts"

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
    select relname as view, attname as "column", d.description as says
    from pg_class c join pg_description d on d.objoid = c.oid and d.classoid = 'pg_class'::regclass
      left join pg_attribute on attrelid = c.oid and attnum = d.objsubid and d.objsubid > 0
    where relnamespace = 'construction'::regnamespace and relkind = 'v'`.execute(db)
  return lackingComments(rows)
}
