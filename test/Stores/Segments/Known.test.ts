/**
 * Bodies and ids that were stored before are found exactly, in memory and in files, no matter what was merged, lost or
 * cut off: a key that isn't found is stored twice, and one that is found wrongly is lost.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { DamagedKeys, KeyFile, Making } from "../../../src/Stores/Segments/KeyFile.ts"
import { entryBytes, keyBytes } from "../../../src/Stores/Segments/KeyTail.ts"
import { Known } from "../../../src/Stores/Segments/Known.ts"
import { seed } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"
import { withFolder } from "./World.ts"

const random = seeded(seed)

const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => random.below(256)))

/** Two new keys for each number, and now and then one that an earlier number had. */
const filled = (known: Known, from: number, through: number, model: Map<string, number>, merge: boolean): void => {
  let earlier = bytes(keyBytes)
  for (let number = from; number <= through; number++) {
    const keys = [bytes(keyBytes), random.chance(0.02) && number > from ? earlier : bytes(keyBytes)]
    earlier = keys[0]!
    known.add(keys, number)
    for (const key of keys) if (!model.has(key.toString("hex"))) model.set(key.toString("hex"), number)
    if (merge && number % 100 === 0) known.step()
  }
}

/** A quarter of them, and of others that were never there. */
const assertFinds = (known: Known, model: ReadonlyMap<string, number>): void => {
  for (const [key, number] of model) {
    if (random.chance(0.25)) assert.strictEqual(known.get(Buffer.from(key, "hex")), number, key)
  }
  for (let count = 0; count < 1000; count++) assert.isUndefined(known.get(bytes(keyBytes)))
}

const filesIn = (folder: string): ReadonlyArray<string> => readdirSync(folder).filter((name) => name.endsWith(".keys"))

const merge = (known: Known): void => {
  while (known.step());
}

describe(`what was stored before, seed ${seed}`, () => {
  it("is found under its first number while files are written and merged, and after a restart", () =>
    withFolder((folder) => {
      const model = new Map<string, number>()
      const known = Known.open(folder)
      filled(known, 1, 35_000, model, true)
      assertFinds(known, model)
      merge(known)
      assert.isBelow(filesIn(folder).length, 4)
      assertFinds(known, model)
      const { through } = known
      assert.isAbove(through, 25_000)
      known.close()

      const next = Known.open(folder)
      assert.strictEqual(next.through, through)
      assertFinds(next, new Map([...model].filter(([, number]) => number <= through)))
      next.close()
    }))

  it("is forgotten for the numbers that are lost, and for no others", () =>
    withFolder((folder) => {
      const model = new Map<string, number>()
      const known = Known.open(folder)
      filled(known, 1, 20_000, model, true)
      const spans = [
        { from: 100, through: 200 },
        { from: 19_990, through: 20_000 }
      ]
      known.forget(spans)
      const isLost = (number: number) => spans.some(({ from, through }) => from <= number && number <= through)
      for (const [key, number] of model) {
        assert.strictEqual(known.get(Buffer.from(key, "hex")), isLost(number) ? undefined : number)
      }
      known.close()
    }))

  it("is known up to the file before a damaged one, and what a crash left of a merge is removed", () =>
    withFolder((folder) => {
      const model = new Map<string, number>()
      const known = Known.open(folder)
      for (let part = 0; part < 3; part++) {
        filled(known, part * 1000 + 1, (part + 1) * 1000, model, false)
        known.flush(1)
      }
      known.close()
      writeFileSync(join(folder, "making-2000.tmp"), "half")
      assert.sameMembers(filesIn(folder).slice(), ["1-1000.keys", "1001-2000.keys", "2001-3000.keys"])
      const path = join(folder, "1001-2000.keys")
      const damaged = readFileSync(path)
      // Not among its entries, which are checked when they are read.
      const entries = 2000 * entryBytes
      const place = random.below(damaged.length - entries)
      const at = place < 32 ? place : place + entries
      damaged[at] = damaged[at]! ^ 1
      writeFileSync(path, damaged)

      const next = Known.open(folder)
      assert.strictEqual(next.through, 1000, `byte ${at}`)
      assert.deepStrictEqual(readdirSync(folder), ["1-1000.keys"])
      assertFinds(next, new Map([...model].filter(([, number]) => number <= 1000)))
      next.close()
    }))

  it("is never said of an entry that isn't as it was written", () =>
    withFolder((folder) => {
      const model = new Map<string, number>()
      const known = Known.open(folder)
      filled(known, 1, 3000, model, false)
      known.flush(1)
      known.close()
      const path = join(folder, "1-3000.keys")
      const damaged = readFileSync(path)
      const at = 32 + random.below(model.size * entryBytes)
      damaged[at] = damaged[at]! ^ 1
      writeFileSync(path, damaged)
      const next = Known.open(folder)
      const said = (key: string): number | undefined | "damaged" => {
        try {
          return next.get(Buffer.from(key, "hex"))
        } catch (cause) {
          assert.instanceOf(cause, DamagedKeys)
          return "damaged"
        }
      }
      const unsaid = [...model].filter(([key, number]) => said(key) !== number)
      assert.isAtLeast(unsaid.length, 1, `byte ${at}`)
      // A search may begin in the block beside its own.
      assert.isAtMost(unsaid.length, 2 * 1024)
      for (const [key] of unsaid) assert.strictEqual(said(key), "damaged")
      next.close()
    }))

  it("is found at rest as before, and what was damaged meanwhile is never believed", () =>
    withFolder((folder) => {
      const model = new Map<string, number>()
      const known = Known.open(folder)
      filled(known, 1, 20_000, model, false)
      known.flush(1)
      const resting = (): void => {
        known.rest()
        assertFinds(known, model)
      }
      resting()
      resting()
      known.rest()
      const path = join(folder, filesIn(folder)[0]!)
      const whole = readFileSync(path)
      const tail = 32 + model.size * entryBytes
      const damaged = Buffer.from(whole)
      const at = tail + random.below(damaged.length - tail)
      damaged[at] = damaged[at]! ^ 1
      writeFileSync(path, damaged)
      for (const key of [...model.keys()].slice(0, 10)) {
        assert.throws(() => known.get(Buffer.from(key, "hex")), DamagedKeys, "", `byte ${at}`)
      }
      writeFileSync(path, whole)
      assertFinds(known, model)
      known.close()
    }))

  it("is found in a file however unevenly its keys are distributed", () =>
    withFolder((folder) => {
      const heads = ["000000000000", "000000000001", "7fffffffffff", "ffffffffffff"].map((head) =>
        Buffer.from(head, "hex")
      )
      const keys = heads
        .flatMap((head) => Array.from({ length: 3000 }, () => Buffer.concat([head, bytes(keyBytes - head.length)])))
        .toSorted(Buffer.compare)
      const making = new Making(folder, keys.length)
      keys.forEach((key, index) => {
        const entry = Buffer.alloc(entryBytes)
        key.copy(entry)
        entry.writeDoubleBE(index + 1, keyBytes)
        making.add(entry)
      })
      const file = making.finish({ from: 1, through: keys.length })
      keys.forEach((key, index) => assert.strictEqual(file.get(key), index + 1))
      file.close()
      const again = KeyFile.open(file.path)
      assert.isDefined(again)
      for (const head of heads) {
        for (let count = 0; count < 1000; count++) {
          assert.isUndefined(again.get(Buffer.concat([head, bytes(keyBytes - head.length)])))
        }
      }
      again.close()
    }))
})
