/** Deliveries that leave the segments: what stays, and what a crash in between leaves. */
import { assert, describe, it } from "@effect/vitest"
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { ArchiveFolder } from "../../../src/Stores/Archives/ArchiveFolder.ts"
import { Reader } from "../../../src/Stores/Segments/Reader.ts"
import { Writer } from "../../../src/Stores/Segments/Writer.ts"
import { allIn, arrived, key, large, some, stored, summary, withFolder } from "./World.ts"

const logs = (folder: string) => readdirSync(folder).filter((name) => /^\d+\.log$/.test(name))

/** Several segments; all deliveries up to one of them are in an archive, whose keys are beside it. */
const prepared = (folder: string) => {
  const groups = [0, 1, 2, 3].map((n) => some(n * 10, 6, large))
  const last = stored(folder, ...groups)
  const archive = { name: "inbox/2026-01-000000000000001", from: 1, through: 15 }
  const contents = new Reader(folder).range(0, last, 100, Infinity)?.contents ?? []
  mkdirSync(join(`${folder}-archive`, "inbox"), { recursive: true })
  const all = [...contents]
  for (let after = all.length; after < archive.through;) {
    const more = new Reader(folder).range(after, last, 100, Infinity)?.contents ?? []
    all.push(...more)
    after = all.length
  }
  new ArchiveFolder(`${folder}-archive`).makeKeys(archive.name, all.slice(0, archive.through))
  return { archive, groups, last }
}

const left = ["1-3 archived", "4 body 3", "5-15 archived"]

describe("deliveries that leave", () => {
  it("leave one small segment in place of many, and are known", () =>
    withFolder((folder) => {
      const { archive, groups, last } = prepared(folder)
      const before = logs(folder).length
      const writer = new Writer(folder, key)
      writer.leave({ archive, stays: [4] })
      writer.leave({ archive, stays: [4] })
      assert.strictEqual(writer.receive(arrived(groups.flat())).fresh, 0)
      writer.close()
      assert.isBelow(logs(folder).length, before)
      const frames = summary(allIn(folder, last)).map((line) => line.trim().replace(/ x+$/, ""))
      assert.deepStrictEqual(frames.slice(0, 3), left)
      assert.strictEqual(frames.length, 3 + last - archive.through)
      // The index is gone: the keys come from the file beside the archive.
      rmSync(join(folder, "known"), { recursive: true })
      const again = new Writer(folder, key, { archives: [archive] })
      assert.deepStrictEqual(again.found, { lost: [], repaired: [], completed: 0 })
      assert.strictEqual(again.receive(arrived(groups.flat())).fresh, 0)
      again.close()
      rmSync(`${folder}-archive`, { recursive: true })
    }))

  it("leave nothing twice and lose nothing if the process died before the old segments were removed", () =>
    withFolder((folder) => {
      const { archive, last } = prepared(folder)
      const old = `${folder}-old`
      cpSync(folder, old, { recursive: true })
      const writer = new Writer(folder, key)
      writer.leave({ archive, stays: [4] })
      writer.close()
      const expected = summary(allIn(folder, last))
      const gone = logs(old).filter((name) => !logs(folder).includes(name))
      assert.isNotEmpty(gone)
      for (let count = 1; count <= gone.length; count++) {
        for (const name of gone.slice(-count)) {
          cpSync(join(old, name), join(folder, name))
          cpSync(join(old, "beside", name), join(folder, "beside", name))
        }
        const again = new Writer(folder, key, { floor: last + 1, archives: [archive] })
        assert.deepStrictEqual(again.found, { lost: [], repaired: [], completed: 0 })
        again.close()
        assert.deepStrictEqual(summary(allIn(folder, last)), expected)
        assert.isFalse(logs(folder).some((name) => gone.includes(name)))
      }
      for (const path of [old, `${folder}-archive`]) rmSync(path, { recursive: true })
    }))

  it("are found in their archive if both copies of a segment are gone", () =>
    withFolder((folder) => {
      const { archive, last } = prepared(folder)
      const writer = new Writer(folder, key)
      writer.leave({ archive, stays: [4] })
      writer.close()
      for (const place of [folder, join(folder, "beside")]) rmSync(join(place, "000000000000001.log"))
      const again = new Writer(folder, key, { floor: last + 1, archives: [archive] })
      const lost = again.found.lost
      again.close()
      assert.isTrue(
        lost.every(({ from }) => from > archive.through),
        "the archive has the rest"
      )
      assert.strictEqual(summary(allIn(folder, last))[0], "1-15 archived")
      rmSync(`${folder}-archive`, { recursive: true })
    }))
})
