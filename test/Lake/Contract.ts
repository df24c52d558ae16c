/**
 * What every Lake must do (src/Lake/Lake.ts), run over each implementation. Each test has its own paths, because stores
 * may be shared and outlive a test.
 */
import { readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { Lake, LakeError, longestText } from "../../src/Lake/Lake.ts"
import { folderOnDisk } from "../Folders.ts"

export interface Implementation {
  /** A separate Lake over the same files each time, as another process would have it. */
  readonly layer: () => Layer.Layer<Lake>
  /** Leaves a file at this path as a process that was killed while it wrote does. */
  readonly leaveUnfinished: (path: string) => Promise<void>
  /** The paths of what is unfinished. */
  readonly unfinished: () => Promise<ReadonlyArray<string>>
}

let count = 0
export const fresh = (name: string): string => `${name}${(count += 1)}`
export const localPath = (): string => join(folderOnDisk(), fresh("local"))
export const localFile = (content: string | Buffer): string => {
  const path = localPath()
  writeFileSync(path, content)
  return path
}

export const using = <A, E>(layer: Layer.Layer<Lake>, use: (lake: Lake["Service"]) => Effect.Effect<A, E>) =>
  Effect.provide(Effect.flatMap(Lake, use), Layer.fresh(layer))

const versionOf = (lake: Lake["Service"], path: string) =>
  Effect.map(lake.readText(path), (found) => Option.map(found, ({ version }) => version))

const textOf = (lake: Lake["Service"], path: string) =>
  Effect.map(lake.readText(path), (found) => Option.map(found, ({ text }) => text))

const reasonOf = <A>(replaced: Effect.Effect<A, LakeError>) => Effect.map(Effect.flip(replaced), ({ reason }) => reason)

/** Characters that are special to some store. */
const odd = "a b+c%2Fd&é<f>\"g'#?h=~!*(i),;@$日.parquet"

export const contract = (implementation: () => Implementation) =>
  describe("keeps the contract", () => {
    const withLake = <A, E>(use: (lake: Lake["Service"]) => Effect.Effect<A, E>) =>
      Effect.suspend(() => using(implementation().layer(), use))

    describe("files", () => {
      it.effect.each([0, 1, 100_000])("takes over a local file of %d bytes under any new path", (size) =>
        withLake((lake) =>
          Effect.gen(function* () {
            const path = `${fresh("files")}/event_date=2026-11-20/a.parquet`
            const content = Buffer.alloc(size, "rows")
            yield* lake.put(path, localFile(content))
            assert.deepStrictEqual(yield* lake.size(path), Option.some(size))
            const to = localPath()
            assert.isTrue(yield* lake.fetch(path, to))
            assert.isTrue(content.equals(readFileSync(to)))
          })
        )
      )

      it.effect("fetches over an existing file, and reports missing ones", () =>
        withLake((lake) =>
          Effect.gen(function* () {
            const folder = fresh("fetched")
            yield* lake.putText(`${folder}/a`, "short")
            const to = localFile("something longer that was there")
            assert.isTrue(yield* lake.fetch(`${folder}/a`, to))
            assert.strictEqual(readFileSync(to, "utf8"), "short")
            assert.isFalse(yield* lake.fetch(`${folder}/b`, to))
            assert.isTrue(Option.isNone(yield* lake.size(`${folder}/b`)))
            assert.isTrue(Option.isNone(yield* lake.readText(`${folder}/b`)))
          })
        )
      )

      it.effect("shows nothing of a file that can't be taken over", () =>
        withLake((lake) =>
          Effect.gen(function* () {
            const folder = fresh("lost")
            const outcome = yield* Effect.exit(lake.put(`${folder}/a.parquet`, join(folderOnDisk(), "nowhere")))
            assert.isTrue(Exit.isFailure(outcome))
            assert.deepStrictEqual(yield* lake.list(`${folder}/`), [])
          })
        )
      )

      it.effect("lists files below a folder in the order of their text, and no others", () =>
        withLake((lake) =>
          Effect.gen(function* () {
            const folder = fresh("listed")
            const names = ["vos/b", "vos/a", "vos/deep/er/c", "vosges/d", "Vos/e", "vos-f", "vos/é", "vos/z"]
            const paths = names.map((name) => `${folder}/${name}`)
            yield* Effect.forEach(paths, (path) => lake.putText(path, path), { concurrency: 4 })
            assert.deepStrictEqual(yield* lake.list(`${folder}/`), paths.toSorted())
            const below = ["a", "b", "deep/er/c", "z", "é"].map((name) => `${folder}/vos/${name}`)
            assert.deepStrictEqual(yield* lake.list(`${folder}/vos/`), below)
            assert.deepStrictEqual(yield* lake.list(`${folder}/nothing/`), [])
            assert.includeMembers([...(yield* lake.list(""))], paths)
            const sizes = new Map(paths.toSorted().map((path) => [path, Buffer.byteLength(path)]))
            assert.deepStrictEqual(yield* lake.sizes(`${folder}/`), sizes)
          })
        )
      )

      it.effect("takes names with characters that are special somewhere", () =>
        withLake((lake) =>
          Effect.gen(function* () {
            const path = `${fresh("odd")}/x=1/${odd}`
            yield* lake.put(path, localFile("rows"))
            assert.deepStrictEqual(yield* lake.list(path.slice(0, path.indexOf("/") + 1)), [path])
            assert.deepStrictEqual(yield* lake.size(path), Option.some(4))
            assert.deepStrictEqual(yield* textOf(lake, path), Option.some("rows"))
            yield* lake.remove(path)
            assert.isTrue(Option.isNone(yield* lake.size(path)))
          })
        )
      )

      it.effect("removes a file, and one that is already gone", () =>
        withLake((lake) =>
          Effect.gen(function* () {
            const folder = fresh("removed")
            yield* lake.putText(`${folder}/a`, "")
            yield* lake.putText(`${folder}/b`, "")
            yield* lake.remove(`${folder}/a`)
            yield* lake.remove(`${folder}/a`)
            assert.deepStrictEqual(yield* lake.list(`${folder}/`), [`${folder}/b`])
          })
        )
      )

      it.effect("clears away what is unfinished at abandoned paths", () =>
        withLake((lake) =>
          Effect.gen(function* () {
            const { leaveUnfinished, unfinished } = implementation()
            const folder = fresh("unfinished")
            const [dead = "", alive = ""] = ["dead/a.parquet", "alive/b.parquet"].map((name) => `${folder}/${name}`)
            yield* Effect.promise(() => leaveUnfinished(dead))
            yield* Effect.promise(() => leaveUnfinished(alive))
            yield* lake.abandon((path) => path === dead)
            assert.notInclude(yield* Effect.promise(unfinished), dead)
            assert.include(yield* Effect.promise(unfinished), alive)
            assert.deepStrictEqual(yield* lake.list(`${folder}/`), [])
            yield* lake.abandon((path) => path.startsWith(folder))
            assert.notInclude(yield* Effect.promise(unfinished), alive)
          })
        )
      )
    })

    describe("texts", () => {
      it.effect("reads a text as it was last put", () =>
        withLake((lake) =>
          Effect.gen(function* () {
            const path = `${fresh("texts")}/latest.json`
            yield* lake.putText(path, "one")
            yield* lake.putText(path, `{ "zwei": "dürfte 日" }\n`)
            assert.deepStrictEqual(yield* textOf(lake, path), Option.some(`{ "zwei": "dürfte 日" }\n`))
          })
        )
      )

      it.effect("replaces the version that was read, and no other", () =>
        withLake((lake) =>
          Effect.gen(function* () {
            const path = `${fresh("replaced")}/latest.json`
            assert.strictEqual(yield* lake.replaceText(path, "one", Option.none()), "guarded")
            assert.strictEqual(yield* reasonOf(lake.replaceText(path, "two", Option.none())), "Overtaken")
            const one = yield* versionOf(lake, path)
            assert.strictEqual(yield* lake.replaceText(path, "two", one), "guarded")
            assert.strictEqual(yield* reasonOf(lake.replaceText(path, "three", one)), "Overtaken")
            assert.deepStrictEqual(yield* textOf(lake, path), Option.some("two"))
            const two = yield* versionOf(lake, path)
            assert.strictEqual(yield* lake.replaceText(path, "three", two), "guarded")
            yield* lake.remove(path)
            assert.strictEqual(yield* reasonOf(lake.replaceText(path, "four", two)), "Overtaken")
            assert.deepStrictEqual(yield* textOf(lake, path), Option.none())
          })
        )
      )

      it.effect("reads nothing of a file that is too long to be a text, and still replaces it", () =>
        withLake((lake) =>
          Effect.gen(function* () {
            const path = `${fresh("long")}/latest.json`
            const local = localFile("")
            truncateSync(local, longestText + 1)
            yield* lake.put(path, local)
            assert.deepStrictEqual(yield* textOf(lake, path), Option.some(""))
            assert.strictEqual(yield* lake.replaceText(path, "short", yield* versionOf(lake, path)), "guarded")
            assert.deepStrictEqual(yield* textOf(lake, path), Option.some("short"))
          })
        )
      )

      it.effect.each(["nothing", "the same text"])("lets one of eight win that replace %s at once", (before) =>
        withLake((lake) =>
          Effect.gen(function* () {
            const path = `${fresh("raced")}/latest.json`
            if (before !== "nothing") yield* lake.putText(path, before)
            const expected = yield* versionOf(lake, path)
            const race = Array.from({ length: 8 }, (_, racer) =>
              using(implementation().layer(), (other) => other.replaceText(path, `of ${racer}`, expected)).pipe(
                Effect.result
              )
            )
            const outcomes = yield* Effect.all(race, { concurrency: "unbounded" })
            const won = outcomes.flatMap((outcome, racer) => (outcome._tag === "Success" ? [`of ${racer}`] : []))
            assert.lengthOf(won, 1)
            assert.deepStrictEqual(yield* textOf(lake, path), Option.some(won[0]))
            for (const outcome of outcomes) {
              if (outcome._tag === "Failure") assert.strictEqual(outcome.failure.reason, "Overtaken")
            }
          })
        )
      )

      it.effect("shows a reader the old text or the new", () =>
        withLake((lake) =>
          Effect.gen(function* () {
            const path = `${fresh("whole")}/latest.json`
            const size = 300_000
            yield* lake.putText(path, "0".repeat(size))
            let isWriting = true
            const write = Effect.forEach(
              Array.from({ length: 20 }, (_, index) => String(index % 10).repeat(size)),
              (text) => lake.putText(path, text),
              { discard: true }
            ).pipe(Effect.ensuring(Effect.sync(() => (isWriting = false))))
            const read = Effect.gen(function* () {
              let reads = 0
              while (isWriting) {
                const { text } = Option.getOrThrow(yield* lake.readText(path))
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
    })
  })
