/**
 * A world on PostgreSQL in which a person is in everything, including dead rows and the server's statistics of frequent
 * values; and where the person is found.
 */
import { gzipSync } from "node:zlib"
import { assert } from "@effect/vitest"
import { holders } from "../Decoded.ts"
import { eventBody } from "../InterfaceServer/Events.ts"
import type * as Postgres from "../Postgres.ts"
import { because, at, erase, fill, isDone, permit, person } from "./ErasedWorld.ts"
import { heldOnServer } from "./HeldOnServer.ts"
import type { World } from "./World.ts"

export const databaseOf = ({ database }: World): Postgres.Database => {
  if (database === undefined) throw new Error("There is no database")
  return database
}

/** As it came, and with bytes that the server stores as they are. */
const packed = gzipSync(eventBody("permit.issued", permit))

export const held = async (world: World, whom = person): Promise<ReadonlyArray<string>> => [
  ...(await heldOnServer(databaseOf(world), whom, whom === person ? [packed] : [])),
  ...(await holders(world.dataDir, whom))
]

/** So long that the server compresses it. */
const long = Array.from({ length: 600 }, (_, number) => `item ${number}`).join(", ")

/** With what the server notes of frequent values, and rows that are dead. */
export const filled = async (world: World) => {
  const worker = await fill(world)
  const fields = { ...at, vo_id: 5, by: person, description: long }
  assert.strictEqual(await world.server.deliver({ type: "vo.created", id: "e-7", fields }), 200)
  await worker.status("it is applied", isDone)
  assert.strictEqual((await worker.stop()).code, 0)
  await databaseOf(world).query(`
    update construction.projects set name = name; analyze;
    insert into siteledger.record_quarantine values ('things', '', '{"by":"${person}"}', '', '', '')`)
}

export const eraseAll = async (world: World): Promise<void> => {
  const erased = await erase(world, "--yes", "--remove-exports", ...because)
  assert.strictEqual(erased.code, 0, erased.stderr)
}
