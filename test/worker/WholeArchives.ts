/** What is true of archives before and after an erasure, and everything that reads them. */
import { dirname, join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as ArchiveCopies from "../../src/Lake/ArchiveCopies.ts"
import * as VerifyArchives from "../../src/Lake/VerifyArchives.ts"
import { sha256Of } from "../../src/Stores/Segments/Frame.ts"
import { Store } from "../../src/Stores/Store.ts"
import { holders } from "../Decoded.ts"
import { filesBelow } from "../Marked.ts"
import * as Archives from "../Stores/Archives/World.ts"
import * as Old from "./ErasedArchives.ts"
import { isDone, person } from "./ErasedWorld.ts"
import type { World } from "./World.ts"

/** What each archive of a place is, and what its frames are known by. */
export const shown = async (world: World, place: string) =>
  (await Old.readAll(place, Old.keyIn(world.dataDir))).map(({ archive, frames }) => ({
    name: archive.name,
    numbers: frames.map(({ number }) => number),
    known: frames.map((frame) => (frame.kind === "first" ? sha256Of(frame).toString("hex") : frame.kind))
  }))

/** Both copies of an inbox's archives are the same, and linked. */
export const assertLinked = async (world: World, inbox: string) => {
  const [folder = "", lake = ""] = Old.placesIn(world.dataDir)
  const own = await Old.readAll(join(folder, inbox), Old.keyIn(world.dataDir))
  assert.deepStrictEqual(await Old.readAll(join(lake, inbox), Old.keyIn(world.dataDir)), own)
  for (const [place, { archive }] of own.entries()) {
    const before = own[place - 1]
    assert.deepStrictEqual(archive.before, before ? { name: before.archive.name, sha256: before.sha256 } : null)
  }
  return own.map(({ archive: { name, sha256 } }) => ({ name, sha256 }))
}

/** And the store names each file of its own; nothing is left over. */
export const assertWhole = async (world: World): Promise<void> => {
  const [folder = ""] = Old.placesIn(world.dataDir)
  const [id] = await world.store("select value from meta where key = 'inbox'")
  const named = await world.store("select name, sha256 from archives order by first_sequence")
  assert.deepStrictEqual(await assertLinked(world, String(id?.["value"])), named)
  assert.isAbove(named.length, 0)
  assert.deepStrictEqual(
    filesBelow(folder).filter((path) => !/\d\.(?:json|keys|parquet)$/.test(path)),
    []
  )
  const [{ faults } = { faults: ["There are none."] }] = await Effect.runPromise(
    Archives.inStores(world.dataDir, VerifyArchives.verify)
  )
  assert.deepStrictEqual(faults, [])
}

export const checkedWeekly = (world: World) =>
  Archives.inStores(
    world.dataDir,
    Effect.gen(function* () {
      const pieces = [...(yield* (yield* Store).pieces), ...(yield* ArchiveCopies.pieces)]
      yield* Effect.forEach(pieces, ({ check }) => check)
    })
  )

/** Everything that reads archives, and the same body once more. */
export const readEverything = async (world: World): Promise<void> => {
  const worker = world.start()
  await worker.live()
  assert.strictEqual(await world.server.deliver(Old.again), 200)
  await worker.status("it is counted", isDone)
  assert.property(await worker.verb("export"), "run")
  assert.strictEqual((await world.run("rebuild", "--wait")).code, 0)
  const { inbox } = await worker.live()
  assert.strictEqual(inbox.archived, Old.old.length - 1)
  assert.deepInclude(await worker.verb("ledger-verify"), { differences: [], entries: 1 })
  assert.strictEqual((await world.run("lake", "verify")).code, 0)
  const backup = join(dirname(world.file("beside", "")), "store.backup")
  assert.strictEqual((await world.run("backup", backup)).code, 0)
  assert.deepStrictEqual(await holders(dirname(backup), person), [])
  assert.strictEqual((await worker.stop()).code, 0)
  const rows = await world.query("select _extra from construction.vos")
  assert.lengthOf(rows, 4)
  const counted = await world.query("select deliveries::int as n from construction.events where deliveries > 1")
  assert.deepStrictEqual(counted, [{ n: 3 }])
}

/** One that loses something: the new file, the document that seals it, and both take the places of the old ones. */
const changedIn = (place: string, first: number): ReadonlyArray<string> =>
  [
    "rmSync .parquet.next.tmp",
    "renameSync .parquet.next",
    "rmSync .json.next",
    "renameSync .parquet",
    "renameSync .json"
  ].map((step) => step.replace(" ", ` ${place} ${first}`))

/** Of a whole erasure: the calls that change something below either folder of archives. */
export const expectedSteps = [
  ...changedIn("folder", 1),
  ...changedIn("folder", 5),
  "rmSync folder 10.json.next",
  "renameSync folder 10.json",
  ...changedIn("folder", 11),
  ...["1.parquet", "1.json", "5.parquet", "5.json", "10.json", "11.parquet", "11.json"].map(
    (file) => `rename lake ${file}`
  )
]
