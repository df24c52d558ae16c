/**
 * An analyst with only DuckDB, in a separate process: opens the published copy again and again and checks that it
 * doesn't contradict itself. Prints what it saw as one JSON line when its standard input ends. Run: node Analyst.ts
 * FILE
 */
import { DuckDBInstance } from "@duckdb/node-api"

const file = process.argv[2] ?? ""

/** Each is 0 at any point in time, for a worker that receives certificates and payments. */
const contradictions = {
  "events without their rows": `
    select count(*) from (select distinct entity_id from construction.events where entity = 'ipcs' and outcome = 'applied')
    anti join construction.ipcs on entity_id = id`,
  "rows without their events": `
    select count(*) from construction.ipcs i
    where (i.certified_at is not null) <> exists (
      from construction.events e where e.entity_id = i.id and e.event_type = 'ipc.certified')
    or (i.paid_at is not null) <> exists (
      from construction.events e where e.entity_id = i.id and e.event_type = 'ipc.paid')`,
  "entries without a payment, or of another amount": `
    select count(*) from construction.ledger_entries l left join construction.ipcs i on i.id = l.ipc_id
    where l.kind <> 'accrual' and (i.paid_at is null or l.amount is distinct from i.certified_amount)`,
  "payments posted twice": `
    select count(*) - count(distinct ipc_id) from construction.ledger_entries where kind <> 'accrual'`,
  "difference between debit and credit": `
    select coalesce(sum(debit) - sum(credit), 0) from construction.ledger_lines`,
  "lines too few": `
    select (select sum(coalesce(len(json_keys(lines)), 2)) from construction.ledger_entries)
      - (select count(*) from construction.ledger_lines)`
}

export interface Seen {
  readonly openings: number
  readonly failures: ReadonlyArray<string>
  /** The number of events in each copy that differed from the one before. */
  readonly copies: ReadonlyArray<number>
  readonly entries: number
}

const seen = { openings: 0, failures: [] as Array<string>, copies: [] as Array<number>, entries: 0 }

const look = async (): Promise<void> => {
  const instance = await DuckDBInstance.create(file, { access_mode: "READ_ONLY" })
  const connection = await instance.connect()
  const number = async (sql: string) => Number((await connection.runAndReadAll(sql)).getRowsJson()[0]?.[0])
  try {
    for (const [what, sql] of Object.entries(contradictions)) {
      const found = await number(sql)
      if (found !== 0) seen.failures.push(`${what}: ${found}`)
    }
    const events = await number("select count(*) from construction.events")
    const before = seen.copies.at(-1) ?? 0
    if (events < before) seen.failures.push(`${before} events became ${events}`)
    if (events !== before) seen.copies.push(events)
    seen.entries = await number("select count(*) from construction.ledger_entries")
  } finally {
    connection.disconnectSync()
    instance.closeSync()
  }
}

let hasEnded = false
process.stdin.resume().on("end", () => void (hasEnded = true))

while (!hasEnded) {
  await look().catch((cause: unknown) => seen.failures.push(String(cause)))
  seen.openings += 1
}
process.stdout.write(`${JSON.stringify(seen satisfies Seen)}\n`)
