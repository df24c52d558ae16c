/**
 * The newest events of the inbox are found no matter what was repeated after them, and with few reads: a sender that
 * repeats everything of the last two days doesn't delay a worker that starts, or that is asked for its status.
 */
import { assert, describe, it } from "@effect/vitest"
import { mostNewest } from "../../../src/Stores/Deliveries.ts"
import { type First, type Frame, numberAfter } from "../../../src/Stores/Segments/Frame.ts"
import { Newest } from "../../../src/Stores/Segments/Newest.ts"
import { Reader } from "../../../src/Stores/Segments/Reader.ts"
import { Writer } from "../../../src/Stores/Segments/Writer.ts"
import { seed } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"
import { allIn, arrived, incoming, key, some, withFolderAsync } from "./World.ts"

/** As a store has them, and how often it was read. */
const reading = (folder: string, writer: Writer) => {
  const reader = new Reader(folder)
  let reads = 0
  return {
    segments: {
      get last() {
        return writer.last
      },
      after: (number: number, limit: number) => {
        reads++
        return reader.after(number, writer.last, limit, 100_000)
      }
    },
    readsSince: () => {
      const before = reads
      reads = 0
      return before
    }
  }
}

/** The first one comes again so many times 500. */
const repeat = (writer: Writer, groups: number): void => {
  for (let group = 0; group < groups; group++)
    writer.receive(arrived(Array.from({ length: 500 }, () => some(0, 1)[0]!)))
}

const idsIn = (folder: string, last: number): ReadonlyArray<string> =>
  allIn(folder, last)
    .filter((frame): frame is First => frame.kind === "first")
    .toReversed()
    .slice(0, mostNewest)
    .map(({ labels }) => labels.eventId)

describe(`the newest deliveries (seed ${seed})`, () => {
  it("are the newest that were new, however many came again in between, and whenever one asks", () =>
    withFolderAsync(async (folder) => {
      const random = seeded(seed)
      const writer = new Writer(folder, key)
      const newest = new Newest()
      const { segments } = reading(folder, writer)
      let known = 0
      for (let turn = 0; turn < 120; turn++) {
        const fresh = random.chance(0.6) ? random.below(random.chance(0.1) ? 400 : 8) : 0
        const again = Array.from({ length: random.below(random.chance(0.2) ? 700 : 20) }, () =>
          incoming(`body ${random.below(known + fresh + 1)} `.padEnd(40, "x"))
        )
        writer.receive(arrived([...some(known, fresh), ...again]))
        known += fresh + 1
        if (random.chance(0.5)) continue
        // One that begins now finds the same as one that has looked before.
        const expected = idsIn(folder, writer.last)
        for (const each of [newest, new Newest()]) {
          assert.deepStrictEqual(
            (await each.of(segments)).map(({ eventId }) => eventId),
            expected
          )
        }
      }
      writer.close()
    }))

  it("are found with few reads behind many that came again, and then with none", () =>
    withFolderAsync(async (folder) => {
      const writer = new Writer(folder, key)
      writer.receive(arrived(some(0, 3)))
      for (let group = 0; group < 40; group++)
        writer.receive(arrived(Array.from({ length: 500 }, () => some(0, 1)[0]!)))
      const newest = new Newest()
      const { readsSince, segments } = reading(folder, writer)
      assert.lengthOf(await newest.of(segments), 3)
      assert.isBelow(readsSince(), 200)
      assert.lengthOf(await newest.of(segments), 3)
      assert.strictEqual(readsSince(), 0)
      writer.receive(arrived(some(3, 1)))
      assert.lengthOf(await newest.of(segments), 4)
      assert.strictEqual(readsSince(), 1)
      writer.close()
    }))

  it("are found once for all who ask meanwhile, and again after lost ones were put back", () =>
    withFolderAsync(async (folder) => {
      const writer = new Writer(folder, key)
      writer.receive(arrived(some(0, 3)))
      repeat(writer, 20)
      const newest = new Newest()
      const { readsSince, segments } = reading(folder, writer)
      const early = newest.of(segments)
      writer.receive(arrived(some(3, 1)))
      assert.deepStrictEqual(await newest.of(segments), await early)
      readsSince()
      const expected = idsIn(folder, writer.last)
      assert.deepStrictEqual(
        (await newest.of(segments)).map(({ eventId }) => eventId),
        expected
      )
      assert.strictEqual(readsSince(), 1)
      const forgotten = new Newest()
      const looking = forgotten.of(segments)
      forgotten.forget()
      await looking
      readsSince()
      assert.lengthOf(await forgotten.of(segments), 4)
      assert.isAbove(readsSince(), 4)
      writer.close()
    }))

  it("are found with few reads before all numbers of an archive", async () => {
    const { labels } = incoming("body")
    const archived = { kind: "hole", number: 2, through: 9_000_000, why: "archived", archive: "a" } as const
    const frames: ReadonlyArray<Frame> = [
      { kind: "first", number: 1, labels: { ...labels, eventId: "oldest" }, body: new Uint8Array(0) },
      archived,
      { kind: "first", number: 9_000_001, labels, body: new Uint8Array(0) }
    ]
    let reads = 0
    const after = (number: number, limit: number) => {
      reads++
      return frames.filter((frame) => numberAfter(frame) - 1 > number).slice(0, limit)
    }
    assert.deepStrictEqual(
      (await new Newest().of({ last: 9_000_001, after })).map(({ eventId }) => eventId),
      [labels.eventId, "oldest"]
    )
    assert.isBelow(reads, 10)
  })
})
