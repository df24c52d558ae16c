/** Anyone who can write to a lake can write a manifest and a pointer: how far these are trusted. */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Lake, longestText } from "../../src/Lake/Lake.ts"
import { sha256 } from "../../src/Lake/LocalFiles.ts"
import * as Manifest from "../../src/Lake/Manifest.ts"
import * as LakePointer from "../../src/Lake/LakePointer.ts"
import * as Runs from "../../src/Lake/Runs.ts"
import * as Verify from "../../src/Lake/Verify.ts"
import { inWorld, ipc, on, readExport, run, type World, write } from "./ExportWorld.ts"

const id = "20261120T020000Z-1a2b"
const file = {
  path: `events/event_date=2026-11-18/${id}-0.parquet`,
  rows: 1,
  bytes: 1,
  sha256: "0".repeat(64),
  fingerprint: "f",
  ranges: { sequence: { min: "1", max: "1" } }
}
const table = { rows: 1, columns: [{ name: "_extra", type: "JSON", description: "More." }], files: [file] }
const whole = {
  run: id,
  asOf: { sequence: 1, at: "2026-11-20T02:00:00.000000Z", oldestPending: null, walks: {} },
  reconcile: null,
  journal: `ledger_entries/${id}-journal.csv`,
  tables: { events: table },
  before: id,
  restated: ["2026-11-18"],
  changes: [{ table: "events", column: "_extra", before: null, after: "JSON" }]
}
const isRead = (manifest: unknown): boolean => Option.isSome(Manifest.parse(JSON.stringify(manifest)))

const withFile = (change: object) => ({ ...whole, tables: { events: { ...table, files: [{ ...file, ...change }] } } })
const withColumn = (name: string) => ({ ...whole, tables: { events: { ...table, columns: [{ name, type: "JSON" }] } } })

const badNames = ["x; ATTACH 'evil.duckdb'", "vos\n", "Vos", "1", "", 'a"b', "a'b", "a.b", "\u001b[2J"]
const badPaths = [
  "../../etc/passwd",
  "/etc/passwd",
  "a/../b",
  "a//b",
  "a/",
  "./a",
  ".unfinished/a",
  "a/.b",
  "",
  "a\nb",
  "a\u001b[2J",
  "a\\..\\b",
  "a b",
  "a%2e"
]
const badTimes = ["", "~", "2026-11-20", "2026-11-20T02:00:00Z", "2026-11-20T02:00:00.000000Z\n", "\u001b[2J"]

describe("a manifest is refused", () => {
  it("when the name of a table, a column or a range could mean something else in SQL", () => {
    assert.isTrue(isRead(whole))
    assert.isTrue(isRead(withColumn("_a1")))
    for (const name of badNames) {
      assert.isFalse(isRead({ ...whole, tables: { ...whole.tables, [name]: table } }), name)
      assert.isFalse(isRead(withColumn(name)), name)
      assert.isFalse(isRead(withFile({ ranges: { [name]: file.ranges.sequence } })), name)
      assert.isFalse(isRead({ ...whole, changes: [{ ...whole.changes[0], table: name }] }), name)
      assert.isFalse(isRead({ ...whole, changes: [{ ...whole.changes[0], column: name }] }), name)
    }
  })

  it("when a path could lead out of the lake, or is hidden in it", () => {
    for (const path of badPaths) {
      assert.isFalse(isRead(withFile({ path })), path)
      assert.isFalse(isRead({ ...whole, journal: path }), path)
    }
    assert.isTrue(isRead(withFile({ path: "other-files/x=1/y..z" })))
  })

  it("when a run or a time is malformed", () => {
    for (const bad of [...badPaths, "20261120T020000Z-1A2B", `${id}-0`]) {
      assert.isFalse(isRead({ ...whole, run: bad }), bad)
      assert.isFalse(isRead({ ...whole, before: bad }), bad)
    }
    for (const at of badTimes) assert.isFalse(isRead({ ...whole, asOf: { ...whole.asOf, at } }), at)
    assert.isFalse(isRead({ ...whole, restated: ["2026-11"] }))
  })

  it("but not when it is of a version with fewer or more fields", () => {
    const { before: _before, changes: _changes, restated: _restated, ...less } = whole
    assert.isTrue(isRead({ ...less, journal: null }))
    assert.isTrue(isRead({ ...whole, newer: { "a b": "\u001b" } }))
  })
})

it("a pointer is refused when its run or path is malformed, or when it is too long", () => {
  const pointer = { run: id, manifest: Manifest.manifestPath(id), sha256: "0".repeat(64) }
  const isPointer = (text: string) => Option.isSome(Manifest.parsePointer(text))
  const text = JSON.stringify(pointer)
  assert.isTrue(isPointer(text.padEnd(4096)))
  assert.isFalse(isPointer(text.padEnd(4097)))
  for (const bad of badPaths) {
    assert.isFalse(isPointer(JSON.stringify({ ...pointer, manifest: bad })), bad)
    assert.isFalse(isPointer(JSON.stringify({ ...pointer, run: bad })), bad)
  }
})

/** As if an export had written this manifest: its hash is right. */
const announced = ({ lake }: World, { run: of }: Manifest.Manifest, text: string): void => {
  const path = Manifest.manifestPath(of)
  writeFileSync(join(lake, path), text)
  writeFileSync(join(lake, "latest.json"), Manifest.stringify({ run: of, manifest: path, sha256: sha256(text) }))
}

/** What is there instead of a pointer. */
const instead: Readonly<Record<string, readonly [(path: string) => void, isFile: boolean]>> = {
  "an endless device": [(path) => symlinkSync("/dev/zero", path), false],
  "a pipe without a writer": [(path) => execFileSync("mkfifo", [path]), false],
  "more than fits into memory": [
    (path) => {
      writeFileSync(path, "")
      truncateSync(path, 40 * longestText)
    },
    true
  ]
}

describe("an export lies on a lake", () => {
  it.effect(
    "whose manifest says what it must not: nothing that it names is read, and the next export is complete",
    () =>
      inWorld((world) =>
        Effect.gen(function* () {
          yield* write([on("2026-11-18")], [ipc("IPC-1", "1")])
          yield* run
          const manifest = readExport(world)
          writeFileSync(join(world.dataDir, "secret"), "secret")
          const texts = [
            Manifest.stringify(manifest).replace('"vos": {', `"vos AS FROM read_text('../secret'); --": {`),
            Manifest.stringify(manifest).replace(/ledger_entries\/[^"]*\.csv/, "../secret")
          ]
          const lake = yield* Lake
          for (const text of texts) {
            assert.notStrictEqual(text, Manifest.stringify(manifest))
            announced(world, manifest, text)
            assert.isTrue(Option.isNone((yield* LakePointer.read(lake)).manifest))
            const refused = yield* Effect.flip(Verify.verify(Option.none(), () => Effect.void))
            assert.match(refused.message, /is not a manifest/)
          }
          const { run: next } = yield* run
          assert.strictEqual(readExport(world).run, next)
          assert.strictEqual(readFileSync(join(world.dataDir, "secret"), "utf8"), "secret")
        })
      )
  )

  for (const [title, [lay, isFile]] of Object.entries(instead)) {
    it.effect(`whose pointer is ${title}: ${isFile ? "the next export is shown" : "an error names it at once"}`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const pointer = join(world.lake, "latest.json")
          const { run: first } = yield* run
          rmSync(pointer)
          lay(pointer)
          if (isFile) assert.match((yield* Runs.list).fault ?? "", /^latest\.json on .* is not a pointer/)
          else {
            const notAFile = /latest\.json is not a file: remove it and export again\.$/
            assert.match((yield* Effect.flip(Runs.list)).message, notAFile)
            assert.match((yield* Effect.flip(run)).message, notAFile)
            const lake = yield* Lake
            assert.match((yield* Effect.flip(lake.replaceText("latest.json", "", Option.none()))).message, notAFile)
            assert.match((yield* Effect.flip(lake.fetch("latest.json", join(world.dataDir, "copy")))).message, notAFile)
            assert.isFalse(existsSync(join(world.dataDir, "copy")))
            rmSync(pointer)
          }
          const { run: next } = yield* run
          assert.strictEqual(readExport(world).run, next)
          assert.notStrictEqual(next, first)
        })
      )
    )
  }
})
