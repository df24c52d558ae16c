/** `lake verify` reads the Delta logs like a tool that knows a table's path, and says what is wrong with one. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Verify from "../../../src/Lake/Verify.ts"
import { inWorld, ipc, lakeOf, on, readExport, run, type World, write } from "../ExportWorld.ts"

const verified = (of: Option.Option<string> = Option.none()) =>
  Effect.map(
    Verify.verify(of, () => Effect.void),
    ({ checked, faults }) => {
      const logs = checked.find(({ name }) => name === "delta logs")
      assert.deepStrictEqual([...faults, ...checked.filter((each) => each !== logs).flatMap((each) => each.faults)], [])
      return logs
    }
  )

/** So many exports, each after a change of the same table. */
const exports = (count: number) =>
  Effect.gen(function* () {
    for (let n = 1; n <= count; n++) {
      yield* write([on(`2026-11-${n + 10}`)], [ipc("IPC-1", `${n}`)])
      yield* run
      yield* TestClock.adjust("1 hour")
    }
  })

const folder = ({ lake }: World) => join(lake, "ipcs", "_delta_log")
const nameOf = (version: number, ending = "json") => `${String(version).padStart(20, "0")}.${ending}`
const commit = (world: World, version: number) => join(folder(world), nameOf(version))

const edited = (version: number, from: RegExp, to: string) => (world: World) => {
  const text = readFileSync(commit(world, version), "utf8")
  const changed = text.replace(from, to)
  assert.notStrictEqual(changed, text)
  writeFileSync(commit(world, version), changed)
}

/** With a sentence after "The Delta log of ipcs"; PATH stands for the file of the last export. */
const damages: Readonly<Record<string, readonly [(world: World) => void, string]>> = {
  "a commit is gone": [(world) => rmSync(commit(world, 1)), "lacks its commit 1, or that can't be read."],
  "a commit is cut": [
    (world) => writeFileSync(commit(world, 2), readFileSync(commit(world, 2)).subarray(0, 300)),
    "lacks its commit 2, or that can't be read."
  ],
  "its last commit is gone": [(world) => rmSync(commit(world, 2)), "lacks its commit 2, and all after it."],
  "it is gone": [(world) => rmSync(folder(world), { recursive: true }), "lacks its commit 2, and all after it."],
  "a file isn't added": [edited(2, /\{"add":.*\n/, ""), "lacks PATH."],
  "a file isn't removed": [
    edited(2, /\{"remove":.*"dataChange":true.*\n/, ""),
    "names OLD, which isn't in the export."
  ],
  "a length is wrong": [
    edited(2, /"size":\d+,"modificationTime"/, '"size":7,"modificationTime"'),
    "says that PATH has 7 bytes, not BYTES."
  ],
  "the rows are counted wrong": [edited(2, /numRecords\\":1/, 'numRecords\\":5'), "says that PATH has 5 rows, not 1."],
  "a column has another type": [edited(0, /decimal\(28,4\)/, "string"), "describes other columns than the manifest."],
  "somebody else has made a commit": [
    (world) => writeFileSync(commit(world, 3), '{"commitInfo":{"engineInfo":"Apache-Spark/4.0"}}\n'),
    `has a commit that siteledger didn't make, ipcs/_delta_log/${nameOf(3)}.`
  ]
}

describe("verifying the Delta logs of an export", () => {
  it.effect("finds in them what the manifest has, also of an older export", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* exports(1)
        const { run: older } = readExport(world)
        yield* exports(1)
        const { tables } = readExport(world)
        const all = Object.values(tables)
        const files = all.flatMap((table) => table.files)
        assert.deepStrictEqual(yield* verified(), {
          name: "delta logs",
          files: all.length,
          rows: all.reduce((sum, { rows }) => sum + rows, 0),
          bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
          faults: []
        })
        assert.deepStrictEqual((yield* verified(Option.some(older)))?.faults, [])
      })
    )
  )

  let old: string | undefined
  const exported = lakeOf((world) =>
    Effect.gen(function* () {
      yield* exports(2)
      old = readExport(world).tables["ipcs"]?.files[0]?.path
      yield* exports(1)
    })
  )

  for (const [damage, [spoil, sentence]] of Object.entries(damages)) {
    it.effect(`says in one sentence that ${damage}`, () =>
      exported((world) =>
        Effect.gen(function* () {
          const file = readExport(world).tables["ipcs"]?.files[0]
          spoil(world)
          const short = (path = "") => path.slice("ipcs/".length)
          const expected = sentence
            .replace("PATH", short(file?.path))
            .replace("OLD", short(old))
            .replace("BYTES", String(file?.bytes))
          assert.deepStrictEqual((yield* verified())?.faults, [`The Delta log of ipcs ${expected}`])
        })
      )
    )
  }

  it.effect("begins with a checkpoint, and needs it once there is no first commit", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* exports(11)
        for (const name of readdirSync(folder(world)))
          if (/^0*[0-9]\.json$/.test(name)) rmSync(join(folder(world), name))
        assert.deepStrictEqual((yield* verified())?.faults, [])
        rmSync(join(folder(world), nameOf(10, "checkpoint.parquet")))
        assert.deepStrictEqual((yield* verified())?.faults, [
          "The Delta log of ipcs lacks its commit 0, or that can't be read."
        ])
      })
    )
  )

  it.effect("finds nothing wrong any more once the log was removed and an export has begun another", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* exports(2)
        const { run: older } = readExport(world)
        rmSync(folder(world), { recursive: true })
        assert.lengthOf((yield* verified())?.faults ?? [], 1)
        // No row has changed.
        yield* run
        assert.deepStrictEqual((yield* verified())?.faults, [])
        assert.strictEqual(readExport(world).delta?.["ipcs"]?.version, 0)
        yield* TestClock.adjust("1 hour")
        yield* exports(3)
        assert.deepStrictEqual((yield* verified(Option.some(older)))?.faults, [])
      })
    )
  )

  it.effect("waits for the commits of an export that has died after its pointer had moved", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* exports(2)
        const state = join(world.lake, "_delta", "state.json")
        const before = readFileSync(state, "utf8")
        yield* exports(1)
        writeFileSync(state, before)
        rmSync(commit(world, 2))
        assert.deepStrictEqual((yield* verified())?.faults, [])
      })
    )
  )
})
