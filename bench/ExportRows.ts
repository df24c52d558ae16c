/**
 * Writes the rows of the export benchmark into its empty warehouse, as the worker would: the rows of a range of events.
 * Prints a line when it is done.
 * Run: node bench/ExportRows.ts --engine ENGINE WHERE EVENTS ENTITIES FROM TO
 */
import { parseArgs } from "node:util"
import * as Engine from "./Engine.ts"
import { run } from "./Statements.ts"

const { positionals } = parseArgs({ options: { engine: { type: "string" } }, allowPositionals: true })
const [where = "", ...numbers] = positionals
const [events = 0, ipcs = 0, from = 0, to = 0] = numbers.map(Number)
const dates = 30

/** SQL that the two engines spell differently. */
const spelling = {
  duckdb: {
    numbers: (from: number, to: number) => `range(${from}, ${to}) r(i)`,
    number: (text: string) => `(hash(${text}) % 100000000)`,
    sha256: (text: string) => `sha256(${text}::varchar)`,
    json: ""
  },
  postgres: {
    numbers: (from: number, to: number) => `generate_series(${from}::bigint, ${to - 1}) r(i)`,
    number: (text: string) => `(hashint8extended(${text}, 0) & 67108863)`,
    sha256: (text: string) => `encode(sha256((${text})::text::bytea), 'hex')`,
    json: "::json"
  }
}[Engine.name]

const stepMs = (dates * 86_400_000) / events

/** How many entities this many events have. */
const entities = (count: number): number => Math.round((count / events) * ipcs)

/** Rows as the worker would write them: bodies of about 200 bytes, ids and hashes that don't repeat. */
const statements = [
  `insert into construction.events
   select ${spelling.sha256("i")}, i, 'evt_' || md5(i::varchar), 'ipc.certified', t, 'ipcs', 'IPC-' || (i % ${ipcs}),
     '{"event_type":"ipc.certified","event_timestamp":"' || t || '","ipc_id":"IPC-' || (i % ${ipcs})
       || '","certified_amount":' || ${spelling.number("i")} || '.25,"certificate_url":"https://example.com/c/'
       || md5('c' || i) || '"}', t, t + interval '2 seconds', 1, 'applied', null, '[]'
   from (select i, timestamptz '2026-11-01 00:00:00Z' + i * ${stepMs}::double precision * interval '1 millisecond' as t
         from ${spelling.numbers(from, to)}) as given`,
  `insert into construction.ipcs
     (id, status, project_id, certified_amount, certificate_url, certified_at, _clocks, _first_seen_at, _changed_at)
   select 'IPC-' || i, 'certified', i % 700, ${spelling.number("i")}::decimal(28, 4) / 4,
     'https://example.com/c/' || md5('c' || i), timestamptz '2026-11-20 00:00:00Z',
     ('{"certified_amount":"' || md5('k' || i) || '"}')${spelling.json},
     timestamptz '2026-11-01 00:00:00Z' + i * interval '1 second', timestamptz '2026-11-20 00:00:00Z'
   from ${spelling.numbers(entities(from), entities(to))}`
]

await run(where, statements)
process.stdout.write("filled\n")
