/**
 * Databases as older versions left them, with the books in `siteledger` along with everything else; and the session of
 * a worker of such a version, which continues.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Client } from "pg"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { certified, paid } from "../../Ledger/Started.ts"
import * as Postgres from "../../Postgres.ts"
import { storesAt } from "./World.ts"

export interface Kind {
  readonly kind: string
  readonly version: string
  /** `url`: as whom it is made. */
  readonly make: (url: string) => Promise<unknown>
}

const dump = readFileSync(join(import.meta.dirname, "../Released/server.sql"), "utf8")

/** A worker's ledger, with the terms that both kinds of books have. */
export const started = <A, E>(url: string, body: Effect.Effect<A, E, Ledger>) => {
  const terms = { ...contractor, currency: "EUR" }
  const books = Layer.unwrap(Effect.map(Outbox, (opened) => Ledger.layerWith(terms, opened)))
  const worker = books.pipe(
    Layer.provideMerge(Outbox.layerWith({ status: "draft" })),
    Layer.provideMerge(storesAt(url))
  )
  return Effect.runPromise(Effect.scoped(Effect.provide(body, worker)))
}

const posted = Effect.gen(function* () {
  const ledger = yield* Ledger
  yield* ledger.hear([certified("1", 1, 1, "100.0000"), paid("1", 2, 2), paid("1", 2, 3, "AGAIN"), paid("2", 2, 4)])
})

/** As the tables were before the books had a schema of their own. */
const putBack = `
  alter table ledger.ledger_facts set schema siteledger; alter table ledger.ledger_terms set schema siteledger;
  alter table ledger.ledger_entries set schema siteledger; alter table ledger.ledger_hold_decisions set schema siteledger;
  drop table ledger.admin_log;
  do $$
  declare
    made record;
  begin
    for made in select oid, oid::regprocedure::text as name from pg_proc where pronamespace = 'ledger'::regnamespace loop
      execute format('alter function %s set schema siteledger', made.name);
      execute replace(pg_get_functiondef(made.oid), 'from ledger.', 'from siteledger.');
    end loop;
  end $$;
  drop schema ledger cascade; alter table siteledger.workers drop column version;
  alter table siteledger.walks drop column next_from, drop column definition, drop column pages_before,
    drop column changed_from, drop column changed_began, drop column changed_at, drop column parents,
    drop column parents_sure, drop column begun_at;
  alter table siteledger.sightings drop column parent;
  drop table siteledger.walk_parents, siteledger.learned_columns, siteledger.lookups,
    siteledger.unheard, siteledger.principals, siteledger.sessions, siteledger.history,
    siteledger.walk_passes, siteledger.erasures, siteledger.erased_bodies;
  drop index construction.events_sequence, construction.events_id, construction.events_record, construction.events_received, construction.events_odd;
  alter table siteledger.ledger_hold_decisions drop column principal cascade;
  delete from siteledger.kysely_migration where name > '0003'`

export const released: Kind = { kind: "of version 0.1.0", version: "0001", make: (url) => Postgres.query(url, dump) }

/** With a chain. */
export const chained: Kind = {
  kind: "of today, put back",
  version: "0003",
  make: async (url) => {
    await started(url, posted)
    await Postgres.query(url, putBack)
  }
}

/** The tables that move, and those of which a worker of that version reads and writes a row with each entry. */
export const moving = ["ledger_facts", "ledger_terms", "ledger_entries", "ledger_hold_decisions"] as const

type Contents = Readonly<Record<(typeof moving)[number], ReadonlyArray<Postgres.Row>>>

/** All rows of the books; `schema`: where they are. */
export const contents = async ({ query }: Postgres.Database, schema: string): Promise<Contents> => {
  const all = moving.map(async (table) => [table, await query(`select * from ${schema}.${table} order by 1`)] as const)
  return Object.fromEntries(await Promise.all(all)) as unknown as Contents
}

/** Without the columns that others don't have. */
export const within = (all: Contents, others: Contents): Contents =>
  Object.fromEntries(
    moving.map((table) => {
      const known = new Set(Object.keys(others[table][0] ?? {}))
      return [
        table,
        all[table].map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => known.has(column))))
      ]
    })
  ) as unknown as Contents

/** Their files, which change when rows are rewritten, and the sequences' next numbers. */
export const files = ({ query }: Postgres.Database) =>
  query(`
    select c.relname, c.oid, c.relfilenode, s.last_value from pg_class c
      left join pg_sequences s on s.schemaname = c.relnamespace::regnamespace::text and s.sequencename = c.relname
    where c.relname ~ '^ledger_(facts|terms|entries|hold_decisions)' and c.relkind in ('r', 'i', 'S')
      and c.relnamespace <> 'construction'::regnamespace order by 1`)

/** A session of a worker of that version: it finds its tables by its search path. */
export const older = async (url: string) => {
  const client = new Client({ connectionString: url, options: "-c search_path=siteledger" })
  client.on("error", () => undefined)
  await client.connect()
  /** As it posts an entry, with all that goes with one, in one transaction. */
  const post = async (number: number): Promise<void> => {
    await client.query(`
      begin;
      insert into ledger_facts (number, ipc_id, kind, known_at, content)
        values (${number}, 'old', 'payment', '2026-11-27T00:00:00.000000Z', '{}');
      insert into ledger_terms (from_fact, content) values (${number}, '{}');
      insert into ledger_entries (sequence, entry_id, ipc_id, kind, amount, payment_reference, debit_account,
          credit_account, effective_at, known_at, part, basis, fact)
        values (${number}, 'e${number}', 'old', 'payment', '1.0000', 'p${number}', 'd', 'c', 'now', 'now', 'whole', '[]', ${number});
      insert into ledger_hold_decisions (hold_id, ipc_id, payment_reference, reason, since, verdict, decided_at, fact)
        values ('h${number}', 'old', 'p', 'zero-amount', 'now', 'answered', 'now', ${number});
      insert into ledger_outbox (entry_id, sequence, ipc_id, status, queued_at, next_attempt_at)
        values ('e${number}', ${number}, 'old', 'draft', 'now', 'now');
      commit`)
  }
  const posted = async (): Promise<ReadonlyArray<unknown>> => {
    const { rows } = await client.query<{ number: string }>(`
      select e.sequence::text as number from ledger_entries e join ledger_facts f on f.number = e.fact
        join ledger_hold_decisions d on d.fact = f.number join ledger_terms t on t.from_fact = f.number
        join ledger_outbox o using (entry_id) where e.ipc_id = 'old' order by e.sequence`)
    return rows.map(({ number }) => Number(number))
  }
  return { client, post, posted, [Symbol.asyncDispose]: () => client.end() }
}

/** The row by which the others know such a worker. */
export const report = `
  insert into siteledger.workers (id, host, pid, started_at, seen_at, is_leader, reasons)
  values ('older', 'here', 1, '2026-11-27', now()::text, true, '[]')
  on conflict (id) do update set seen_at = excluded.seen_at`
