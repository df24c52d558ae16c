/** Damage to the inbox's files: what one file loses is in another, and a delivery that is in none is named. */
import { assert, describe, it } from "@effect/vitest"
import { createSecretKey } from "node:crypto"
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { encode } from "../../../src/Stores/Segments/Frame.ts"
import { besideIn, Writer } from "../../../src/Stores/Segments/Writer.ts"
import { rounds } from "../../Long.ts"
import { type Random, forSeeds } from "../../Seeded.ts"
import { arrived, allIn, incoming, key, large, some, stored, summary, withFolder } from "./World.ts"

/** What may happen to one file. */
const damages: Record<string, (path: string, random: Random) => void> = {
  removed: (path) => rmSync(path),
  emptied: (path) => truncateSync(path, 0),
  truncated: (path, random) => truncateSync(path, random.below(statSync(path).size)),
  zeroed: (path, random) => {
    const bytes = readFileSync(path)
    const from = random.below(bytes.length)
    writeFileSync(path, bytes.fill(0, from, random.chance(0.5) ? bytes.length : Math.min(from + 4096, bytes.length)))
  },
  flipped: (path, random) => {
    const bytes = readFileSync(path)
    const at = random.below(bytes.length)
    bytes[at]! ^= 1 << random.below(8)
    writeFileSync(path, bytes)
  }
}

const filesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((frame) => frame.isFile())
    .map((frame) => join(frame.parentPath, frame.name))

describe("damage to any one file of the inbox", () => {
  it("loses nothing", () =>
    forSeeds(rounds(25, 1000), (random) =>
      withFolder((folder) => {
        const groups = Array.from({ length: 3 + random.below(6) }, (_, n) =>
          random.below(9) === 0 ? some(n * 10, 2, large) : some(n * 10, 1 + random.below(9), 20 + random.below(2000))
        )
        const last = stored(folder, ...groups, groups[0]!)
        const before = allIn(folder, last)
        const files = filesIn(folder)
        const path = files[random.below(files.length)]!
        const [name, damage] = Object.entries(damages)[random.below(5)]!
        damage(path, random)
        const writer = new Writer(folder, key)
        const what = `${path} ${name}`
        assert.deepStrictEqual([writer.last, writer.found.lost], [last, []], what)
        assert.strictEqual(writer.receive(arrived(groups.flat())).fresh, 0, what)
        writer.close()
        assert.deepStrictEqual(summary(allIn(folder, last)), summary(before), what)
      })
    ))

  it("is told apart from a crash by what was acknowledged for certain", () =>
    withFolder((folder) => {
      const last = stored(folder, some(0, 5), some(10, 5))
      const path = join(folder, "000000000000001.log")
      const found = (floor: number) => {
        truncateSync(path, statSync(path).size - 40)
        const writer = new Writer(folder, key, { floor })
        writer.close()
        return writer.found
      }
      assert.deepStrictEqual(found(last), { lost: [], repaired: [], completed: 1 })
      assert.deepStrictEqual(found(last + 1), { lost: [], repaired: [1], completed: 0 })
    }))

  it("is named by its numbers if no copy is left, and filled from elsewhere", () =>
    forSeeds(rounds(15, 500), (random) =>
      withFolder((folder) => {
        const groups = Array.from({ length: 8 }, (_, n) => some(n * 10, 10, random.below(3) === 0 ? large / 32 : 900))
        const last = stored(folder, ...groups)
        const before = allIn(folder, last)
        rmSync(besideIn(folder), { recursive: true })
        const files = filesIn(folder).filter((path) => path.endsWith(".log"))
        Object.values(damages)[random.below(5)]!(files[random.below(files.length)]!, random)
        const writer = new Writer(folder, key, { floor: last + 1 })
        if (writer.found.lost.length === 0) return writer.close()
        const missing = new Set(
          writer.found.lost.flatMap(({ from, through }) =>
            Array.from({ length: through - from + 1 }, (_, n) => from + n)
          )
        )
        const firsts = () => allIn(folder, last).filter(({ kind }) => kind === "first")
        assert.deepStrictEqual(summary(firsts()), summary(before.filter(({ number }) => !missing.has(number))))
        // Filled in two parts, in any order, with a delivery and another start in between.
        const third = (part: number) => new Set([...missing].filter((number) => number % 3 === part))
        const [late, never] = [third(0), third(1)]
        writer.fill(before.filter(({ number }) => late.has(number)))
        assert.strictEqual(writer.receive(arrived(some(999, 1))).fresh, 1)
        writer.close()
        const next = new Writer(folder, key, { floor: last + 1 })
        assert.deepStrictEqual(next.found, { lost: [], repaired: [], completed: 0 })
        next.fill(before.filter(({ number }) => !late.has(number) && !never.has(number)))
        assert.deepStrictEqual(summary(firsts()), summary(before.filter(({ number }) => !never.has(number))))
        // What was lost is new when it comes again; the rest is known.
        assert.strictEqual(next.receive(arrived(groups.flat())).fresh, never.size)
        next.close()
      })
    ))

  it("never makes a frame of what only looks like one", () =>
    withFolder((folder) => {
      const planted = encode({ kind: "first", number: 2, ...incoming("planted") }, createSecretKey(Buffer.alloc(32, 9)))
      stored(folder, [incoming(Buffer.concat([Buffer.from("x"), planted]))], some(0, 2))
      rmSync(besideIn(folder), { recursive: true })
      const path = join(folder, "000000000000001.log")
      const bytes = readFileSync(path)
      bytes[0]! ^= 1
      writeFileSync(path, bytes)
      const writer = new Writer(folder, key)
      assert.deepStrictEqual(writer.found.lost, [{ from: 1, through: 1 }])
      assert.deepStrictEqual(
        summary(allIn(folder, 3)).map((text) => text.slice(0, 8)),
        ["1-1 lost", "2 body 0", "3 body 1"]
      )
      writer.close()
    }))

  it("is brought into order by the next start, if the process dies while it is repaired", () =>
    withFolder((folder) => {
      const last = stored(folder, some(0, 30, 500))
      rmSync(besideIn(folder), { recursive: true })
      const path = join(folder, "000000000000001.log")
      const bytes = readFileSync(path)
      bytes[Math.floor(bytes.length / 2)]! ^= 1
      writeFileSync(path, bytes)
      const kept = `${folder}.kept`
      copyFileSync(path, kept)
      const first = new Writer(folder, key)
      first.close()
      const [, hole, second] = readdirSync(folder)
        .filter((name) => /^\d+\.log$/.test(name))
        .toSorted()
      assert.isTrue(existsSync(join(folder, second!)))
      // The second part was written, the first one not yet replaced, and nothing is in between.
      copyFileSync(kept, path)
      rmSync(kept)
      rmSync(join(folder, hole!))
      rmSync(besideIn(folder), { recursive: true })
      const writer = new Writer(folder, key)
      assert.deepStrictEqual(writer.found, first.found)
      assert.strictEqual(writer.last, last)
      assert.strictEqual(allIn(folder, last).filter(({ kind }) => kind === "first").length, last - 1)
      writer.close()
    }))
})
