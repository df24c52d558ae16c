import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Worker } from "node:worker_threads"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { LakeError } from "../../src/Lake.ts"
import * as Folder from "../../src/Lake/Folder.ts"
import { contract, fresh, localFile, using } from "./Contract.ts"

const directory = mkdtempSync(join(tmpdir(), "siteledger-folder-"))
afterAll(() => rmSync(directory, { recursive: true }))

const filesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : []

/** Holds the lock, and the text is another by the time that it lets go: long enough to overtake who doesn't wait. */
const replacing = `
  const { parentPort, workerData: root } = require("node:worker_threads")
  const lock = new (require("node:sqlite").DatabaseSync)(root + "/.unfinished/lock.sqlite")
  lock.exec("begin exclusive")
  parentPort.postMessage("held")
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  require("node:fs").writeFileSync(root + "/latest.json", "another")
  lock.close()
`

describe("a folder as the lake", () => {
  const root = join(directory, "shared")
  const unfinished = join(root, ".unfinished")

  contract(() => ({
    layer: () => Folder.layer(root),
    leaveUnfinished: (path) => {
      const file = join(unfinished, fresh("killed"), path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, "ha")
      return Promise.resolve()
    },
    unfinished: () => Promise.resolve(filesIn(unfinished).map((path) => path.slice(path.indexOf("/") + 1)))
  }))

  it.effect("moves the file, without copying it", () => {
    const root = join(directory, fresh("lake"))
    return using(Folder.layer(root), (lake) =>
      Effect.gen(function* () {
        const local = localFile("rows")
        const inode = statSync(local).ino
        yield* lake.put("events/a.parquet", local)
        assert.strictEqual(statSync(join(root, "events/a.parquet")).ino, inode)
        assert.isFalse(existsSync(local))
      })
    )
  })

  it.effect("copies a file that comes from another disk", () => {
    const memory = "/dev/shm"
    if (!existsSync(memory) || statSync(memory).dev === statSync(directory).dev) return Effect.void
    const elsewhere = mkdtempSync(join(memory, "siteledger-"))
    const root = join(directory, fresh("lake"))
    return using(Folder.layer(root), (lake) =>
      Effect.gen(function* () {
        const content = Buffer.alloc(3_000_000, 7)
        const local = join(elsewhere, "local")
        writeFileSync(local, content)
        yield* lake.put("projects/a.parquet", local)
        assert.isTrue(content.equals(readFileSync(join(root, "projects/a.parquet"))))
        assert.isFalse(existsSync(local))
        assert.deepStrictEqual(readdirSync(join(root, ".unfinished")), [])
      })
    ).pipe(Effect.ensuring(Effect.sync(() => rmSync(elsewhere, { recursive: true }))))
  })

  it.effect("touches nothing before it is used, and leaves what others are writing", () => {
    const root = join(directory, fresh("lake"))
    return Effect.gen(function* () {
      yield* using(Folder.layer(root), () => Effect.void)
      assert.isFalse(existsSync(root))
      const half = join(root, ".unfinished/another/half")
      mkdirSync(dirname(half), { recursive: true })
      writeFileSync(half, "ha")
      yield* using(Folder.layer(root), (lake) => lake.putText("a", "whole"))
      assert.isTrue(existsSync(half))
      assert.deepStrictEqual(yield* using(Folder.layer(root), (lake) => lake.list("")), ["a"])
    })
  })

  it.effect("waits for another process that is replacing a text, and then sees that it is too late", () => {
    const root = join(directory, fresh("lake"))
    return using(Folder.layer(root), (lake) =>
      Effect.gen(function* () {
        yield* lake.replaceText("latest.json", "one", Option.none())
        const expected = Option.map(yield* lake.readText("latest.json"), ({ version }) => version)
        const other = new Worker(replacing, { eval: true, workerData: root })
        yield* Effect.promise(() => once(other, "message"))
        const { reason } = yield* Effect.flip(lake.replaceText("latest.json", "two", expected))
        assert.strictEqual(reason, "Overtaken")
        assert.strictEqual(readFileSync(join(root, "latest.json"), "utf8"), "another")
        yield* Effect.promise(() => other.terminate())
      })
    )
  })

  it.effect("takes the folders along that a removed file leaves empty", () => {
    const root = join(directory, fresh("lake"))
    return using(Folder.layer(root), (lake) =>
      Effect.gen(function* () {
        yield* lake.putText("events/event_date=2026-11-20/a", "")
        yield* lake.putText("events/event_date=2026-11-21/b", "")
        yield* lake.remove("events/event_date=2026-11-20/a")
        assert.deepStrictEqual(readdirSync(join(root, "events")), ["event_date=2026-11-21"])
        yield* lake.remove("events/event_date=2026-11-21/b")
        assert.isFalse(existsSync(join(root, "events")))
        assert.isTrue(existsSync(root))
      })
    )
  })

  it.effect("knows a missing file from an unreadable one", () => {
    const root = join(directory, fresh("lake"))
    return using(Folder.layer(root), (lake) =>
      Effect.gen(function* () {
        mkdirSync(join(root, "latest.json"), { recursive: true })
        const error = yield* Effect.flip(lake.readText("latest.json"))
        assert.instanceOf(error, LakeError)
        assert.strictEqual(error.reason, "Failed")
      })
    )
  })
})
