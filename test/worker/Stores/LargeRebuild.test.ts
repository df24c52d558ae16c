/**
 * A rebuild of many deliveries with bodies larger than what DuckDB keeps in a row (4 kB) makes the same rows again in one process,
 * while the copy of the inbox is written again beside them; and that copy is whole.
 */
import { createSecretKey } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBBlobValue, DuckDBInstance } from "@duckdb/node-api"
import { assert, describe, it } from "@effect/vitest"
import { intoFiles } from "../../../bench/AppliedFiles.ts"
import { tables } from "../../../bench/AppliedRows.ts"
import type { Chunk } from "../../../src/Stores/Deliveries.ts"
import * as Chunks from "../../../src/Stores/Segments/Chunk.ts"
import type { Frame } from "../../../src/Stores/Segments/Frame.ts"
import { folderOf } from "../../../src/Stores/Segments/Open.ts"
import { rounds } from "../../Long.ts"
import { until } from "../../RunningWorker.ts"
import { framesOf } from "../../Stores/Segments/Inbox.ts"
import { type Rows, World } from "../World.ts"

/** Whole lives. */
const made = rounds(12_000, 120_000)
/** 4,480 digits that are packed into half at the best. */
const note = "array_to_string(list_transform(range(70), each -> sha256(k || '-' || each)), '')"

const storeOf = ({ dataDir }: World): string => join(dataDir, "store.sqlite")

const rowsOf = async (world: World): Promise<ReadonlyArray<Rows>> => {
  const rows: Array<Rows> = []
  for (const table of tables) rows.push(await world.query(`select * from construction.${table} order by all`))
  return rows
}

/** The copy of the inbox, after the worker has ended. */
const chunksOf = async (world: World): Promise<ReadonlyArray<Chunk>> => {
  const instance = await DuckDBInstance.create(world.warehouse, { access_mode: "READ_ONLY" })
  const connection = await instance.connect()
  const found = await connection.runAndReadAll(`select first, "last", frames from siteledger.inbox order by first`)
  const chunks = found.getRows().map(([first, last, frames]) => {
    assert(frames instanceof DuckDBBlobValue)
    return { first: Number(first), last: Number(last), frames: Buffer.from(frames.bytes) }
  })
  connection.disconnectSync()
  instance.closeSync()
  return chunks
}

const copiedIn = async (world: World): Promise<ReadonlyArray<Frame>> => {
  const key = createSecretKey(readFileSync(join(folderOf(storeOf(world)), "key"), "latin1").trim(), "hex")
  const frames: Array<Frame> = []
  for (const chunk of await chunksOf(world)) frames.push(...(await Chunks.framesOf(chunk, key)))
  return frames
}

/** Whether the warehouse's file, or its log, holds a text, while a worker has it open. */
const holds = (world: World, text: string): boolean =>
  ["", ".wal"]
    .map((suffix) => world.warehouse + suffix)
    .some((path) => existsSync(path) && readFileSync(path).includes(text))

describe("a rebuild of many large deliveries on DuckDB", () => {
  it("ends with the same rows and a whole copy of the inbox, which is written meanwhile", async () => {
    await using world = await World.open({}, {}, "duckdb")
    const first = world.start()
    await first.live()
    await first.stop()
    await intoFiles(world.dataDir, { lives: "all", series: "LARGE", count: made, note })
    const before = await rowsOf(world)
    const [copy] = await world.query("select distinct inbox from siteledger.inbox")
    const worker = world.start()
    await worker.live()
    await worker.verb("rebuild")
    await until("it is begun", async () => world.setAside.length === 1 || undefined)
    await until("the copy is begun", async () => holds(world, String(copy?.["inbox"])) || undefined)
    await worker.status("all is applied", ({ inbox, phase }) => phase === "live" && inbox.pending === 0)
    await worker.stop()
    assert.deepStrictEqual(await rowsOf(world), before)
    const stored = framesOf(storeOf(world)).filter(({ kind }) => kind !== "end")
    assert.deepStrictEqual(await copiedIn(world), stored)
  })
})
