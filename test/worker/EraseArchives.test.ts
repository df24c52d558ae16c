/**
 * A person is erased from archived months: each file of both copies is decoded before and after. The archives are
 * whole, sealed and linked afterwards, and all of their readers work as before.
 */
import { hash } from "node:crypto"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { holders } from "../Decoded.ts"
import { patience } from "../Long.ts"
import { filesBelow } from "../Marked.ts"
import * as Postgres from "../Postgres.ts"
import * as Archives from "../Stores/Archives/World.ts"
import * as Old from "./ErasedArchives.ts"
import { assertLinked, assertWhole, checkedWeekly, readEverything, shown } from "./WholeArchives.ts"
import {
  at,
  because,
  erase,
  eraseAll,
  type Found,
  isDone,
  ofRecord,
  person,
  refusedStart,
  witness
} from "./ErasedWorld.ts"
import { kept, sharing } from "./Shared.ts"

const agreed = ["--yes", "--remove-exports", ...because]

const sha = (body: string): string => hash("sha256", body)

const archived = sharing(Old.openArchived)

describe("a person who is erased from archives", () => {
  it("leaves both copies, which are whole, sealed and known as before", { timeout: patience }, async () => {
    const world = await archived()
    const [folder = "", lake = ""] = Old.placesIn(world.dataDir)
    await assertWhole(world)
    const before = { folder: await shown(world, folder), lake: await shown(world, lake) }
    const keys = () =>
      filesBelow(folder)
        .filter((path) => path.endsWith(".keys"))
        .map((path) => readFileSync(path, "hex"))
    const files = () =>
      filesBelow(folder)
        .filter((path) => path.endsWith(".parquet"))
        .toSorted()
        .map((path) => readFileSync(path, "hex"))
    const [known, parquet] = [keys(), files()]
    for (const place of [folder, lake]) assert.lengthOf(await holders(place, person), 3)
    const looked = JSON.parse((await erase(world, "--dry-run", "--json")).stdout) as object
    assert.deepInclude(looked, { deliveries: Old.having.bodies, insideLonger: 0, kept: {}, setAside: [] })
    const whole = await world.run("erase", "--value", person, "--dry-run", "--json")
    const { bodies, withinLonger } = Old.having
    assert.deepInclude(JSON.parse(whole.stdout), { deliveries: bodies - withinLonger, insideLonger: withinLonger })
    const certificate = await world.run("erase", "--value", "https://s.example/1.pdf", "--dry-run", "--json")
    assert.deepNestedInclude(JSON.parse(certificate.stdout), { deliveries: 0, "kept.deliveries": 1 })
    assert.deepStrictEqual(files(), parquet)
    await eraseAll(world)
    await assertWhole(world)
    assert.deepStrictEqual({ folder: await shown(world, folder), lake: await shown(world, lake) }, before)
    assert.deepStrictEqual(keys(), known)
    // The third month has nothing of the person: only its document is another.
    assert.deepStrictEqual(
      files().map((bytes, place) => bytes === parquet[place]),
      [false, false, true, false]
    )
    await Effect.runPromise(checkedWeekly(world))
    for (const place of [folder, lake]) assert.lengthOf(await holders(place, witness), 1)
    const record = await world.run("erase", ...ofRecord(["permits", "3"]), ...agreed)
    assert.strictEqual(record.code, 0, record.stderr)
    await assertWhole(world)
    assert.deepStrictEqual(keys(), known)
    await readEverything(world)
    for (const gone of [person, witness]) assert.deepStrictEqual(await holders(world.dataDir, gone), [])
  })

  it("leaves archives of an inbox before this one, as far as the key opens them", { timeout: patience }, async () => {
    const world = await archived()
    const [folder = "", lake = ""] = Old.placesIn(world.dataDir)
    const key = Old.keyIn(world.dataDir)
    const has = JSON.stringify({ ...at, vo_id: 90, requested_by: person })
    const hasNot = JSON.stringify({ ...at, vo_id: 91 })
    const plant = async (inbox: string, of: typeof key, bodies: ReadonlyArray<string>, isInFolder: boolean) => {
      let before: Awaited<ReturnType<typeof Old.plant>> | undefined
      for (const body of bodies) before = await Old.plant(lake, inbox, of, [body], before)
      if (isInFolder) cpSync(join(lake, inbox), join(folder, inbox), { recursive: true })
    }
    await plant("in-both", key, [has, hasNot], true)
    await plant("on-lake", key, [has, hasNot], false)
    await plant("without", key, [hasNot, hasNot], false)
    await plant("unopened", Old.anotherKey, [has], true)
    writeFileSync(join(folder, "notes.txt"), person)
    const unopened = ["json", "parquet"].flatMap((ending) =>
      [folder, lake].map((place) => join(place, `unopened/2025-01-000000000000001.${ending}`))
    )
    const strange = [...unopened, join(folder, "notes.txt")].toSorted()
    const looked = JSON.parse((await erase(world, "--dry-run", "--json")).stdout) as Found
    assert.strictEqual(looked.deliveries, Old.having.bodies + 1, "the same body in both is one")
    assert.deepStrictEqual(looked.setAside.toSorted(), strange)
    const erased = await erase(world, ...agreed)
    assert.strictEqual(erased.code, 0, erased.stderr)
    const left = await holders(world.dataDir, person)
    assert.deepStrictEqual(
      left.map((path) => join(world.dataDir, path)),
      strange.filter((path) => !path.endsWith(".json"))
    )
    rmSync(join(folder, "notes.txt"))
    assert.lengthOf(await assertLinked(world, "in-both"), 2)
    assert.lengthOf(await assertLinked(world, "on-lake"), 2)
    assert.notInclude(filesBelow(folder).join(), "without", "what loses nothing stays where it is")
    for (const place of [folder, lake]) rmSync(join(place, "unopened"), { recursive: true })
    await assertWhole(world)
    const [own] = await world.store(`select body_sha256, sequence from erased_bodies where body_sha256 = '${sha(has)}'`)
    assert.deepStrictEqual(own, { body_sha256: sha(has), sequence: null })
  })

  it("doesn't come back with an old copy, wherever that comes from", { timeout: patience }, async () => {
    const world = await archived()
    const [folder = "", lake = ""] = Old.placesIn(world.dataDir)
    const puts = [folder, lake].map((place) => kept(world, place))
    await eraseAll(world)
    const now = kept(world)
    for (const put of puts) {
      put()
      assert.isAbove((await holders(world.dataDir, person)).length, 0)
      await Effect.runPromise(checkedWeekly(world))
      await assertWhole(world)
      assert.deepStrictEqual(await holders(world.dataDir, person), [])
    }
    for (const put of puts) put()
    const reading = Effect.runPromise(Archives.inStores(world.dataDir, Effect.flip(Archives.handedOut)))
    const named = "isn't the one that the store names"
    assert.match((await reading).message, new RegExp(`${named}, and the one on .*lake ${named}`))
    now()
    await assertWhole(world)
  })

  it(
    "is erased again from a backup that is older, also from the archives of before",
    { timeout: patience },
    async () => {
      const world = await archived()
      const backup = join(dirname(world.file("beside", "")), "store.backup")
      assert.strictEqual((await world.run("backup", backup)).code, 0)
      const [folder = "", lake = ""] = Old.placesIn(world.dataDir)
      const puts = [folder, lake].map((place) => kept(world, place))
      await eraseAll(world)
      assert.strictEqual((await world.run("restore", backup)).code, 0)
      // As if both places came back with it.
      for (const put of puts) put()
      assert.match(await refusedStart(world), /erase --resume/)
      assert.strictEqual((await world.run("erase", "--resume")).code, 0)
      const isUsed = (path: string) => !path.startsWith("inbox.set-aside")
      assert.deepStrictEqual((await holders(world.dataDir, person)).filter(isUsed), [])
      const worker = world.start()
      await worker.live()
      await worker.status("all are applied", isDone)
      assert.strictEqual((await worker.stop()).code, 0)
      const months = Archives.inStores(world.dataDir, Archives.archiveBefore(Old.young()))
      assert.lengthOf(await Effect.runPromise(months), 4)
      await assertWhole(world)
      assert.deepStrictEqual((await holders(world.dataDir, person)).filter(isUsed), [])
    }
  )

  it.skipIf(Postgres.skipped !== undefined)("isn't where the store moves to", { timeout: patience }, async () => {
    const world = await archived()
    await eraseAll(world)
    await using database = await Postgres.database()
    const moved = await world.run("move", "--to", database.url)
    assert.strictEqual(moved.code, 0, moved.stderr)
    const held = `from siteledger.inbox where position(convert_to('${person}', 'UTF8') in body) > 0`
    assert.deepStrictEqual(await database.query(`select sequence ${held}`), [])
    const known = `select count(*) as n from siteledger.inbox where body_sha256 <> sha256(body)`
    assert.deepStrictEqual(await database.query(known), [{ n: String(Old.having.bodies) }])
  })
})
