/**
 * Append-only tables (facts, terms, entries, decisions) are in the schema `ledger`, apart from what changes in place.
 * They accept only INSERT. Their owner may grant and revoke privileges, drop triggers and alter tables. So if
 * config/postgres-roles.sql was run, the owner is a separate role, and the worker's role may only read and append.
 * Where the worker's role owns everything, it revokes its own right to change or remove rows, so that any such
 * statement fails (42501); it could grant itself that right again, but nothing here does. Superusers bypass privileges;
 * triggers refuse them.
 *
 * The functions of the triggers, and the function that an index of `ledger` uses, are in `ledger` too, because they
 * decide what is refused. They name every function and operator with its schema, because a session chooses its own
 * search path.
 *
 * A foreign key locks the referenced row, which requires the right to update it. So triggers check references instead,
 * at the same moment: after the statement has added its rows. Without the lock this is just as safe, because a row of
 * an append-only table never disappears and uncommitted rows of other transactions aren't seen.
 */
import { storeTables } from "../StoreTables.ts"
import type { Listed } from "../Table.ts"

type Name = Pick<Listed, "isAppendOnly" | "name">

/** The Store's append-only tables, in the order in which a worker writes them. */
export const appendOnly: ReadonlyArray<string> = storeTables
  .filter(({ isAppendOnly }) => isAppendOnly === true)
  .map(({ name }) => name)

/** The schema and name of a table of the Store. */
export const inStore = ({ isAppendOnly, name }: Name): string =>
  `${isAppendOnly === true ? "ledger" : "siteledger"}.${name}`

/** The same, given the table's name. */
export const placed = (name: string): string => `${appendOnly.includes(name) ? "ledger" : "siteledger"}.${name}`

/** Created by migrations before the tables, and again where a table has moved. */
export const functions: ReadonlyArray<string> = [
  `create or replace function ledger.digest_of(varchar) returns bytea language sql immutable strict
  as $$ select pg_catalog.sha256(pg_catalog.convert_to($1, 'UTF8')) $$`,
  `create or replace function ledger.refuse_change() returns trigger language plpgsql as $$
  begin raise exception '% is append-only', tg_table_name; end $$`
]

/** Makes a table append-only. The table was just created, so the migrating role owns it. */
export const makeAppendOnly = (table: Name): ReadonlyArray<string> => [
  `create trigger ${table.name}_append_only before update or delete or truncate on ${inStore(table)}
    for each statement execute function ledger.refuse_change()`,
  `revoke update, delete, truncate on ${inStore(table)} from current_user`
]

/** PostgreSQL would allow writing through a view over one table. */
export const readOnly = (view: string): string => `revoke insert, update, delete, truncate on ${view} from current_user`

type Column = Listed["columns"][number]

/**
 * Checks a column that references an append-only table. The trigger handles all rows of a statement at once: one call
 * per row took a third of the time of an entry. The subquery forces one look-up by key per row, regardless of table
 * statistics.
 */
export const referenceFunction = (
  { name: table }: Listed,
  { name: column, references: [parent, key] = ["", ""] }: Column
): string =>
  `create or replace function ledger.${table}_has_${column}() returns trigger language plpgsql as $$
    declare
      missing text;
    begin
      select ${column} into missing from added
        where (select true from ledger.${parent} where ${key} operator(pg_catalog.=) added.${column}) is null limit 1;
      if found then
        raise exception '${table}: there is no ${key} % in ${parent}', missing using errcode = 'foreign_key_violation';
      end if;
      return null;
    end $$`

/** In a table whose rows may change, the reference may not change. */
export const checkReference = (table: Listed, { name: column }: Column): ReadonlyArray<string> => [
  `create trigger ${table.name}_has_${column} after insert on ${inStore(table)} referencing new table as added
    for each statement execute function ledger.${table.name}_has_${column}()`,
  ...(table.isAppendOnly === true
    ? []
    : [
        `create trigger ${table.name}_keeps_${column} before update of ${column} on ${inStore(table)}
    for each statement execute function ledger.refuse_change()`
      ])
]
