/** Writes and fsyncs that fail at any point: acknowledged deliveries are stored, each under one number. */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { listed, nameOf, scan } from "../../../src/Stores/Segments/Segment.ts"
import { besideIn, Writer } from "../../../src/Stores/Segments/Writer.ts"
import { rounds } from "../../Long.ts"
import { forSeedsInTurn, type Random } from "../../Seeded.ts"
import { arrived, allIn, key, rested, some, summary, withFolder, withFolderAsync } from "./World.ts"

/** While it runs, a write may be cut off and fail, and a flush may fail. */
const failing = async (random: Random, use: () => void | Promise<void>): Promise<void> => {
  const { fdatasync, fdatasyncSync, writevSync } = fs
  fs.writevSync = (file, buffers, position) => {
    if (!random.chance(0.1)) return writevSync(file, buffers, position)
    const bytes = Buffer.concat(buffers as ReadonlyArray<Uint8Array>)
    fs.writeSync(file, bytes, 0, random.below(bytes.length))
    throw Object.assign(new Error("no space"), { code: "ENOSPC" })
  }
  fs.fdatasyncSync = (file) => {
    if (random.chance(0.05)) throw Object.assign(new Error("input/output error"), { code: "EIO" })
    fdatasyncSync(file)
  }
  const later = (file: number, done: (cause: NodeJS.ErrnoException | null) => void): void => {
    const fails = random.chance(0.05)
    fdatasync(file, (cause) => done(fails ? Object.assign(new Error("input/output error"), { code: "EIO" }) : cause))
  }
  Object.assign(fs, { fdatasync: later })
  syncBuiltinESMExports()
  try {
    await use()
  } finally {
    Object.assign(fs, { fdatasync, fdatasyncSync, writevSync })
    syncBuiltinESMExports()
  }
}

const attempt = async (use: () => unknown): Promise<boolean> => {
  try {
    await use()
    return true
  } catch {
    return false
  }
}

describe("an inbox whose disk fails now and then", () => {
  it.each(["receive", "receiving"] as const)("holds everything it acknowledged, and no number twice: %s", (way) =>
    forSeedsInTurn(rounds(30, 2000), (random) =>
      withFolderAsync(async (folder) => {
        const acknowledged: Array<string> = []
        for (let life = 0; life < 3; life++) {
          const writer = new Writer(folder, key)
          await failing(random, async () => {
            for (let group = 0; group < 10; group++) {
              const batch = some(life * 1000 + group * 10, 1 + random.below(4), 20 + random.below(200))
              if (!(await attempt(() => writer[way](arrived(batch))))) continue
              acknowledged.push(...batch.map(({ body }) => Buffer.from(body).toString("utf8", 0, 24)))
            }
          })
          writer.close()
          const stored = summary(allIn(folder, new Writer(folder, key).last)).map((text) => text.replace(/^\d+ /, ""))
          for (const body of acknowledged) assert.include(stored, body)
          const bodies = new Map<number, string>()
          for (const each of [folder, besideIn(folder)]) {
            for (const first of listed(each)) {
              for (const frame of scan(fs.readFileSync(join(each, nameOf(first))), key).frames) {
                const text = summary([frame])[0]!
                assert.strictEqual(bodies.get(frame.number) ?? text, text)
                if (frame.kind !== "end") bodies.set(frame.number, text)
              }
            }
          }
        }
      })
    )
  )

  it("leaves no file open when it can't be opened", () =>
    withFolder((folder) => {
      const before = new Writer(folder, key)
      before.receive(arrived(some(0, 3)))
      before.close()
      const opened = () => fs.readdirSync("/proc/self/fd").length
      const { writevSync } = fs
      fs.writevSync = () => {
        throw Object.assign(new Error("no space"), { code: "ENOSPC" })
      }
      syncBuiltinESMExports()
      const count = opened()
      try {
        // Frames up to the floor are missing, which must be noted.
        for (let time = 0; time < 3; time++) assert.throws(() => new Writer(folder, key, { floor: 10 }), "no space")
      } finally {
        Object.assign(fs, { writevSync })
        syncBuiltinESMExports()
      }
      assert.strictEqual(opened(), count)
    }))

  it("knows what it has, although the disk can't read what knows it after a rest", () =>
    withFolder((folder) => {
      const stored = some(0, 20_000, 12)
      const writer = rested(folder, stored)
      const { readSync } = fs
      let reads = 0
      Object.assign(fs, {
        readSync: (...read: Parameters<typeof readSync>) => {
          if (reads++ === 0) throw Object.assign(new Error("input/output error"), { code: "EIO" })
          return readSync(...read)
        }
      })
      syncBuiltinESMExports()
      try {
        assert.strictEqual(writer.receive(arrived(stored.slice(0, 500))).fresh, 0)
      } finally {
        Object.assign(fs, { readSync })
        syncBuiltinESMExports()
      }
      assert.isAbove(reads, 1)
      writer.close()
    }))

  it("acknowledges also while its index can't be written", () =>
    withFolderAsync(async (folder) => {
      const writer = new Writer(folder, key)
      fs.rmSync(join(folder, "known"), { recursive: true })
      fs.writeFileSync(join(folder, "known"), "a file")
      for (let group = 0; group < 20; group++) {
        writer.receive(arrived(some(group * 1000, 1000)))
        await attempt(() => writer.step())
      }
      assert.strictEqual(writer.last, 20_000)
      assert.strictEqual(writer.receive(arrived(some(0, 20))).fresh, 0)
      writer.close()
      fs.rmSync(join(folder, "known"))
      const next = new Writer(folder, key)
      assert.strictEqual(next.receive(arrived(some(19_990, 20))).fresh, 10)
      next.close()
    }))
})
