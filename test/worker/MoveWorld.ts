/** Stores to move: each in its own folder, with rows in every table, and read from disk as they are. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { Store } from "../../src/Stores/Store.ts"
import * as Files from "../../src/Stores/Segments/Open.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"

export class Folder implements Disposable {
  readonly path = temporaryFolder()

  get store(): string {
    return join(this.path, "store.sqlite")
  }

  [Symbol.dispose](): void {
    removeFolder(this.path)
  }
}

/** All but the queue, which the next start makes again. */
const tablesOf = (database: DatabaseSync): ReadonlyArray<string> =>
  database
    .prepare("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !/^(?:sqlite_|kysely_)|^inbox|^archives|^row_changes/.test(name))

const inTable = (database: DatabaseSync): ReadonlyArray<Record<string, unknown>> =>
  database
    .prepare("select * from inbox")
    .all()
    .map((row) => ({ ...row, headers: row["headers"] ?? "[]" }))

const asText = (rows: ReadonlyArray<object>): ReadonlyArray<string> =>
  rows
    .map((row) => Object.entries(row).map(([name, value]) => `${name}: ${textOf(value)}`))
    .map((values) => values.toSorted().join(", "))
    .toSorted()

/** Every table as it is, with the type of each value, without the marks of the move itself. */
export const contents = async (store: string): Promise<Readonly<Record<string, ReadonlyArray<string>>>> => {
  const database = new DatabaseSync(store, { readOnly: true })
  try {
    const rows = (table: string) => {
      const statement = database.prepare(`select * from ${table}`)
      statement.setReadBigInts(true)
      return statement
        .all()
        .filter(
          (row) =>
            table !== "meta" ||
            !["warehouse_id", "moved_to", "ledger_epoch", "inbox", "row_log"].includes(String(row["key"]))
        )
        .map((row) => Object.entries(row).map(([name, value]) => `${name}: ${typeof value} ${textOf(value)}`))
        .map((values) => values.toSorted().join(", "))
        .toSorted()
    }
    const beside: Array<object> = []
    if (Files.isBeside(database)) {
      for await (const some of Files.rowsBeside(store, database)) beside.push(...some)
    }
    const inbox = Files.isBeside(database) ? beside : inTable(database)
    return { ...Object.fromEntries(tablesOf(database).map((table) => [table, rows(table)])), inbox: asText(inbox) }
  } finally {
    database.close()
  }
}

/** Of the books; 1 until the first move or restore. */
export const epochOf = (store: string): number => {
  const database = new DatabaseSync(store, { readOnly: true })
  const value = database.prepare("select value from meta where key = 'ledger_epoch'").get()?.["value"]
  database.close()
  return Number(value ?? 1)
}

const textOf = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString("hex") : String(value)

/** Values that an engine could mistake for others, in every table. */
export const strange = `
  insert into meta values ('service', 'Zoë "x" \\ \u{1F600}'), ('empty', ''), ('applied_through', '9007199254740991');
  insert into inbox (sequence, body_sha256, body, event_id, header_type, issued_at, received_at, deliveries, replayed,
    other_types) values (7, x'00ff', x'00', 'a', null, null, '2026', 3, 1, '["b"]'),
    (9000000000000001, x'01', zeroblob(3000000), '', '', 'x', '', 1, 0, null), (8, x'02', x'', 'Ä', 'é', null, 'z', 1, 0, null);
  insert into quarantine values (7, 'line\nbreak,"quotes"\t\\N', 'ipc.paid', null);
  insert into record_quarantine values ('projects', 'ab', '{"id": 1e400}', 'r', 'f', 'l');
  insert into walks values ('projects', 3, 1000, 9, 90071992547409, 2, 's', 0, 1, null, null, null, 'there',
    'd', 4, 'f', 'b', 'a', 7, 5, 'g');
  insert into walk_pages values ('projects', 1), ('projects', 2);
  insert into walk_writing values ('projects', '["007", "zone-c"]');
  insert into walk_parents values ('things', '007', 3, 'absent', 90071992547409, 2, null);
  insert into sightings values ('projects', 5, 1, 0, null), ('projects', 999999999999999999, 1, 0, null),
    ('projects', -3, 1, 0, ''), ('projects', '007', 1, 0, '7'), ('projects', 'NULL', 1, 0, 'NULL'),
    ('projects', '1234567890123456789', 1, 0, null), ('projects', '', 1, 0, null);
  insert into learned_columns values ('projects', 'e_mail', 'E-Mäil "x"', 'VARCHAR', null, 'at'),
    ('projects', 'e_mail_text', '__proto__', 'VARCHAR', 'e_mail', 'at');
  insert into lookups values ('ipcs', '007', 2, 's', null, null), ('ipcs', 'Zoë/8', 0, 's', 'l', 'nothing');
  insert into unheard values ('Zoë/8', 'p', 's');
  insert into pace values (1763600000, 4);
  insert into uptime (id, from_ms, to_ms) values (12, 1763600000000, 1763600000001);
  insert into closed_gaps values (1, 2, 'c', 'because');
  insert into subscriptions values (4, 'https://x', '["ipc.paid"]', 'c', null, 'r');
  insert into webhook_secrets values (2, 4, 'sealed1.abc', 'f', 'a', null, null, 'u'), (3, null, null, 'g', 'a', 'r', 'e', null);
  insert into alerts values (5, 'red', '{}', null);
  insert into reminders values (3, '{}', null);
  insert into exports values ('run', 's', 'f');
  insert into schedule values ('export', 1763600000000);
  insert into ledger_facts values (7, 'i', 'paid', 'k', '{"a": 1.50}', null),
    (8, 'i', 'paid', 'k', '{}', '${"0".repeat(64)}');
  insert into ledger_evidence values (8, '{"amount": 1.50, "ä": "\\u0000"}');
  insert into ledger_certified values ('i', '1', 'f', '[]');
  insert into ledger_terms values (6, 7, '{}');
  insert into ledger_entries (sequence, entry_id, ipc_id, project_id, kind, amount, payment_reference, debit_account,
      credit_account, effective_at, known_at, part, basis, fact)
    values (1, 'e', 'i', '1', 'payment', '9999999999999999999999.0001', 'r', 'd', 'c', 'at', 'k', 'p', '{}', 7);
  insert into ledger_entries (sequence, entry_id, ipc_id, kind, amount, payment_reference, debit_account,
      credit_account, effective_at, known_at, part, basis, fact, lines)
    values (2, 'f', 'i', 'accrual', '-0.0001', 'i', 'd', 'c', 'at', 'k', 'p', '{}', 7,
      '{"9":"-9999999999999999999999.0001","1400":"9999999999999999999999.0000","__proto__":"0.0001","a \\"b\\"\\n":"0.0000"}');
  insert into ledger_holds values ('h', 'i', 'r', 'zero-amount', 's', '[]', '-12.5000', 'EUR', 'settlement');
  insert into ledger_hold_decisions values (3, 'h2', 'i', 'r', 'zero-amount', 's', 'reject', null, 'me', 'd', null, 8,
    'Zoë.7');
  insert into principals values ('zoe', '["decide","read"]', 'h', 'a', 'os:Zoë "x"', null, 'r', 'admin');
  insert into admin_log values (5, 'a', 'os:Zoë "x"', 'replay', null), (6, 'b', 'zoe', 'ledger-accept', 'Zoë\nthe 2nd');
  insert into sessions values ('s', 'os:Zoë "x"', null, 'b', 'e'), ('t', 'zoe', 'h', 'b', '');
  insert into history values ('alone', 'm', 3, '{"-1": 2, "160": 1}', '{}', 4, 600), ('Zoë', 'm', 0, '{}', '{}', 0, 0);
  insert into walk_passes values ('things', 'e', 3, 's', 'unproven', 'it''s "moved"', 90071992547409, 5, 6, 7, null, null),
    ('Zoë', 'e', 1, 's', 'proven', null, 0, 0, 0, 0, 3, 2);
  insert into erasures values (3, 'a', 'Zoë', 'asked\nto', null, null, 's', 'v', 7, 1, 'c'),
    (4, 'b', 'Zoë', '', null, 'name', 's', 'w', 1, 0, null), (5, 'c', 'Zoë', '', 'permits', null, 's', 'x', 0, 0, null);
  insert into erased_bodies values ('h', 3, 7), ('i', 4, null);
  insert into ledger_outbox values ('e', 1, 'i', 'draft', 'dead', 2, 1, 'q', 'n', null, null, 'k');`

export const makeStore = async (path: string, sql: string): Promise<void> => {
  await Effect.runPromise(Effect.scoped(Effect.provide(Effect.asVoid(Store), Sqlite.layerAt(path))))
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}
