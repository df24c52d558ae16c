/** Temporary folders of live processes, of killed ones, and of others. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { afterAll, assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TemporaryFolder from "../../src/Runtime/TemporaryFolder.ts"
import { Lock } from "../../src/Runtime/Lock.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"

const module = new URL("../../src/Runtime/TemporaryFolder.ts", import.meta.url).href
const holding = `
  import { make } from ${JSON.stringify(module)}
  console.log((await make("test")).path)
  process.stdin.on("end", () => process.exit()).resume()
`

const directory = temporaryFolder()
afterAll(() => removeFolder(directory))

/** The name of the lock. */
const lock = "temporary-folder.sqlite"

let tests = 0
let place = ""
/** In this test file only. */
beforeEach(() => {
  place = join(directory, String((tests += 1)))
  mkdirSync(place)
  process.env["TMPDIR"] = place
})

/** Another process that has a folder until it is killed or this one ends. */
const another = async (): Promise<readonly [child: ChildProcess, path: string]> => {
  const child = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", holding],
    {
      stdio: ["pipe", "pipe", "inherit"]
    }
  )
  const [line] = (await once(child.stdout, "data")) as [Buffer]
  return [child, String(line).trim()]
}

const killed = async (child: ChildProcess): Promise<void> => {
  child.kill("SIGKILL")
  await once(child, "exit")
}

describe("a temporary folder", () => {
  it("stays while its process lives, and goes with the next one after kill -9", async () => {
    const [child, theirs] = await another()
    const first = await TemporaryFolder.make("test")
    assert.sameMembers(readdirSync(place), [basename(theirs), basename(first.path)])
    await killed(child)
    assert.isTrue(existsSync(theirs))
    const second = await TemporaryFolder.make("test")
    assert.sameMembers(readdirSync(place), [basename(first.path), basename(second.path)])
    await first.remove()
    await second.remove()
    assert.deepStrictEqual(readdirSync(place), [])
  })

  it("is different for each of many that are made at once", async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => TemporaryFolder.make("test")))
    assert.lengthOf(readdirSync(place), 20)
    await Promise.all(made.map((folder) => folder.remove()))
    assert.deepStrictEqual(readdirSync(place), [])
  })

  it("is made also while another process removes what it finds", async () => {
    const sweeping = `
      import { sweep } from ${JSON.stringify(module)}
      process.stdin.on("end", () => process.exit()).resume()
      console.log("begun")
      for (;;) await sweep().catch(() => process.exit())`
    const child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", sweeping],
      { stdio: ["pipe", "pipe", "inherit"] }
    )
    await once(child.stdout, "data")
    for (let times = 0; times < 300; times++) {
      const made = await TemporaryFolder.make("test")
      assert.isTrue(existsSync(made.path))
      await made.remove()
    }
    await killed(child)
  })

  it("is removed as abandoned only if it was made here; other things of such a name stay", async () => {
    const elsewhere = join(directory, "elsewhere")
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, lock), "")
    symlinkSync(elsewhere, join(place, "siteledger-test-link"))
    mkdirSync(join(place, "siteledger-test-unlocked"))
    writeFileSync(join(place, "siteledger-test-file"), "")
    mkdirSync(join(place, "siteledger-other-killed"))
    writeFileSync(join(place, "siteledger-other-killed", lock), "")
    const all = readdirSync(place)
    const made = await TemporaryFolder.make("test")
    await made.remove()
    assert.deepStrictEqual(readdirSync(place), all)
    assert.isTrue(existsSync(join(elsewhere, lock)))
  })

  it("is never the data directory of a worker that is down, whatever that is called", async () => {
    const dataDir = join(place, "siteledger-test-data")
    mkdirSync(dataDir)
    await Effect.runPromise(Effect.scoped(Effect.provide(Effect.void, Lock.layerAt(dataDir))))
    const all = readdirSync(dataDir)
    assert.isNotEmpty(all)
    await (await TemporaryFolder.make("test")).remove()
    await TemporaryFolder.sweep()
    assert.deepStrictEqual(readdirSync(dataDir), all)
  })
})
