/**
 * Who may open the worker's files: only its user, except for the analysts' files if the operator opened them. The
 * doctor names files that are open to others.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { examined } from "./Doctor/Examined.ts"
import { live, storyEvents } from "./Past.ts"
import { World } from "./World.ts"

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

/** Paths below the folder with their modes. */
const modes = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true }).map((name) => [String(name), modeOf(join(folder, String(name)))])
  )

const open = (found: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(found).flatMap(([name, mode]) => (mode.endsWith("00") ? [] : [`${name} ${mode}`]))

describe("the worker's files", () => {
  it("and its folder are private, although the shell's mask would open them", async () => {
    await using world = await World.open({ projects: 3 })
    rmSync(world.dataDir, { recursive: true })
    const before = process.umask(0o022)
    const worker = world.start()
    process.umask(before)
    await live(world, worker, storyEvents(3, 20))
    await worker.status("it is published", ({ published }) => published.at !== null)
    await worker.verb("export")
    assert.strictEqual(modeOf(world.dataDir), "700")
    const during = modes(world.dataDir)
    assert.includeMembers(Object.keys(during), ["lock.sqlite", "worker.json", "analytics.duckdb", "lake"])
    if (world.database === undefined) {
      assert.includeMembers(Object.keys(during), ["key", "store.sqlite", "store.sqlite-wal", "warehouse.duckdb"])
    }
    assert.deepStrictEqual(open(during), [])
    await worker.stop("SIGKILL")
    assert.deepStrictEqual(open(modes(world.dataDir)), [])
  })

  it("for analysts stay readable where the operator opened them, and all others private", async () => {
    await using world = await World.open({ projects: 3 })
    const [published, lake] = [join(world.dataDir, "analytics.duckdb"), join(world.dataDir, "lake")]
    chmodSync(world.dataDir, 0o755)
    mkdirSync(lake)
    chmodSync(lake, 0o750)
    const worker = world.start()
    await live(world, worker, storyEvents(3, 20))
    await worker.status("it is published", ({ published: { at } }) => at !== null)
    chmodSync(published, 0o644)
    const { ino } = statSync(published)
    await worker.verb("publish")
    assert.notStrictEqual(statSync(published).ino, ino)
    await worker.verb("export")
    await worker.stop()
    const found = modes(world.dataDir)
    const exported = Object.entries(found).filter(([name]) => /^lake\/[^.]/.test(name))
    assert.isAbove(exported.length, 10)
    for (const [name, mode] of exported) {
      assert.strictEqual(mode, statSync(join(world.dataDir, name)).isFile() ? "640" : "750", name)
    }
    assert.deepStrictEqual(
      open(found).filter((line) => !line.startsWith("lake")),
      ["analytics.duckdb 644"]
    )
  })

  it("that are open to others are named by the doctor, with the command", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    await worker.stop()
    const lock = join(world.dataDir, "lock.sqlite")
    chmodSync(lock, 0o644)
    chmodSync(world.dataDir, 0o700)
    const warned = async () => (await examined(world.environment)).warnings.filter((line) => line.startsWith("rights:"))
    assert.deepStrictEqual(await warned(), [], "the folder keeps others out")
    chmodSync(world.dataDir, 0o775)
    assert.deepStrictEqual(await warned(), [
      `rights: Other users may replace files in ${world.dataDir} (mode 0775). Run: chmod go-w '${world.dataDir}'`,
      `rights: ${lock} is open to other users (mode 0644). Run: chmod go= '${lock}'`
    ])
    assert.strictEqual(modeOf(lock), "644", "the doctor changes nothing")
  })
})
