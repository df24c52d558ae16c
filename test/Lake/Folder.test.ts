import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Lake, LakeError } from "../../src/Lake.ts"
import * as Folder from "../../src/Lake/Folder.ts"

const directory = mkdtempSync(join(tmpdir(), "siteledger-folder-"))
afterAll(() => rmSync(directory, { recursive: true }))

let count = 0
const fresh = (name: string) => join(directory, `${name}${(count += 1)}`)
const localFile = (content: string | Buffer, folder = directory) => {
  const path = join(folder, `local${(count += 1)}`)
  writeFileSync(path, content)
  return path
}

const withLake = <A, E>(root: string, use: (lake: Lake["Service"]) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(Lake, use), Folder.layer(root))

describe("a folder as the lake", () => {
  it.effect("takes a local file over under any new path", () => {
    const root = fresh("lake")
    return withLake(root, (lake) =>
      Effect.gen(function* () {
        const local = localFile("rows")
        const inode = statSync(local).ino
        yield* lake.put("events/event_date=2026-11-20/a.parquet", local)
        const path = join(root, "events/event_date=2026-11-20/a.parquet")
        assert.strictEqual(readFileSync(path, "utf8"), "rows")
        assert.strictEqual(statSync(path).ino, inode)
        assert.isFalse(existsSync(local))
        assert.deepStrictEqual(yield* lake.size("events/event_date=2026-11-20/a.parquet"), Option.some(4))
      })
    )
  })

  it.effect("copies a file that comes from another disk", () => {
    const memory = "/dev/shm"
    if (!existsSync(memory) || statSync(memory).dev === statSync(directory).dev) return Effect.void
    const elsewhere = mkdtempSync(join(memory, "siteledger-"))
    const root = fresh("lake")
    return withLake(root, (lake) =>
      Effect.gen(function* () {
        const content = Buffer.alloc(3_000_000, 7)
        const local = localFile(content, elsewhere)
        yield* lake.put("projects/a.parquet", local)
        assert.isTrue(content.equals(readFileSync(join(root, "projects/a.parquet"))))
        assert.isFalse(existsSync(local))
        assert.deepStrictEqual(readdirSync(join(root, ".unfinished")), [])
      })
    ).pipe(Effect.ensuring(Effect.sync(() => rmSync(elsewhere, { recursive: true }))))
  })

  it.effect("replaces a text at once: a reader sees the old one or the new one", () =>
    withLake(fresh("lake"), (lake) =>
      Effect.gen(function* () {
        const size = 1_000_000
        yield* lake.putText("latest.json", "0".repeat(size))
        let isWriting = true
        const write = Effect.forEach(
          Array.from({ length: 30 }, (_, index) => String(index % 10).repeat(size)),
          (text) => lake.putText("latest.json", text),
          { discard: true }
        ).pipe(Effect.ensuring(Effect.sync(() => (isWriting = false))))
        const read = Effect.gen(function* () {
          let reads = 0
          while (isWriting) {
            const text = Option.getOrElse(yield* lake.readText("latest.json"), () => "")
            assert.strictEqual(text.length, size)
            assert.strictEqual(text, text.slice(0, 1).repeat(size))
            reads++
          }
          return reads
        })
        const [, reads] = yield* Effect.all([write, read], { concurrency: "unbounded" })
        assert.isAbove(reads, 1)
      })
    )
  )

  it.effect("lists whole files below a folder, in order, and forgets what a crash left unfinished", () => {
    const root = fresh("lake")
    mkdirSync(join(root, ".unfinished"), { recursive: true })
    writeFileSync(join(root, ".unfinished/half"), "ha")
    return withLake(root, (lake) =>
      Effect.gen(function* () {
        assert.isFalse(existsSync(join(root, ".unfinished/half")))
        writeFileSync(join(root, ".unfinished/other"), "ha")
        for (const path of ["vos/b", "vos/a", "vos/deep/er/c", "vosges/d", "e"]) yield* lake.putText(path, path)
        assert.deepStrictEqual(yield* lake.list("vos/"), ["vos/a", "vos/b", "vos/deep/er/c"])
        assert.deepStrictEqual(yield* lake.list(""), ["e", "vos/a", "vos/b", "vos/deep/er/c", "vosges/d"])
        assert.deepStrictEqual(yield* lake.list("nothing/"), [])
      })
    )
  })

  it.effect("removes a file with the folders that it leaves empty, and what is gone already", () => {
    const root = fresh("lake")
    return withLake(root, (lake) =>
      Effect.gen(function* () {
        yield* lake.putText("events/event_date=2026-11-20/a", "")
        yield* lake.putText("events/event_date=2026-11-21/b", "")
        yield* lake.remove("events/event_date=2026-11-20/a")
        yield* lake.remove("events/event_date=2026-11-20/a")
        assert.deepStrictEqual(readdirSync(join(root, "events")), ["event_date=2026-11-21"])
        yield* lake.remove("events/event_date=2026-11-21/b")
        assert.isFalse(existsSync(join(root, "events")))
        assert.isTrue(existsSync(root))
      })
    )
  })

  it.effect("knows a missing file from an unreadable one", () => {
    const root = fresh("lake")
    return withLake(root, (lake) =>
      Effect.gen(function* () {
        assert.isTrue(Option.isNone(yield* lake.readText("latest.json")))
        assert.isTrue(Option.isNone(yield* lake.size("latest.json")))
        mkdirSync(join(root, "latest.json"))
        const error = yield* Effect.flip(lake.readText("latest.json"))
        assert.instanceOf(error, LakeError)
        assert.strictEqual(error.reason, "Failed")
      })
    )
  })

  it.effect("shows nothing of a file that can't be taken over", () => {
    const root = fresh("lake")
    return withLake(root, (lake) =>
      Effect.gen(function* () {
        yield* Effect.flip(lake.put("projects/a.parquet", join(directory, "nowhere")))
        assert.isTrue(Option.isNone(yield* lake.size("projects/a.parquet")))
        assert.deepStrictEqual(yield* lake.list(""), [])
      })
    )
  })
})
