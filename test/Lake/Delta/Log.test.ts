/** Unexpected contents in place of a log, or of the note about logs, where anyone could have written them. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Log from "../../../src/Lake/Delta/Log.ts"
import { Lake } from "../../../src/Lake/Lake.ts"
import { inWorld, ipc, readExport, run, type World, write } from "../ExportWorld.ts"

const logOf = ({ lake }: World) => join(lake, "ipcs/_delta_log")

const exported = (amount: string) =>
  Effect.gen(function* () {
    yield* write([], [ipc("IPC-1", amount)])
    yield* run
    yield* TestClock.adjust("1 hour")
  })

describe("a log", () => {
  it.effect("gets no first commit in front of later ones", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        for (const amount of ["1", "2", "3"]) yield* exported(amount)
        rmSync(join(logOf(world), "00000000000000000000.json"))
        const lake = yield* Lake
        assert.isFalse(yield* Log.commit(lake, "ipcs", readExport(world).run, 0, []))
        assert.deepStrictEqual(readdirSync(logOf(world)), ["00000000000000000001.json", "00000000000000000002.json"])
      })
    )
  )

  it.effect("whose name for itself is none isn't taken over", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* exported("1")
        const path = join(logOf(world), "00000000000000000000.json")
        const forged = readFileSync(path, "utf8").replace(/"id":"[^"]+"/, '"id":"\\u001b[2J"')
        rmSync(join(world.lake, "_delta"), { recursive: true })
        rmSync(join(world.lake, "latest.json"))
        rmSync(join(world.lake, "_manifests"), { recursive: true })
        mkdirSync(join(world.lake, "_manifests"))
        writeFileSync(path, forged)
        yield* exported("2")
        assert.strictEqual(readFileSync(path, "utf8"), forged)
        assert.isUndefined(readExport(world).delta?.["ipcs"])
        assert.isDefined(readExport(world).delta?.["vos"])
      })
    )
  )
})

describe("the note about logs", () => {
  it.effect("leads to no folder that can't be a table's", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* exported("1")
        const note = join(world.lake, "_delta/state.json")
        const listed: Array<string> = []
        world.watch = (operation, path) => {
          if (["list", "sizes"].includes(operation)) listed.push(path)
          return undefined
        }
        const own = JSON.parse(readFileSync(note, "utf8")) as object
        writeFileSync(note, JSON.stringify({ ...own, left: ["../../elsewhere"] }))
        yield* exported("2")
        assert.isNotEmpty(listed)
        assert.deepStrictEqual(
          listed.filter((path) => path.includes("elsewhere")),
          []
        )
        assert.strictEqual(readExport(world).delta?.["ipcs"]?.version, 1)
      })
    )
  )
})
