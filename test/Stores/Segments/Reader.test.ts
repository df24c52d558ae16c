/** Frames read beside their writer: any of them, in any order, and how much of the files is read for it. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { Reader } from "../../../src/Stores/Segments/Reader.ts"
import { DamagedSegment } from "../../../src/Stores/Segments/SegmentFile.ts"
import { Writer } from "../../../src/Stores/Segments/Writer.ts"
import { seed } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"
import { allIn, arrived, key, large, some, stored, summary, withFolder } from "./World.ts"

/** Bytes that this process has read so far. */
const bytesRead = () => Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1])

const segments = (folder: string) => readdirSync(folder).filter((name) => /^\d+\.log$/.test(name)).length

describe(`a reader (seed ${seed})`, () => {
  it("finds any range of frames, whatever was read before, and stops at the last one", () =>
    withFolder((folder) => {
      const random = seeded(seed)
      const sizes = Array.from({ length: 60 }, (_, n) =>
        random.pick([40, 3000, 70_000, n % 20 === 0 ? large : 300_000])
      )
      const all = stored(folder, ...sizes.map((size, n) => some(n * 10, 1 + random.below(10), size)))
      assert.isAbove(segments(folder), 2)
      const frames = summary(allIn(folder, all))
      assert.strictEqual(frames.length, all)
      const reader = new Reader(folder)
      for (let n = 0; n < 500; n++) {
        const [from, last] = [random.below(all), 1 + random.below(all)]
        const [limit, bytes] = [1 + random.below(50), random.pick([-1, 1, 5000, 1_000_000, Infinity])]
        const found = summary(reader.after(from, last, limit, bytes))
        assert.deepStrictEqual(found, frames.slice(from, Math.min(last, from + found.length)), `${from} to ${last}`)
        assert.isAtMost(found.length, limit)
        if (from < last) assert.isNotEmpty(found)
        if (bytes === Infinity) assert.strictEqual(found.length, Math.max(0, Math.min(limit, last - from)))
        const range = reader.range(from, last, limit, bytes)
        assert.isTrue(range === undefined || range.contents.length === 1 || range.bytes.byteLength <= bytes)
        const at = reader.at(from, last)
        assert.deepStrictEqual(
          summary(at === undefined ? [] : [at]),
          from > 0 && from <= last ? frames.slice(from - 1, from) : []
        )
      }
    }))

  it("goes on where its writer does, over the end of a segment too, and never takes that for damage", () =>
    withFolder((folder) => {
      const writer = new Writer(folder, key)
      const [reader, ofOne] = [new Reader(folder), new Reader(folder)]
      let read = 0
      for (let n = 0; n < 24; n++) {
        writer.receive(arrived(some(n, 1, large / 3)))
        const frames = reader.after(read, writer.last, 10, Infinity)
        assert.deepStrictEqual(
          summary(frames).map((line) => line.replace(/ x.*/, "")),
          [`${n + 1} body ${n}`]
        )
        read = writer.last
        assert.strictEqual(ofOne.at(read, read)?.number, read)
      }
      assert.isAbove(segments(folder), 1)
      writer.close()
    }))

  it.skipIf(!existsSync("/proc/self/io"))(
    "reads no more than a few hundred kilobytes to find a frame that it has passed",
    () =>
      withFolder((folder) => {
        const random = seeded(seed)
        const last = stored(folder, ...Array.from({ length: 20 }, (_, n) => some(n * 1000, 1000, 500)))
        const reader = new Reader(folder)
        reader.at(last, last)
        const before = bytesRead()
        const times = 100
        for (let n = 0; n < times; n++) assert.strictEqual(reader.at(1 + random.below(last), last)?.kind, "first")
        assert.isBelow((bytesRead() - before) / times, 600 * 1024)
      })
  )

  it("reads only what is new of a segment that grows", () =>
    withFolder((folder) => {
      const writer = new Writer(folder, key)
      const reader = new Reader(folder)
      writer.receive(arrived(some(0, 5000, 500)))
      for (let after = 0; after < writer.last;) after += reader.after(after, writer.last, 2000, Infinity).length
      const before = bytesRead()
      for (let n = 0; n < 100; n++) {
        const from = writer.last
        writer.receive(arrived(some(5000 + n, 1, 500)))
        assert.strictEqual(reader.after(from, writer.last, 2000, Infinity).length, 1)
      }
      if (!Number.isNaN(before)) assert.isBelow((bytesRead() - before) / 100, 20 * 1024)
      writer.close()
    }))

  it("names the segment that a number should be in if that is missing", () =>
    withFolder((folder) => {
      stored(folder, some(0, 3))
      assert.throws(
        () => new Reader(folder).after(3, 9, 10, Infinity),
        DamagedSegment,
        /000000000000001\.log is damaged$/
      )
    }))
})
