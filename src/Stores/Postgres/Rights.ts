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

/** Of the Store. */
export const appendOnly = ["ledger_facts", "ledger_terms", "ledger_entries", "ledger_hold_decisions"]

/**
 * `column` of `table` names a row of `parent`, which is append-only. All rows of a statement at once: a trigger for each
 * row took a third of the time of an entry. One look-up by key for each, whatever the planner knows of the table's size.
 */
const reference = (table: string, column: string, parent: string, key: string): ReadonlyArray<string> => [
  `create function siteledger.${table}_has_${key}() returns trigger language plpgsql as $$
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
  `create trigger ${table}_has_${key} after insert on siteledger.${table} referencing new table as added
    for each statement execute function siteledger.${table}_has_${key}()`,
  `alter table siteledger.${table} drop constraint ${table}_${column}_fkey`
]

/** From the owner, whoever that is. A view over one table could be written through, which is nobody's business. */
const revoke = `do $$
  declare
    kept record;
  begin
    for kept in
      select oid::regclass as name, relowner::regrole as owner, 'update, delete, truncate' as rights from pg_class
        where relnamespace = 'siteledger'::regnamespace
          and relname in (${appendOnly.map((table) => `'${table}'`).join(", ")})
      union all
      select oid::regclass, relowner::regrole, 'insert, update, delete, truncate' from pg_class
        where relnamespace = 'construction'::regnamespace and relkind = 'v'
    loop
      execute format('revoke %s on %s from %s', kept.rights, kept.name, kept.owner);
    end loop;
  end $$`

export const statements: ReadonlyArray<string> = [
  ...reference("ledger_entries", "fact", "ledger_facts", "number"),
  ...reference("ledger_hold_decisions", "fact", "ledger_facts", "number"),
  ...reference("ledger_outbox", "entry_id", "ledger_entries", "entry_id"),
  // Of the three, the only table whose rows change at all.
  `create trigger ledger_outbox_keeps_entry_id before update of entry_id on siteledger.ledger_outbox
    for each statement execute function siteledger.refuse_change()`,
  revoke
]
