/** `siteledger export` and `siteledger lake` as a person runs them on S3: their output, and how they end. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sha256 } from "../../src/Lake/LocalFiles.ts"
import * as Manifest from "../../src/Lake/Manifest.ts"
import { main } from "../GlobalSetup/Main.ts"
import { type Environment, type Finished, run } from "../RunningWorker.ts"
import type { Fault, S3Stub } from "../../trust/S3Stub.ts"
import { copied, environment, type Prepared, prepare, readExport } from "./S3World.ts"

/** Runs a verb; `run` looks for secrets in its output. */
const verb = (prepared: Prepared, given: Environment, ...words: ReadonlyArray<string>) =>
  Effect.promise(() => run({ ...environment(prepared), ...given }, ...words))

const refused = (status: number, code: string) => (stub: S3Stub) => {
  stub.onCall = ({ operation }): Fault | undefined => (operation === "PutObject" ? { status, code } : undefined)
}

const assertFailed = ({ code, stderr, stdout }: Finished, says: RegExp) => {
  assert.deepStrictEqual([code, stdout], [1, ""], stderr)
  assert.lengthOf(stderr.trim().split("\n"), 1, stderr)
  assert.match(stderr, says)
}

const troubles: ReadonlyArray<readonly [string, (stub: S3Stub) => void, Environment, RegExp]> = [
  ["the secret is wrong", () => undefined, { AWS_SECRET_ACCESS_KEY: "wrong" }, /AWS_SECRET_ACCESS_KEY/],
  ["the bucket is missing", () => undefined, { SITELEDGER_LAKE: "s3://elsewhere/some/lake" }, /elsewhere/],
  ["it may not write", refused(403, "AccessDenied"), {}, /s3:\/\/lake\/some\/lake/],
  ["the store keeps asking to slow down", refused(503, "SlowDown"), {}, /s3:\/\/lake\/some\/lake/],
  ["the store doesn't answer", (stub) => (stub.onCall = () => "cut" as const), {}, /s3:\/\/lake\/some\/lake/]
]

/** Limits the length of files, which is like a full disk to a writer. */
const withinBytes = async (prepared: Prepared, bytes: number): Promise<Finished> => {
  const blocks = bytes / 512
  const limited = `ulimit -f ${blocks}; exec "$0" "$@"`
  const words = ["-c", limited, process.execPath, "--disable-warning=ExperimentalWarning", main, "export"]
  const child = spawn("sh", words, { env: { ...environment(prepared) } })
  const output = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += String(chunk)))
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += String(chunk)))
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
  return { code, signal, ...output }
}

describe("siteledger export", () => {
  it.live("ends with 1 and one sentence and leaves the previous export as it was, for every refusal of the lake", () =>
    Effect.gen(function* () {
      const { dataDir, stub } = yield* prepare()
      const before = readExport(stub)
      for (const [title, trouble, given, says] of troubles) {
        trouble(stub)
        assertFailed(yield* verb({ dataDir, stub }, given, "export"), says)
        stub.reset()
        assert.strictEqual(readExport(stub).run, before.run, title)
      }
      const { code, stdout } = yield* verb({ dataDir, stub }, {}, "export", "--json")
      assert.deepStrictEqual([code, (JSON.parse(stdout) as { readonly run: string }).run], [0, readExport(stub).run])
    })
  )

  it.live("ends with 1 when its disk has no room for a file, and writes nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const copy = yield* copied(yield* prepare(randomBytes(9 * 1024 * 1024).toString("base64")))
        const before = readExport(copy.stub)
        assertFailed(yield* Effect.promise(() => withinBytes(copy, 8 * 1024 * 1024)), /File too large/)
        assert.strictEqual(readExport(copy.stub).run, before.run)
        assert.notInclude(
          copy.stub.calls.map(({ operation }) => operation),
          "PutObject"
        )
        assert.strictEqual((yield* verb(copy, {}, "export")).code, 0)
      })
    )
  )

  it.live("ends with 1 and names the export that was shown in its place meanwhile", () =>
    Effect.gen(function* () {
      const { dataDir, stub } = yield* prepare()
      const other = { run: "20991231T000000Z-0000", manifest: "_manifests/none.json", sha256: "0".repeat(64) }
      stub.onCall = ({ key, operation }, when) => {
        if (operation === "PutObject" && key.endsWith("latest.json") && when === "before") {
          stub.objects.set(key, { body: Buffer.from(JSON.stringify(other)), etag: "another" })
        }
        return undefined
      }
      assertFailed(
        yield* verb({ dataDir, stub }, {}, "export"),
        /was overtaken by run 20991231T000000Z-0000, which readers of/
      )
    })
  )
})

describe("siteledger lake", () => {
  it.live("verifies and lists what is shown while another process is at work, and names what is wrong", () =>
    Effect.gen(function* () {
      const prepared = yield* prepare()
      const { stub } = prepared
      const { run: id, tables } = readExport(stub)
      const isUploading = Promise.withResolvers<void>()
      stub.onCall = ({ operation }) => {
        if (operation !== "PutObject") return undefined
        isUploading.resolve()
        return "hang"
      }
      const exporter = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", main, "export"], {
        env: { ...environment(prepared) }
      })
      yield* Effect.promise(() => isUploading.promise)
      const verified = yield* verb(prepared, {}, "lake", "verify")
      exporter.kill("SIGKILL")
      assert.deepStrictEqual([verified.code, verified.stderr], [0, ""])
      assert.match(verified.stdout, /^ok ipcs {19}2 rows, 1 file, \d+ bytes$/m)
      assert.match(verified.stdout, new RegExp(`Export ${id} on s3://lake/some/lake, .*every count and hash matches`))
      const listed = yield* verb(prepared, {}, "lake", "list", "--json")
      const runs = (JSON.parse(listed.stdout) as { readonly runs: ReadonlyArray<{ readonly run: string }> }).runs
      assert.deepStrictEqual(
        runs.map((each) => each.run),
        [id]
      )
      const path = tables["ipcs"]?.files[0]?.path ?? ""
      stub.objects.delete(`some/lake/${path}`)
      const faulty = yield* verb(prepared, {}, "lake", "verify", "--run", id)
      assert.deepStrictEqual(
        [faulty.code, faulty.stderr],
        [1, `siteledger: 1 thing differs from the manifest of ${id}.\n`]
      )
      assert.include(faulty.stdout, `${path} is missing.`)
      const document = yield* verb(prepared, {}, "lake", "verify", "--json")
      assert.strictEqual(document.code, 1)
      assert.deepInclude(JSON.parse(document.stdout), { ok: false, run: id, faults: [] })
    })
  )

  it.live("prints no control character of a manifest, and says what to do if the pointer is broken", () =>
    Effect.gen(function* () {
      const prepared = yield* prepare()
      const { stub } = prepared
      const { asOf, tables, ...rest } = readExport(stub)
      const { vos, ...others } = tables
      const columns = vos?.columns.map((column) => ({ ...column, description: "\u001b[2J\u202e\u009b2J" })) ?? []
      const walks = { ...asOf.walks, "\u009b2J\u202e": { proof: "\u001b[2J", at: null } }
      const tampered = {
        ...rest,
        asOf: { ...asOf, walks },
        tables: { ...others, vos: { rows: 0, files: [], columns } }
      }
      const text = Manifest.stringify(tampered)
      const path = Manifest.manifestPath(rest.run)
      const put = (name: string, body: string) =>
        stub.objects.set(`some/lake/${name}`, { body: Buffer.from(body), etag: name })
      put(path, text)
      put("latest.json", Manifest.stringify({ run: rest.run, manifest: path, sha256: sha256(text) }))
      const printed = [yield* verb(prepared, {}, "lake", "sql"), yield* verb(prepared, {}, "lake", "verify", "--json")]
      for (const { stderr, stdout } of printed) {
        assert.include(stdout, "2J")
        assert.notMatch(stdout + stderr, /[^\P{Cc}\n]|\p{Bidi_Control}/u)
      }
      assert.deepInclude(JSON.parse(printed[1]?.stdout ?? ""), { ok: false, asOf: tampered.asOf })
      put("latest.json", "rubbish")
      const listed = yield* verb(prepared, {}, "lake", "list")
      const what =
        "latest.json on s3://lake/some/lake is not a pointer, so readers find no export: `siteledger export` makes"
      assert.isTrue(listed.stdout.startsWith(`! ${what}`), listed.stdout)
    })
  )
})
