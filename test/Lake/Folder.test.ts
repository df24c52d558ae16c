import { randomUUID } from "node:crypto"
import { on, once } from "node:events"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { LakeError } from "../../src/Lake/Lake.ts"
import * as Folder from "../../src/Lake/Folder.ts"
import { folderOnDisk } from "../Folders.ts"
import { fill, onDisk, unmountable } from "../SmallDisk.ts"
import { contract, fresh, localFile, using } from "./Contract.ts"

const directory = folderOnDisk()

const filesIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : []

/** Holds the lock and has changed the text when it lets go: long enough to overtake a writer that doesn't wait. */
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
    layer: () => Folder.layerAt(root),
    leaveUnfinished: (path) => {
      mkdirSync(unfinished, { recursive: true })
      writeFileSync(join(unfinished, `${randomUUID()}-${path.replaceAll("%", "%25").replaceAll("/", "%2F")}`), "ha")
      return Promise.resolve()
    },
    unfinished: () => Promise.resolve(filesIn(unfinished).map((name) => name.slice(37).replaceAll("%2F", "/")))
  }))

  it.effect("is named when it can't be used, and so is why", () => {
    const file = localFile("in the way")
    const root = join(file, "lake")
    return using(Folder.layerAt(root), (lake) =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(lake.putText("latest.json", "{}"))
        assert.strictEqual(message, `The lake's folder ${root} can't be used: a file is where a folder should be.`)
      })
    )
  })

  it.skipIf(unmountable !== undefined)("is named when its disk is full", () =>
    onDisk(async (disk) => {
      fill(join(disk, "filler"))
      const failure = await Effect.runPromise(
        using(Folder.layerAt(disk), (lake) => Effect.flip(lake.put("events/a.parquet", localFile("x".repeat(100_000)))))
      )
      assert.strictEqual(failure.reason, "Full")
      assert.strictEqual(failure.message, `The lake's folder ${disk} can't be used: the disk is full.`)
    })
  )

  it.effect("moves the file, without copying it", () => {
    const root = join(directory, fresh("lake"))
    return using(Folder.layerAt(root), (lake) =>
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
    return using(Folder.layerAt(root), (lake) =>
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
      yield* using(Folder.layerAt(root), () => Effect.void)
      assert.isFalse(existsSync(root))
      const half = join(root, ".unfinished", `${randomUUID()}-half`)
      mkdirSync(dirname(half), { recursive: true })
      writeFileSync(half, "ha")
      yield* using(Folder.layerAt(root), (lake) => lake.putText("a", "whole"))
      assert.isTrue(existsSync(half))
      assert.deepStrictEqual(yield* using(Folder.layerAt(root), (lake) => lake.list("")), ["a"])
    })
  })

  it.effect("waits for another process that is replacing a text, and then sees that it is too late", () => {
    const root = join(directory, fresh("lake"))
    return using(Folder.layerAt(root), (lake) =>
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

  it.effect("removes the folders that a removed file leaves empty", () => {
    const root = join(directory, fresh("lake"))
    return using(Folder.layerAt(root), (lake) =>
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

  it.effect("touches nothing outside of it, by any path", () => {
    const outside = join(directory, fresh("outside"))
    const root = join(outside, "lake")
    return using(Folder.layerAt(root), (lake) =>
      Effect.gen(function* () {
        mkdirSync(outside)
        writeFileSync(join(outside, "lake-of-others"), "theirs")
        const local = localFile("rows")
        for (const path of ["../lake-of-others", "a/../../lake-of-others", "..", ".", ""]) {
          const refused = [
            lake.put(path, local),
            lake.putText(path, ""),
            lake.readText(path),
            lake.replaceText(path, "", Option.none()),
            lake.fetch(path, join(outside, "copy")),
            lake.size(path),
            lake.remove(path)
          ]
          for (const each of refused)
            assert.strictEqual((yield* Effect.flip<unknown, LakeError, never>(each)).reason, "Denied", path)
        }
        assert.deepStrictEqual(readdirSync(outside), ["lake-of-others"])
        assert.strictEqual(readFileSync(join(outside, "lake-of-others"), "utf8"), "theirs")
        assert.isTrue(existsSync(local))
      })
    )
  })

  it.effect("makes no folder for a file that is being written, because a kill would leave it", () => {
    const root = join(directory, fresh("lake"))
    return using(Folder.layerAt(root), (lake) =>
      Effect.gen(function* () {
        const path = "events/event_date=2026-11-20/100%/a.parquet"
        yield* lake.putText("first", "")
        const watching = watch(join(root, ".unfinished"))
        const seen = Effect.promise(async () => {
          for await (const [, name] of on(watching, "change") as AsyncIterable<[string, string]>) return name
          return ""
        })
        const [name] = yield* Effect.all([seen, lake.putText(path, "text")], { concurrency: "unbounded" })
        watching.close()
        assert.match(name, /^[0-9a-f-]{36}-events%2Fevent_date=2026-11-20%2F100%25%2Fa\.parquet$/)
        writeFileSync(join(root, ".unfinished", name), "ha")
        yield* lake.abandon((unfinished) => unfinished === path)
        assert.deepStrictEqual(readdirSync(join(root, ".unfinished")), [])
      })
    )
  })

  it.effect("distinguishes a missing file from an unreadable one", () => {
    const root = join(directory, fresh("lake"))
    return using(Folder.layerAt(root), (lake) =>
      Effect.gen(function* () {
        mkdirSync(join(root, "latest.json"), { recursive: true })
        const error = yield* Effect.flip(lake.readText("latest.json"))
        assert.instanceOf(error, LakeError)
        assert.strictEqual(error.reason, "Failed")
      })
    )
  })
})
