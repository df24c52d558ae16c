/**
 * A person is erased from archives by a verb that dies at each call that changes something in their folders, or that
 * can't reach the lake; and from the remains of a worker that died while it archived.
 */
import { once } from "node:events"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { archiveNext } from "../../src/Lake/Archiving.ts"
import { holders } from "../Decoded.ts"
import { patience, sample, seed } from "../Long.ts"
import { filesBelow } from "../Marked.ts"
import { launch } from "../RunningWorker.ts"
import { seeded } from "../Seeded.ts"
import * as Archives from "../Stores/Archives/World.ts"
import * as Old from "./ErasedArchives.ts"
import { because, erase, eraseAll, type Found, person, refusedStart, value } from "./ErasedWorld.ts"
import { kept, sharing } from "./Shared.ts"
import { assertWhole, expectedSteps, readEverything } from "./WholeArchives.ts"

const agreed = ["--yes", "--remove-exports", ...because]

/** Before or after, and in the folder or on the lake. */
const sideOf = (at: string): string => {
  const [when, , , place] = at.split(" ")
  return `${when} ${place}`
}

const archived = sharing(Old.openArchived)

describe("a person in archives", () => {
  it("is erased whole wherever the verb is killed, and no delivery is ever lost", { timeout: patience }, async () => {
    const world = await archived()
    const [folder = "", lake = ""] = Old.placesIn(world.dataDir)
    const key = Old.keyIn(world.dataDir)
    const all = await Old.heldIn(folder, key)
    assert.lengthOf(all, Old.old.length - 1)
    const restore = kept(world)
    const killed = async (at: string, ...verb: ReadonlyArray<string>): Promise<boolean> => {
      const options = `--import=${new URL("KilledAt.ts", import.meta.url).href}`
      const environment = { ...world.environment, NODE_OPTIONS: options, KILLED_AT: at, KILLED_LOG: log }
      const { child, output } = launch(environment, "erase", ...verb)
      const [code] = (await once(child, "close")) as [number | null]
      if (code !== null && code !== 0) assert.fail(output.stderr)
      assert.deepStrictEqual(await Old.heldIn(folder, key), all, at)
      return code === null
    }
    const log = world.file("steps.log", "")
    assert.isFalse(await killed("never -1", ...value, ...agreed))
    const steps = readFileSync(log, "utf8").trim().split("\n")
    assert.deepStrictEqual([...new Set(steps)], expectedSteps)
    const random = seeded(seed)
    const cases = steps.flatMap((name, at) => [`before ${at} ${name}`, `after ${at} ${name}`])
    for (const at of sample(cases, sideOf)) {
      restore()
      // While the folder changes, nothing may depend on the lake.
      if (at.includes(" folder ")) rmSync(lake, { recursive: true })
      assert.isTrue(await killed(at, ...value, ...agreed), at)
      assert.match(await refusedStart(world), /erase --resume/)
      const more = `before ${random.below(steps.length)}`
      if (await killed(more, "--resume")) assert.isFalse(await killed("never -1", "--resume"), `${at}, ${more}`)
      assert.deepStrictEqual(await holders(world.dataDir, person), [], `${at}, ${more}`)
      await assertWhole(world)
    }
    await readEverything(world)
    assert.deepStrictEqual(await holders(world.dataDir, person), [])
  })

  it("is still to be erased there if the lake can't be reached", { timeout: patience }, async () => {
    const world = await archived()
    const copies = filesBelow(world.dataDir).filter((path) => path.endsWith("-000000000000005.parquet"))
    assert.lengthOf(copies, 2)
    const whole = copies.map((path) => [path, readFileSync(path)] as const)
    for (const path of copies) writeFileSync(path, "damaged")
    const refused = await erase(world, "--dry-run")
    assert.match(refused.stderr, /-000000000000005 is damaged or gone, both in .*archive and on .*lake: put one/)
    const one = whole.find(([path]) => !path.includes("/lake/"))
    writeFileSync(one?.[0] ?? "", one?.[1] ?? "")
    const lake = join(world.dataDir, "lake")
    const away = `${lake}-away`
    const begun = await world.runWith(
      { NODE_OPTIONS: `--import=${new URL("KilledAt.ts", import.meta.url).href}`, KILLED_AT: "before 0" },
      "erase",
      ...value,
      ...agreed
    )
    assert.strictEqual(begun.signal, "SIGKILL")
    renameSync(lake, away)
    writeFileSync(lake, "")
    const { code, stderr } = await world.run("erase", "--resume")
    assert.strictEqual(code, 1)
    assert.match(
      stderr,
      /Not everything is erased yet; run `siteledger erase --resume`. The lake: .*lake can't be used: /
    )
    assert.match(await refusedStart(world), /erase --resume/)
    rmSync(lake)
    renameSync(away, lake)
    assert.strictEqual((await world.run("erase", "--resume")).code, 0)
    assert.deepStrictEqual(await holders(world.dataDir, person), [])
    await assertWhole(world)
  })

  it("leaves what a crash has left of an archive in the making", { timeout: patience }, async () => {
    await using world = await Old.openApplied()
    const [folder = "", lake = ""] = Old.placesIn(world.dataDir)
    const dies = (name: "leave" | "seal") =>
      Effect.gen(function* () {
        const archiving = yield* Archives.archiving
        yield* archiveNext({ ...archiving, [name]: () => Effect.die(new Error(name)) }, Old.young())
      })
    const inStores = <A, E>(effect: Parameters<typeof Archives.inStores<A, E>>[1]) =>
      Effect.runPromiseExit(Archives.inStores(world.dataDir, effect))
    const restore = kept(world)
    for (const name of ["seal", "leave"] as const) {
      restore()
      assert.isTrue(Exit.isFailure(await inStores(dies(name))))
      // Not sealed; or sealed, but not named by the store. Its deliveries are all in the inbox.
      for (const place of [folder, lake]) assert.lengthOf(await holders(place, person), 1, name)
      assert.deepStrictEqual(await world.store("select name from archives"), [])
      const file = filesBelow(folder).find((path) => path.endsWith(".parquet")) ?? ""
      for (const ending of ["tmp", "fetched"]) writeFileSync(`${file.replace("000001.", "000005.")}.${ending}`, person)
      const looked = JSON.parse((await erase(world, "--dry-run", "--json")).stdout) as Found
      assert.deepInclude(looked, { deliveries: Old.having.bodies, setAside: [] })
      await eraseAll(world)
      const isLeft = (path: string) => !/\.(?:json|keys|parquet)$/.test(path) || name === "seal"
      for (const place of [folder, lake]) assert.deepStrictEqual(filesBelow(place).filter(isLeft), [])
    }
    // It must be the same as the inbox, byte for byte, or nothing leaves.
    assert.isTrue(Exit.isSuccess(await inStores(Archives.archiveBefore(Old.young()))))
    await assertWhole(world)
    assert.deepStrictEqual(await holders(world.dataDir, person), [])
  })
})
