/**
 * What is written for ever is written by INSERT alone: facts, terms, entries and decisions can't be changed or removed by
 * the worker's own role, whatever statement it is brought to run. The tables' owner has no such right either, so the
 * refusal (42501) doesn't rest on the triggers; superusers pass the rights, and the triggers refuse them. An owner can
 * give itself the rights back, which takes a statement of its own that nothing here makes, and `siteledger doctor` tells.
 *
 * A foreign key locks the row that it refers to, as the owner of that row's table, and that takes a right to update it.
 * So triggers check the same at the same moment, when a statement has added its rows. Without the lock that is as sure: a
 * row of an append-only table that is there once is there for ever, and one that another transaction hasn't committed
 * isn't seen.
 */
import { storeTables } from "../StoreTables.ts"
import type { Listed } from "../Table.ts"

/** Of the Store. */
export const appendOnly: ReadonlyArray<string> = storeTables
  .filter(({ isAppendOnly }) => isAppendOnly === true)
  .map(({ name }) => name)

/** What the triggers call to refuse a statement. */
export const refuseChange = `create function siteledger.refuse_change() returns trigger language plpgsql as $$
  begin raise exception '% is append-only', tg_table_name; end $$`

/** Rows of this table are written once. It was just made, so its owner is the role that migrates. */
export const keep = ({ name }: Pick<Listed, "name">): ReadonlyArray<string> => [
  `create trigger ${name}_append_only before update or delete or truncate on siteledger.${name}
    for each statement execute function siteledger.refuse_change()`,
  `revoke update, delete, truncate on siteledger.${name} from current_user`
]

/** A view over one table could be written through. */
export const readOnly = (view: string): string => `revoke insert, update, delete, truncate on ${view} from current_user`

/**
 * A column that names a row of a table which is append-only. All rows of a statement at once: a trigger for each row took a
 * third of the time of an entry. One look-up by key for each, whatever the planner knows of the table's size. In a table
 * whose rows change, what they name doesn't.
 */
export const watch = (
  { isAppendOnly, name: table }: Listed,
  { name: column, references: [parent, key] = ["", ""] }: Listed["columns"][number]
): ReadonlyArray<string> => [
  `create function siteledger.${table}_has_${column}() returns trigger language plpgsql as $$
    declare
      missing text;
    begin
      select ${column} into missing from added
        where (select true from siteledger.${parent} where ${key} = added.${column}) is null limit 1;
      if found then
        raise exception '${table}: there is no ${key} % in ${parent}', missing using errcode = 'foreign_key_violation';
      end if;
      return null;
    end $$`,
  `create trigger ${table}_has_${column} after insert on siteledger.${table} referencing new table as added
    for each statement execute function siteledger.${table}_has_${column}()`,
  ...(isAppendOnly === true
    ? []
    : [
        `create trigger ${table}_keeps_${column} before update of ${column} on siteledger.${table}
    for each statement execute function siteledger.refuse_change()`
      ])
]
