/**
 * Secrets at rest: what is sealed can be opened with the same key for the same purpose, and nothing else can.
 */
import fs, { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Seal } from "../../src/Runtime/Seal.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"

const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path)))

const within = <A, E>(path: string, body: Effect.Effect<A, E, Seal>) =>
  Effect.provide(body, Seal.layerAt(path), { local: true })

const sealIn = (path: string) =>
  within(
    path,
    Effect.map(Seal, ({ seal }) => seal("whsec_known", "webhook secret"))
  )
const openIn = (path: string, sealed: string, purpose = "webhook secret") =>
  Effect.result(
    within(
      path,
      Effect.flatMap(Seal, ({ open }) => open(sealed, purpose))
    )
  )

/** The paths that are flushed, in order. */
const watchFlushes = () => {
  const { fsyncSync, openSync } = fs
  const paths = new Map<number, string>()
  const flushed: Array<string> = []
  fs.openSync = (path, ...how) => {
    const file = openSync(path, ...how)
    paths.set(file, String(path))
    return file
  }
  fs.fsyncSync = (file) => {
    fsyncSync(file)
    flushed.push(paths.get(file) ?? "")
  }
  syncBuiltinESMExports()
  const restore = () => {
    Object.assign(fs, { fsyncSync, openSync })
    syncBuiltinESMExports()
  }
  return { flushed, restore }
}

describe("Seal", () => {
  it.effect("opens what it sealed, even in the next process, and never seals the same way twice", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const first = yield* sealIn(path)
      const second = yield* sealIn(path)
      assert.notInclude(first, "whsec")
      assert.notStrictEqual(first, second)
      for (const sealed of [first, second]) {
        assert.deepInclude(yield* openIn(path, sealed), { _tag: "Success", success: "whsec_known" })
      }
    }).pipe(Effect.scoped)
  )

  it.effect("opens nothing with another key, for another purpose, or with one bit changed", () =>
    Effect.gen(function* () {
      const [path, other] = [yield* folder, yield* folder]
      const sealed = yield* sealIn(path)
      const [head = "", tail = ""] = sealed.split(".")
      const bytes = Buffer.from(tail, "base64url")
      const damaged = [...bytes.keys()].map((at) => {
        const copy = Buffer.from(bytes)
        copy[at] = (copy[at] ?? 0) ^ 1
        return `${head}.${copy.toString("base64url")}`
      })
      assert.strictEqual((yield* openIn(other, sealed))._tag, "Failure")
      assert.strictEqual((yield* openIn(path, sealed, "token"))._tag, "Failure")
      for (const text of [...damaged, "", "sealed1.", sealed.slice(0, -8), `sealed2.${tail}`]) {
        assert.strictEqual((yield* openIn(path, text))._tag, "Failure", text)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("makes its key even after a process died while making one; it is on disk before anything is sealed", () =>
    Effect.gen(function* () {
      const path = yield* folder
      writeFileSync(join(path, `key.${process.pid}`), "torn", { mode: 0o644 })
      const { flushed, restore } = watchFlushes()
      const sealed = yield* Effect.ensuring(sealIn(path), Effect.sync(restore))
      const copy = [join(path, "key.copy.new"), path]
      assert.deepStrictEqual(flushed, [join(path, `key.${process.pid}`), path, ...copy])
      assert.deepStrictEqual(readdirSync(path), ["key", "key.copy"])
      assert.strictEqual(statSync(join(path, "key")).mode & 0o777, 0o600)
      assert.strictEqual((yield* openIn(path, sealed))._tag, "Success")
    }).pipe(Effect.scoped)
  )

  it.effect("keeps its key for its owner only, and refuses one that others can read or that is torn", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* sealIn(path)
      const file = join(path, "key")
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const key = readFileSync(file, "utf8")
      chmodSync(file, 0o640)
      const open = yield* Effect.flip(sealIn(path))
      assert.include(open.message, "others can read it")
      chmodSync(file, 0o600)
      rmSync(`${file}.copy`)
      writeFileSync(file, key.slice(0, 20))
      const torn = yield* Effect.flip(sealIn(path))
      assert.include(torn.message, "64 hexadecimal digits")
      assert.notInclude(torn.message, key.slice(0, 20))
    }).pipe(Effect.scoped)
  )

  it.effect("takes a damaged or missing key from its copy, and another one as it is", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const file = join(path, "key")
      const sealed = yield* sealIn(path)
      const key = readFileSync(file, "latin1")
      const flipped = key.replace(/[0-9]/, (digit) => (digit === "3" ? "2" : "3"))
      for (const damaged of [flipped, key.slice(0, 20), "", "\0".repeat(65), key.replace("\n", "\u0001")]) {
        writeFileSync(file, damaged)
        assert.strictEqual((yield* openIn(path, sealed))._tag, "Success", damaged)
        assert.strictEqual(readFileSync(file, "latin1"), key)
      }
      rmSync(file)
      assert.strictEqual((yield* openIn(path, sealed))._tag, "Success")
      for (const damaged of ["", key, `${readFileSync(`${file}.copy`, "latin1").slice(0, -9)}\n`]) {
        writeFileSync(`${file}.copy`, damaged)
        assert.strictEqual((yield* openIn(path, sealed))._tag, "Success", damaged)
      }
      writeFileSync(file, `${"ab".repeat(32)}\n`)
      assert.strictEqual((yield* openIn(path, sealed))._tag, "Failure")
      assert.include(readFileSync(`${file}.copy`, "latin1"), "ab".repeat(32))
    }).pipe(Effect.scoped)
  )
})
