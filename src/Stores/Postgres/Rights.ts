/**
 * Append-only tables (facts, terms, entries, decisions) take INSERT only. The worker's role owns them but revokes its own
 * right to change or remove rows, so any such statement fails (42501). Superusers bypass rights; triggers refuse them. An
 * owner could grant itself the rights again: nothing here does, and `siteledger doctor` reports it.
 *
 * A foreign key locks the referenced row, which requires the right to update it. So triggers check references instead, at
 * the same moment: after the statement has added its rows. Without the lock this is just as safe, because a row of an
 * append-only table never disappears and uncommitted rows of other transactions aren't seen.
 */
import { storeTables } from "../StoreTables.ts"
import type { Listed } from "../Table.ts"

/** The Store's append-only tables. */
export const appendOnly: ReadonlyArray<string> = storeTables
  .filter(({ isAppendOnly }) => isAppendOnly === true)
  .map(({ name }) => name)

/** The triggers' function. */
export const refuseChange = `create function siteledger.refuse_change() returns trigger language plpgsql as $$
  begin raise exception '% is append-only', tg_table_name; end $$`

/** Makes a table append-only. It was just created, so the migrating role owns it. */
export const makeAppendOnly = ({ name }: Pick<Listed, "name">): ReadonlyArray<string> => [
  `create trigger ${name}_append_only before update or delete or truncate on siteledger.${name}
    for each statement execute function siteledger.refuse_change()`,
  `revoke update, delete, truncate on siteledger.${name} from current_user`
]

/** PostgreSQL would allow writing through a view over one table. */
export const readOnly = (view: string): string => `revoke insert, update, delete, truncate on ${view} from current_user`

/**
 * Checks a column that references an append-only table. The trigger handles all rows of a statement at once: one per row
 * took a third of the time of an entry. The subquery forces one look-up by key per row, regardless of table statistics. In
 * a table whose rows may change, the reference may not.
 */
export const checkReference = (
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
