/**
 * The warehouse's copy of the Store's deliveries: table `siteledger.inbox`, with a row for each chunk. No analyst needs
 * it, so the published copy doesn't have it. Chunks are only added; each is on disk when `add` returns.
 */
import { blobValue, type DuckDBConnection, DuckDBBlobValue, type DuckDBInstance } from "@duckdb/node-api"
import { Effect } from "effect"
import type { Chunk } from "../Deliveries.ts"
import type { Mirror, WarehouseError } from "../Warehouse.ts"
import { attempt } from "./Failure.ts"
import { openToRead, withConnection } from "./ReadAll.ts"
import { keptBeside } from "./SetAside.ts"

type Run = <A>(use: (connection: DuckDBConnection) => Promise<A>) => Effect.Effect<A, WarehouseError>

const through = async (connection: DuckDBConnection, inbox: string): Promise<number> => {
  const found = await connection.runAndReadAll(`select max("last") from siteledger.inbox where inbox = $1`, [inbox])
  return Number(found.getRows()[0]?.[0] ?? 0)
}

const add = async (connection: DuckDBConnection, inbox: string, chunk: Chunk): Promise<void> => {
  // Removes what is left of another inbox, from before a restore.
  if (chunk.first === 1) await connection.run("delete from siteledger.inbox where inbox <> $1", [inbox])
  await connection.run("insert into siteledger.inbox values ($1, $2, $3, $4)", [
    inbox,
    BigInt(chunk.first),
    BigInt(chunk.last),
    blobValue(chunk.frames)
  ])
}

const after = async (connection: DuckDBConnection, inbox: string, number: number): Promise<Chunk | undefined> => {
  const found = await connection.runAndReadAll(
    `select first, "last", frames from siteledger.inbox where inbox = $1 and "last" > $2 order by first limit 1`,
    [inbox, BigInt(number)]
  )
  const [first, last, frames] = found.getRows()[0] ?? []
  return frames instanceof DuckDBBlobValue
    ? { first: Number(first), last: Number(last), frames: frames.bytes }
    : undefined
}

/** `writing`: runs one at a time. */
export const mirrorOf = (name: string, reading: Run, writing: Run): Mirror => ({
  name,
  through: (inbox) => reading((connection) => through(connection, inbox)),
  add: (inbox, chunk) => writing((connection) => add(connection, inbox, chunk)),
  after: (inbox, number) => reading((connection) => after(connection, inbox, number))
})

const open = (path: string) =>
  Effect.acquireRelease(
    attempt(() => openToRead(path)),
    (instance) => Effect.sync(() => instance.closeSync())
  )

/** The chunks that can be read; a damaged one is left out. */
export const aside = (path: string) =>
  Effect.gen(function* () {
    const mirrors: Array<Mirror> = []
    for (const kept of keptBeside(path)) {
      const instance = yield* Effect.option(open(kept.path))
      if (instance._tag === "None") continue
      const run = on(instance.value)
      mirrors.push(mirrorOf(kept.path, run, run))
    }
    return mirrors
  })

/** Runs on a connection of its own. */
export const on =
  (instance: DuckDBInstance): Run =>
  (use) =>
    attempt(() => withConnection(instance, use))
