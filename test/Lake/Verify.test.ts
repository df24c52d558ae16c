import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Manifest from "../../src/Lake/Manifest.ts"
import * as Runs from "../../src/Lake/Runs.ts"
import * as Verify from "../../src/Lake/Verify.ts"
import { temporaryFolder } from "../Folders.ts"
import { announced, damages, pathOf } from "./Damages.ts"
import { inWorld, ipc, lakeOf, on, readExport, run, write } from "./ExportWorld.ts"

const verify = (id: Option.Option<string> = Option.none()) => Verify.verify(id, () => Effect.void)

/** Where verify keeps what it reads; in this test file only. */
process.env["TMPDIR"] = temporaryFolder()

describe("verify", () => {
  it.effect("reads an export to the last value and finds no fault, even with files of earlier runs", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18"), on("2026-11-19")], [ipc("IPC-1", "10"), ipc("IPC-2", "20")])
        yield* run
        yield* write([on("2026-11-19")])
        const { run: id } = yield* run
        const reported: Array<string> = []
        // As kill -9 leaves it.
        mkdirSync(join(tmpdir(), "siteledger-verify-killed"))
        writeFileSync(join(tmpdir(), "siteledger-verify-killed/temporary-folder.sqlite"), "")
        const verified = yield* Verify.verify(Option.none(), ({ name }) => Effect.sync(() => reported.push(name)))
        assert.deepStrictEqual(Verify.faultsOf(verified), [])
        assert.deepInclude(verified, { run: id, lake: world.lake, asOf: readExport(world).asOf })
        assert.deepStrictEqual(reported, [...Object.keys(readExport(world).tables), "journal", "delta logs"])
        const counts = Object.fromEntries(verified.checked.map(({ files, name, rows }) => [name, [files, rows]]))
        assert.deepInclude(counts, { ipcs: [1, 2], events: [2, 3], vos: [1, 0], journal: [1, 0] })
        assert.deepStrictEqual(readdirSync(tmpdir()), [])
      })
    )
  )

  const exported = lakeOf(() =>
    Effect.andThen(write([on("2026-11-18")], [ipc("IPC-1", "10"), ipc("IPC-2", "20")]), run)
  )

  for (const [title, [damage, sentence]] of Object.entries(damages)) {
    it.effect(`says in one sentence that ${title}`, () =>
      exported((world) =>
        Effect.gen(function* () {
          const damaged = { world, manifest: readExport(world) }
          damage(damaged)
          // A manifest that says something else than the export did differs from the logs, too: Delta/Verify.test.ts.
          const faults = Verify.faultsOf(yield* verify()).filter((fault) => !fault.startsWith("The Delta log of "))
          const expected = sentence
            .replace("RUN", damaged.manifest.run)
            .replace("IPCS", pathOf(damaged, "ipcs"))
            .replace("VOS", pathOf(damaged, "vos"))
            .replace("BYTES", String(damaged.manifest.tables["ipcs"]?.files[0]?.bytes))
          assert.lengthOf(faults, 1)
          assert.isTrue(faults[0]?.startsWith(expected), faults[0])
        })
      )
    )
  }

  it.effect("accepts manifests of older versions, and any run by its name", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* write([on("2026-11-18")], [ipc("IPC-1", "10")])
        const { run: first } = yield* run
        const { asOf, journal, reconcile, run: id, tables } = readExport(world)
        const older = Object.entries(tables).map(([name, { columns, files, rows }]) => [
          name,
          {
            rows,
            columns: columns.map(({ name: column, type }) => ({ name: column, type })),
            files: files.map(({ bytes, path, rows: count, sha256: hash }) => ({
              path,
              rows: count,
              bytes,
              sha256: hash
            }))
          }
        ])
        const manifest = { run: id, asOf, reconcile, journal, tables: Object.fromEntries(older) as typeof tables }
        announced({ world, manifest }, (text) => text)
        assert.deepStrictEqual(Verify.faultsOf(yield* verify()), [])
        yield* TestClock.adjust("1 day")
        const { run: second } = yield* run
        assert.deepInclude(yield* verify(Option.some(first)), { run: first, faults: [] })
        assert.deepInclude(yield* verify(), { run: second, faults: [] })
        const { runs } = yield* Runs.list
        assert.deepStrictEqual(
          runs.map((each) => [each.run, each.asOf, each.rows, each.isNewest, each.safeUntil]),
          [
            [second, "2026-11-21T02:00:00.000000Z", 2, true, null],
            // The older manifest promises nothing.
            [first, "2026-11-20T02:00:00.000000Z", 2, false, "2026-11-21T02:00:00.000000Z"]
          ]
        )
      })
    )
  )

  it.effect("says what is missing if there is no export, no such run, or no manifest", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const failure = (id?: string) =>
          Effect.map(Effect.flip(verify(Option.fromUndefinedOr(id))), ({ message }) =>
            message.replace(world.lake, "LAKE")
          )
        const listed = Effect.map(Runs.list, ({ fault, runs }) => {
          const [newest] = runs
          return [newest?.isNewest, newest?.asOf, fault?.replace(world.lake, "LAKE") ?? fault]
        })
        const none = "20261120T020000Z-0000"
        assert.strictEqual(yield* failure(), "There is no export on LAKE yet: `siteledger export` makes one.")
        assert.deepStrictEqual(yield* Runs.list, { runs: [], fault: null })
        const { run: id } = yield* run
        assert.deepStrictEqual(yield* listed, [true, "2026-11-20T02:00:00.000000Z", null])
        assert.match(
          yield* failure(none),
          new RegExp(`^_manifests/${none}\\.json is not on LAKE\\. \`siteledger lake list\``)
        )
        assert.match(
          yield* failure("../../nope"),
          /^\.\.\/\.\.\/nope is not the name of an export, .*`siteledger lake list`/
        )
        const broken = `_manifests/${id}.json, which latest.json on LAKE names, is missing or can't be read: \`siteledger export\` makes a new export.`
        writeFileSync(join(world.lake, Manifest.manifestPath(id)), "{}")
        assert.match(
          yield* failure(),
          new RegExp(`^_manifests/${id}.json on LAKE is not a manifest: \`siteledger export\``)
        )
        assert.deepStrictEqual(yield* listed, [true, null, broken])
        rmSync(join(world.lake, Manifest.manifestPath(id)))
        assert.match(yield* failure(), /\.json is not on LAKE/)
        assert.deepStrictEqual(yield* listed, [undefined, undefined, broken])
        writeFileSync(join(world.lake, Manifest.pointerPath), "rubbish")
        const rubbish =
          "latest.json on LAKE is not a pointer, so readers find no export: `siteledger export` makes a new export and writes it."
        assert.strictEqual(
          yield* failure(),
          `${rubbish} \`siteledger lake list\` names the others, which can be verified with --run.`
        )
        assert.deepStrictEqual(yield* listed, [undefined, undefined, rubbish])
        writeFileSync(join(world.lake, Manifest.manifestPath(id)), "{}")
        rmSync(join(world.lake, Manifest.pointerPath))
        assert.match(
          yield* failure(),
          /^latest\.json on LAKE is missing, so readers find no export: `siteledger export`/
        )
        assert.deepStrictEqual(yield* listed, [false, null, rubbish.replace("is not a pointer", "is missing")])
      })
    )
  )
})
