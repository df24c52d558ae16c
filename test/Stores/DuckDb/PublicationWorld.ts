/** A warehouse file that is written and published, and batches for it. */
import { statSync } from "node:fs"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert } from "@effect/vitest"
import type { Change } from "../../../src/Domain/Change.ts"
import { byName } from "../../../src/Domain/Resource.ts"
import { described, type EntityTable, usual } from "../../../src/Stores/EntityTables.ts"
import * as FileIdentity from "../../../src/Stores/FileIdentity.ts"
import { openWarehouse } from "../../../src/Stores/DuckDb/File.ts"
import { Publication } from "../../../src/Stores/DuckDb/Publication.ts"
import type { Limits } from "../../../src/Stores/PublishedFiles.ts"
import { DuckDbWriter } from "../../../src/Stores/DuckDb/Writer.ts"
import type { Batch } from "../../../src/Stores/Warehouse.ts"
import { tables } from "../../../src/Stores/WarehouseTables.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import type { Random } from "../../Seeded.ts"
import { certified, decisionRow, entryRow, eventRow, holdRow } from "../Written.ts"

/** One after the other, in the order of the warehouse's semaphore. */
class Turns {
  #last: Promise<unknown> = Promise.resolve()

  readonly next = <A>(run: () => Promise<A>): Promise<A> => {
    const result = this.#last.then(run)
    this.#last = result.catch(() => undefined)
    return result
  }
}

/** IPCs whose list of lines is a table, too. */
const ipcs = byName("ipcs")
const lines = {
  name: "ipc_lines",
  says: "Lines.",
  column: "lines",
  columns: [{ name: "nr", type: "BIGINT" as const, says: "Its number.", from: "/nr" }],
  dropped: []
}
const linedIpcs = (others: ReadonlyArray<string>) =>
  described({
    ...ipcs,
    columns: {
      ...ipcs.columns,
      ...Object.fromEntries(others.map((name) => [name, { type: "VARCHAR" as const, says: "Learned.", since: 1 }])),
      lines: { type: "JSON", says: "Lines.", since: 1 }
    },
    nested: [lines]
  })

/** The tables of entities, IPCs with a table of their lines and other columns of text. */
export const withLinesIn = (others: ReadonlyArray<string>) =>
  usual.map((table) => (table.name === "ipcs" ? linedIpcs(others) : table))

export const withLines = withLinesIn([])

const linesOf = (...numbers: ReadonlyArray<number>): string => JSON.stringify(numbers.map((nr) => ({ nr })))

const linedIpc = (id: string, second: number, amount: string, text: string): Change => {
  const change = certified(id, second, amount)
  return { ...change, values: { ...change.values, lines: text } }
}

const shownTables = ["construction.ipc_lines", ...tables.map(({ name }) => `construction.${name}`), "siteledger.meta"]

const contentsOf = async (instance: DuckDBInstance): Promise<ReadonlyArray<unknown>> => {
  const connection = await instance.connect()
  const contents: Array<unknown> = []
  for (const table of shownTables) {
    const rows = await connection.runAndReadAll(`select * from ${table} order by all`)
    contents.push([table, rows.getRowsJson()])
  }
  connection.disconnectSync()
  return contents
}

const contentsAt = async (path: string): Promise<ReadonlyArray<unknown>> => {
  const instance = await DuckDBInstance.create(path, { access_mode: "READ_ONLY" })
  const contents = await contentsOf(instance)
  instance.closeSync()
  return contents
}

export interface World {
  readonly target: string
  readonly instance: DuckDBInstance
  readonly write: (batch: Batch) => Promise<unknown>
  /** Commits wait until the returned function is called. */
  readonly holdCommits: () => () => void
  /** As if rows with these keys had been written. */
  readonly wrote: (table: string, keys: ReadonlyArray<string>) => void
  readonly publish: (isWhole?: boolean) => Promise<void>
  /** What is shown with the warehouse. */
  readonly compare: () => Promise<void>
  /** How the newest copy was made. */
  readonly isWhole: () => boolean
  /** Publishes and compares. Returns which file is shown. */
  readonly published: () => Promise<number>
}

/** What runs before each statement. */
const watchedBy = (instance: DuckDBInstance, before: (statement: string) => Promise<void>): DuckDBInstance => {
  const connect = async () => {
    const connection = await instance.connect()
    const run = connection.run.bind(connection)
    connection.run = async (...call) => {
      await before(call[0])
      return run(...call)
    }
    return connection
  }
  return { connect } as DuckDBInstance
}

const roomy = {
  roomFor: () => "working" as const,
  takeRoom: async () => undefined,
  giveRoom: async () => undefined
}

interface Wanted extends Partial<Limits> {
  /** Columns that fit in memory at once; as many as usual if undefined. */
  readonly columnsAtOnce?: number
  readonly tables?: ReadonlyArray<EntityTable>
  /** Runs after one of the first ten parts of a whole copy. */
  readonly afterPart?: (world: World, part: number) => Promise<void>
}

export const withWorld = async (use: (world: World) => Promise<void>, wanted: Wanted = {}): Promise<void> => {
  const folder = temporaryFolder()
  try {
    await inFolder(folder, use, wanted)
  } finally {
    removeFolder(folder)
  }
}

/** From its start to its stop; the next one there finds what this one left. */
export const inFolder = async (
  folder: string,
  use: (world: World) => Promise<void>,
  { afterPart, columnsAtOnce, tables: made = withLines, ...limits }: Wanted = {}
): Promise<void> => {
  const target = `${folder}/analytics.duckdb`
  const path = `${folder}/warehouse.duckdb`
  const asClosed = FileIdentity.ofClosed(path)
  const file = await openWarehouse(path, { tables: made })
  const turns = new Turns()
  let parts = 0
  const watched = watchedBy(file.instance, async (statement) => {
    if (statement === "checkpoint copied" && parts < 10) await afterPart?.(world, ++parts)
  })
  const memory = columnsAtOnce === undefined ? file.memory : { ...roomy, newColumns: columnsAtOnce }
  const own = { instance: watched, tables: file.tables, memory, asClosed }
  const publication = new Publication(own, turns.next, {
    large: 0,
    replaced: 1000,
    leftAlone: 0,
    ...limits
  })
  let committing = Promise.resolve()
  const instance = watchedBy(file.instance, async (statement) => {
    if (statement === "commit") await committing
  })
  const writer = await DuckDbWriter.open({ ...file, instance }, publication.wrote)
  let newest = { isWhole: false }
  const publish = async (isWhole = false) => void (newest = await publication.publish(target, isWhole))
  const compare = async () => assert.deepStrictEqual(await contentsAt(target), await contentsOf(file.instance))
  const world: World = {
    target,
    instance: file.instance,
    write: (batch) => turns.next(() => writer.write(batch)),
    holdCommits: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      committing = promise
      return resolve
    },
    wrote: publication.wrote,
    publish,
    compare,
    isWhole: () => newest.isWhole,
    published: async () => {
      await publish()
      await compare()
      return statSync(target).ino
    }
  }
  try {
    await use(world)
  } finally {
    writer.close()
    await file.close()
    publication.leave(FileIdentity.ofClosed(path))
  }
}

/** Also rows that were there before. */
export const batchOf = (random: Random, number: number): Batch => {
  const changes = Array.from({ length: random.below(20) }, (_, n) =>
    linedIpc(
      `I${random.below(60)}`,
      number * 20 + n,
      `${random.below(1000)}.0000`,
      linesOf(...Array.from({ length: random.below(4) }, () => random.below(100)))
    )
  )
  const first = Math.max(1, number * 5 - random.below(8))
  const ipcId = `I${random.below(5)}`
  return {
    changes,
    events: Array.from({ length: random.below(9) }, (_, n) => eventRow(first + n, `batch ${number}`)),
    watermark: number,
    ...(random.chance(0.5)
      ? {
          ledger: {
            entries: [entryRow(number)],
            decisions: random.chance(0.5) ? [decisionRow(number)] : [],
            holds: { ofIpcs: [ipcId], open: random.chance(0.5) ? [holdRow(number, ipcId)] : [] }
          }
        }
      : {}),
    ...(random.chance(0.2)
      ? { currencies: [{ id: "default", project_id: null, currency: random.pick(["EUR", "USD"]) }] }
      : {})
  }
}

export const batch = (number: number): Batch => ({
  changes: [linedIpc(`I${number}`, number, `${number}.0000`, linesOf(number))],
  events: [eventRow(number, "payload")],
  watermark: number
})

/** After this, the next copy is made from the one before. */
export const takingTurns = async ({
  published,
  write
}: World): Promise<{ readonly shown: number; readonly hidden: number }> => {
  await write(batch(1))
  const hidden = await published()
  await write(batch(2))
  const shown = await published()
  await write(batch(3))
  return { shown, hidden }
}
