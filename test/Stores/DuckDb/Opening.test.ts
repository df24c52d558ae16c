/**
 * What keeps a DuckDB file from being opened: each cause is produced, and only damage counts as damage. As root, the
 * process that opens the file gives up its rights first, because no file mode stops root.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { removeFolder, temporaryFolder } from "../../Folders.ts"

const folder = temporaryFolder()
const whole = join(folder, "whole")
const child = join(import.meta.dirname, "opening-child.ts")
const isRoot = process.getuid?.() === 0
const unprivileged = isRoot ? { uid: 65_534, gid: 65_534 } : {}

interface Seen {
  readonly before: { readonly kind: string; readonly why?: string; readonly advice?: string }
  readonly by: { readonly kind: string; readonly why?: string; readonly advice?: string }
}

/** As another process sees a copy of the file after `trouble`. */
const seen = (trouble: (path: string) => void, more: ReadonlyArray<string> = [], limit = ""): Seen => {
  const place = join(folder, "place")
  rmSync(place, { recursive: true, force: true })
  cpSync(whole, place, { recursive: true })
  chmodSync(place, 0o777)
  const path = join(place, "w")
  for (const file of [path, `${path}.wal`]) chmodSync(file, 0o666)
  trouble(path)
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", child, path, ...more]
  const options = { encoding: "utf8", env: { PATH: process.env["PATH"] }, ...unprivileged } as const
  const { stderr, stdout } = spawnSync("sh", ["-c", `${limit} exec "$@"`, "sh", ...node], options)
  chmodSync(place, 0o777)
  if (stdout === "") throw new Error(stderr)
  return JSON.parse(stdout) as Seen
}

/** Undefined if a process without rights can run the program from here. */
const unreachable = ((): string | undefined => {
  const { status, stderr } = spawnSync(process.execPath, ["--check", child], { encoding: "utf8", ...unprivileged })
  if (status === 0) return undefined
  process.stderr.write(`skipped: opening a warehouse as another user: ${child} can't be read by one (${stderr})\n`)
  return stderr
})()

beforeAll(async () => {
  mkdirSync(whole)
  chmodSync(folder, 0o755)
  const made = join(folder, "made")
  const instance = await DuckDBInstance.create(made, { wal_autocheckpoint: "1GB" })
  const connection = await instance.connect()
  await connection.run("create table t as select range as i, md5(range::varchar) as s from range(200000)")
  await connection.run("checkpoint")
  await connection.run("insert into t select range, md5(range::varchar) from range(100000)")
  // As after a kill: with a log.
  for (const end of ["", ".wal"]) writeFileSync(join(whole, `w${end}`), readFileSync(`${made}${end}`))
  connection.disconnectSync()
  instance.closeSync()
})

afterAll(() => removeFolder(folder))

const overwrite = (path: string, from: number, to: number): void => {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, from, to))
}

describe.skipIf(unreachable !== undefined)("a DuckDB file", () => {
  it("that is whole can be opened", () => {
    assert.deepStrictEqual(
      seen(() => {}),
      { before: { kind: "none" }, by: { kind: "opened" } }
    )
  })

  for (const [fact, spoil] of [
    ["is empty", (path: string) => writeFileSync(path, "")],
    ["is text", (path: string) => writeFileSync(path, "not a database at all".repeat(1000))],
    ["begins with zeros", (path: string) => overwrite(path, 0, 12_288)],
    [
      "is SQLite's",
      (path: string) => {
        rmSync(path)
        new DatabaseSync(path).exec("create table t (a)")
        chmodSync(path, 0o666)
      }
    ]
  ] as const) {
    it(`that ${fact} is damaged, as the look before DuckDB's finds`, () => {
      assert.strictEqual(seen(spoil).before.kind, "damage")
    })
  }

  for (const [fact, spoil] of [
    ["ends too early", (path: string) => truncateSync(path, 40_000)],
    ["has zeros after its head", (path: string) => overwrite(path, 12_288, statSync(path).size)],
    ["has zeros in its log", (path: string) => overwrite(`${path}.wal`, 4096, 20_480)]
  ] as const) {
    it(`that ${fact} is damaged, as DuckDB finds`, () => {
      const { before, by } = seen(spoil)
      assert.deepStrictEqual([before.kind, by.kind], ["none", "damage"])
    })
  }

  for (const [fact, forbid] of [
    ["a file that may not be read", (path: string) => chmodSync(path, 0)],
    ["a file that may not be written", (path: string) => chmodSync(path, 0o444)],
    ["a log that may not be read", (path: string) => chmodSync(`${path}.wal`, 0)],
    ["a log that may not be written", (path: string) => chmodSync(`${path}.wal`, 0o444)],
    ["a folder that may not be written", (path: string) => chmodSync(join(path, ".."), 0o555)],
    ["a folder that may not be entered", (path: string) => chmodSync(join(path, ".."), 0)]
  ] as const) {
    it(`waits for rights to ${fact}`, () => {
      const { before, by } = seen(forbid)
      assert.deepInclude(before, { kind: "obstacle", why: "permission denied" })
      assert.match(before.advice ?? "", /chown, chmod/)
      assert.deepEqual([by.kind, by.advice], [before.kind, before.advice], "also if DuckDB meets it first")
    })
  }

  it("waits for descriptors, for room and for memory", () => {
    const none = (): void => {}
    const [files, size, memory] = [
      // Enough for Node to start, and too few for the file and its log.
      Array.from({ length: 16 }, (_, more) => seenOrEnded(none, [], `ulimit -n ${14 + more};`)).find(
        (found) => found?.by.kind === "obstacle"
      ),
      seen(none, [], "ulimit -f 2000;"),
      seen(none, ['{"memory_limit":"2MB","threads":"2"}'])
    ]
    assert.match(files?.by.advice ?? "", /open files/)
    assert.deepInclude(size?.by, { kind: "obstacle" })
    assert.match(size?.by.advice ?? "", /limit of a file's size/)
    assert.match(memory?.by.advice ?? "", /memory/, JSON.stringify(memory))
  })
})

/** Undefined if not even Node could start. */
const seenOrEnded = (...of: Parameters<typeof seen>): Seen | undefined => {
  try {
    return seen(...of)
  } catch {
    return undefined
  }
}
