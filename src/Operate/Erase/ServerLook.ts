/**
 * What would be removed from a PostgreSQL database, and what would stay; nothing is changed.
 */
import type { Client } from "pg"
import type * as Erasure from "../../Domain/Erasure.ts"
import type { Counts, Looked } from "./Engine.ts"
import { keeps } from "./Rows.ts"
import type { Seek } from "./Seek.ts"
import * as Rows from "./ServerRows.ts"
import { batches } from "./ServerScan.ts"
import * as Warehouse from "./ServerWarehouse.ts"

interface TableFound {
  readonly name: string
  changed: number
  kept: number
}

const named = (counts: ReadonlyArray<readonly [name: string, count: number]>): Counts =>
  Object.fromEntries(counts.filter(([, count]) => count > 0))

/** For one table: one result for each seek. */
const ofRows = async (
  client: Client,
  texts: Rows.Texts,
  seeks: ReadonlyArray<Seek>,
  reads: Erasure.Reads
): Promise<ReadonlyArray<TableFound>> => {
  const counts = seeks.map(() => ({ name: texts.name, changed: 0, kept: 0 }))
  for await (const rows of batches(client, texts.table, texts.columns)) {
    for (const row of rows) {
      for (const [at, seek] of seeks.entries()) {
        const count = counts[at]!
        if (Rows.loses(texts, row, { redact: seek, reads })) count[Rows.isBook(texts) ? "kept" : "changed"]++
        if (keeps(texts, row.values, seek, reads)) count.kept++
      }
    }
  }
  return counts
}

/** One result for each seek, from a single pass. */
export const look = async (
  client: Client,
  written: ReadonlyArray<Warehouse.Written>,
  seeks: ReadonlyArray<Seek>,
  asked: Omit<Warehouse.Asked, "redact">
): Promise<ReadonlyArray<Looked>> => {
  const inbox = await Rows.lookIntoInbox(client, seeks, asked.reads)
  const found: Array<ReadonlyArray<TableFound>> = []
  for (const texts of Rows.all) found.push(await ofRows(client, texts, seeks, asked.reads))
  const each = seeks.map((redact) => ({ ...asked, redact }))
  for (const table of written) {
    const counts = await Warehouse.lookInto(client, table, each)
    found.push(counts.map((changed) => ({ name: table.name, changed, kept: 0 })))
  }
  return seeks.map((_, at) => {
    const tables = found.flatMap((counts) => counts[at] ?? [])
    return {
      deliveries: inbox[at]!.losing,
      changed: named(tables.map(({ changed, name }) => [name, changed])),
      kept: named([["deliveries", inbox[at]!.keeping], ...tables.map(({ kept, name }) => [name, kept] as const)])
    }
  })
}
