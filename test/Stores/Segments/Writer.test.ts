/** The inbox's files: everything stored is read back, whatever happens to one of the files. */
import { assert, describe, it } from "@effect/vitest"
import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { encode } from "../../../src/Stores/Segments/Frame.ts"
import { bodyKey, Known } from "../../../src/Stores/Segments/Known.ts"
import { learn } from "../../../src/Stores/Segments/Learn.ts"
import type { Incoming } from "../../../src/Stores/Segments/Protocol.ts"
import { Reader } from "../../../src/Stores/Segments/Reader.ts"
import { Writer } from "../../../src/Stores/Segments/Writer.ts"
import { arrived, allIn, incoming, key, large, rested, some, stored, summary, withFolder } from "./World.ts"

describe("the inbox's files", () => {
  it("hold each body once, and count each delivery", () =>
    withFolder((folder) => {
      const writer = new Writer(folder, key)
      assert.deepStrictEqual(writer.receive(arrived([incoming("a"), incoming("b"), incoming("a")])), {
        fresh: 2,
        last: 3
      })
      assert.deepStrictEqual(writer.receive(arrived([incoming("b"), incoming("c", "one"), incoming("d", "one")])), {
        fresh: 2,
        last: 6
      })
      const frames = ["1 a", "2 b", "3 again 1", "4 again 2", "5 c", "6 d"]
      assert.deepStrictEqual(summary(allIn(folder, 6)), frames)
      const reused = allIn(folder, 6).filter((frame) => frame.kind === "first" && frame.labels.isReused)
      assert.deepStrictEqual(summary(reused), ["6 d"])
      writer.close()
      const next = new Writer(folder, key)
      assert.deepStrictEqual(next.receive(arrived([incoming("a"), incoming("e", "one")])), { fresh: 1, last: 8 })
      assert.deepStrictEqual(summary(allIn(folder, 8)), [...frames, "7 again 1", "8 e"])
      next.close()
    }))

  it("keep the body, its labels, all headers and the secret's fingerprint", () =>
    withFolder((folder) => {
      const delivery = incoming(Buffer.from([0, 255, 1, 10, 13]))
      stored(folder, [delivery])
      const [frame] = allIn(folder, 1)
      assert(frame?.kind === "first")
      assert.deepStrictEqual(Buffer.from(frame.body), delivery.body)
      assert.deepStrictEqual(frame.labels, delivery.labels)
    }))

  it("are read in order, a part at a time, across segments", () =>
    withFolder((folder) => {
      const last = stored(folder, ...Array.from({ length: 12 }, (_, n) => some(n * 2, 2, large)), some(24, 3))
      assert.isAbove(readdirSync(folder).filter((name) => name.endsWith(".log")).length, 3)
      const reader = new Reader(folder)
      const read: Array<number> = []
      for (let after = 0; after < last; after = read.at(-1)!) {
        const part = reader.after(after, last, 5, 2 * large)
        assert.isAtMost(part.length, 5)
        read.push(...part.map(({ number }) => number))
      }
      assert.deepStrictEqual(
        read,
        Array.from({ length: last }, (_, n) => n + 1)
      )
      assert.strictEqual(summary([reader.at(13, last)!])[0], "13 body 12 xxxxxxxxxxxxxxxx")
      assert.isUndefined(reader.at(last + 1, last))
    }))

  it("tell nothing that isn't acknowledged", () =>
    withFolder((folder) => {
      stored(folder, some(0, 3))
      assert.deepStrictEqual(summary(new Reader(folder).after(0, 2, 10, 1e6)).length, 2)
    }))

  it("lose nothing if the process died while it wrote", () =>
    withFolder((folder) => {
      const last = stored(folder, some(0, 5))
      const path = join(folder, "000000000000001.log")
      const torn = encode({ kind: "first", number: 6, ...incoming("torn".padEnd(999)) }, key)
      for (const length of [1, 4, 11, 12, 30, torn.length - 1]) {
        const whole = readFileSync(path)
        appendFileSync(path, torn.subarray(0, length))
        const writer = new Writer(folder, key)
        assert.deepStrictEqual([writer.last, writer.found], [last, { lost: [], repaired: [], completed: 0 }])
        writer.close()
        assert.deepStrictEqual(readFileSync(path), whole)
      }
    }))

  it("recognize a body among very many, also after their index was lost", () =>
    withFolder((folder) => {
      const groups = Array.from({ length: 60 }, (_, n) => some(n * 1000, 1000, 12))
      stored(folder, ...groups)
      const again = (writer: Writer) => groups.flatMap((group) => writer.receive(arrived(group.slice(5, 8))).fresh)
      const writer = new Writer(folder, key)
      while (writer.step());
      assert.isAtMost(readdirSync(join(folder, "known")).length, 8)
      assert.deepStrictEqual(new Set(again(writer)), new Set([0]))
      writer.close()
      const indexes = () => readdirSync(join(folder, "known")).map((name) => join(folder, "known", name))
      for (const damage of [
        () => rmSync(join(folder, "known"), { recursive: true }),
        () => truncateSync(indexes()[0]!, 50),
        () => writeFileSync(indexes()[0]!, readFileSync(indexes()[0]!).fill(255, 100, 200_000)),
        () => writeFileSync(join(folder, "known", "making-4.tmp"), "half")
      ]) {
        damage()
        const next = new Writer(folder, key)
        assert.deepStrictEqual(new Set(again(next)), new Set([0]))
        next.close()
      }
    }))

  /** A writer whose files of keys are all damaged, in their entries, and what it has stored. */
  const withDamagedKeys = (use: (writer: Writer, stored: ReadonlyArray<Incoming>, folder: string) => void) =>
    withFolder((folder) => {
      const all = some(0, 20_000, 12)
      const before = new Writer(folder, key)
      before.receive(arrived(all))
      while (before.step());
      before.close()
      const known = join(folder, "known")
      const paths = readdirSync(known).map((name) => join(known, name))
      for (const path of paths) writeFileSync(path, readFileSync(path).fill(255, 100, 100_000))
      assert.isAbove(paths.length, 0)
      const writer = new Writer(folder, key)
      use(writer, all, folder)
      writer.close()
    })

  it("know all frames although a file of keys was damaged at rest", () =>
    withFolder((folder) => {
      const stored = some(0, 20_000, 12)
      const writer = rested(folder, stored)
      const known = join(folder, "known")
      for (const name of readdirSync(known)) {
        const bytes = readFileSync(join(known, name))
        writeFileSync(join(known, name), bytes.fill(0, bytes.length - 100))
      }
      assert.strictEqual(writer.receive(arrived(stored.slice(0, 500))).fresh, 0)
      assert.strictEqual(writer.receive(arrived(some(900_000, 5))).fresh, 5)
      writer.close()
    }))

  it("know frames that were put while a damaged file of keys was met", () =>
    withDamagedKeys((writer, stored) => {
      const { last } = writer
      const fresh = some(900_000, 50)
      const reused = stored.map(({ labels }, n) => incoming(`reused ${n}`, labels.eventId)).slice(0, 50)
      writer.put([...fresh, ...reused].map((each, n) => ({ kind: "first", number: last + 1 + n, ...each })))
      assert.strictEqual(writer.receive(arrived(fresh)).fresh, 0)
      assert.strictEqual(writer.receive(arrived(stored.slice(0, 500))).fresh, 0)
    }))

  it("take nothing known for new while what is known can't be learnt", () =>
    withDamagedKeys((writer, stored, folder) => {
      const path = join(folder, "000000000000001.log")
      renameSync(path, `${path}.away`)
      mkdirSync(path)
      const again = () => writer.receive(arrived(stored.slice(0, 500))).fresh
      assert.throws(again)
      assert.throws(again)
      rmSync(path, { recursive: true })
      renameSync(`${path}.away`, path)
      assert.strictEqual(again(), 0)
    }))

  it("learn nothing from frames that are only being written", () =>
    withFolder((folder) => {
      const last = stored(folder, some(0, 5))
      const known = Known.open(join(folder, "other"))
      learn(known, { folder, archive: "none", next: last })
      const keyOf = (n: number) => bodyKey(some(n, 1)[0]!.bodySha256)
      assert.strictEqual(known.get(keyOf(3)), 4)
      assert.isUndefined(known.get(keyOf(4)))
      known.close()
    }))

  it("go on after a write failed, without what it was about", () =>
    withFolder((folder) => {
      const writer = new Writer(folder, key)
      writer.receive(arrived([incoming("a")]))
      // JSON can't hold it: fails like a write does, in the middle of the group.
      const broken = { ...incoming("b"), labels: { ...incoming("b").labels, eventId: 1n as never } }
      assert.throws(() => writer.receive(arrived([incoming("c"), broken])))
      assert.deepStrictEqual(writer.receive(arrived([incoming("c")])), { fresh: 1, last: 2 })
      writer.close()
      assert.deepStrictEqual(summary(allIn(folder, 2)), ["1 a", "2 c"])
    }))
})
