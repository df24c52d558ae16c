/** The inbox's files while a worker uses them: its thread may end, and the disk may damage what was written long ago. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import { Segments } from "../../../src/Stores/Segments/Segments.ts"
import { besideIn, type Found } from "../../../src/Stores/Segments/Writer.ts"
import { incoming, key, large, some, summary, withFolderAsync } from "./World.ts"

const using = (body: (segments: Segments, folder: string, told: Array<Found>) => Promise<void>) =>
  withFolderAsync(async (folder) => {
    const told: Array<Found> = []
    const segments = new Segments({ folder, key, floor: 1 }, async (found) => void told.push(found))
    try {
      await segments.start()
      await body(segments, folder, told)
    } finally {
      await segments.close()
    }
  })

/** In three segments. */
const fill = async (segments: Segments): Promise<void> => {
  for (let group = 0; group < 7; group++) await segments.receive(some(group * 2, 2, large))
}

const all = (segments: Segments) =>
  segments.reading(() => {
    const frames = []
    for (let after = 0; after < segments.last; after++) frames.push(...segments.after(after, 1))
    return summary(frames)
  })

const flip = (path: string, at: number): void => {
  const bytes = readFileSync(path)
  bytes[at]! ^= 1
  writeFileSync(path, bytes)
}

const first = "000000000000001.log"

describe("the inbox's files in use", () => {
  it("go on after their thread has ended, with nothing lost and nothing twice", () =>
    using(async (segments, folder, told) => {
      const threads = new Set<Worker>()
      const { postMessage } = Worker.prototype
      Worker.prototype.postMessage = function (...values: Parameters<typeof postMessage>) {
        threads.add(this)
        return postMessage.apply(this, values)
      }
      try {
        await segments.receive([incoming("a")])
        const [thread] = threads
        const cut = Promise.allSettled(["b", "c", "d"].map((body) => segments.receive([incoming(body)])))
        await thread?.terminate()
        await cut
        // What was cut off is delivered again.
        await Promise.all(["b", "c", "d", "e"].map((body) => segments.receive([incoming(body)])))
        const bodies = (await all(segments))
          .map((text) => text.replace(/^\d+ /, ""))
          .filter((text) => !/again/.test(text))
        assert.deepStrictEqual(bodies.toSorted(), ["a", "b", "c", "d", "e"])
        assert.deepStrictEqual(told, [])
        assert.isTrue(existsSync(join(folder, first)))
      } finally {
        Worker.prototype.postMessage = postMessage
      }
    }))

  for (const [what, damage] of Object.entries({
    "a flipped bit": (path: string) => flip(path, 5_000_000),
    "a removed file": (path: string) => rmSync(path)
  })) {
    it(`restore ${what} in an old segment from its copy, when it is read`, () =>
      using(async (segments, folder, told) => {
        await fill(segments)
        const before = await all(segments)
        damage(join(folder, first))
        await segments.check(1)
        assert.deepStrictEqual(told.splice(0), [{ lost: [], repaired: [1], completed: 0 }])
        damage(join(folder, first))
        assert.deepStrictEqual(await all(segments), before)
        assert.deepStrictEqual(told, [{ lost: [], repaired: [1], completed: 0 }])
      }))
  }

  it("name what both copies have lost, and take it back from elsewhere", () =>
    using(async (segments, folder, told) => {
      await fill(segments)
      const before = await all(segments)
      const frames = [1, 2, 3].flatMap((number) => segments.at(number) ?? [])
      flip(join(folder, first), 5_000_000)
      flip(join(besideIn(folder), first), 5_000_000)
      const after = await all(segments)
      assert.deepStrictEqual(told, [{ lost: [{ from: 2, through: 2 }], repaired: [1], completed: 0 }])
      assert.deepStrictEqual(
        after.filter((text) => !/lost/.test(text)),
        before.filter((text) => !text.startsWith("2 "))
      )
      assert.strictEqual(await segments.receive([incoming("new")]), 1)
      await segments.fill(frames)
      assert.deepStrictEqual((await all(segments)).slice(0, before.length), before)
    }))
})
