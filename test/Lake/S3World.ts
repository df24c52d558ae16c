/**
 * A data directory and a bucket with an export in it, just before the next one, which will have a late event: made
 * once, and copied for each of many disturbed exports. Also a reader of the bucket that checks everything.
 */
import { createHash } from "node:crypto"
import { cpSync, existsSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Lake } from "../../src/Lake/Lake.ts"
import type { Export } from "../../src/Lake/Export.ts"
import * as Manifest from "../../src/Lake/Manifest.ts"
import * as ReadingSql from "../../src/Lake/ReadingSql.ts"
import * as S3 from "../../src/Lake/S3.ts"
import type { Store } from "../../src/Stores/Store.ts"
import type { Warehouse } from "../../src/Stores/Warehouse.ts"
import { compileCache } from "../GlobalSetup/Main.ts"
import type { Environment } from "../RunningWorker.ts"
import { S3Stub } from "../../trust/S3Stub.ts"
import { temporaryFolder } from "../Folders.ts"
import { assertSame, logIn } from "./Delta/Replay.ts"
import { assertShown, event, exporting, ipc, on, run, write } from "./ExportWorld.ts"

const prefix = "some/lake"

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex")

/** No call is retried, so that each can be the one that fails. */
const once = { AWS_MAX_ATTEMPTS: "1" }

const sdk = (stub: S3Stub) => ({ ...stub.environment, ...once })

export interface Prepared {
  readonly dataDir: string
  readonly stub: S3Stub
}

/** For a separate process. */
export const environment = ({ dataDir, stub }: Prepared): Environment => ({
  ...sdk(stub),
  SITELEDGER_DATA_DIR: dataDir,
  SITELEDGER_LAKE: `s3://${stub.bucket}/${prefix}`,
  SITELEDGER_LAKE_DELTA: "true",
  PATH: process.env["PATH"] ?? "",
  NODE_COMPILE_CACHE: compileCache
})

/** With the stores open in this process; one at a time, because the SDK reads the environment. */
export const within = <A, E>(
  { dataDir, stub }: Prepared,
  body: Effect.Effect<A, E, Export | Lake | Store | Warehouse>
) =>
  Effect.suspend(() => {
    Object.assign(process.env, sdk(stub))
    return Effect.scoped(Effect.provide(body, exporting(dataDir, S3.layerAt({ bucket: stub.bucket, prefix }))))
  })

/** `payload`: more text of an event on the date that is exported again. */
export const prepare = (payload = "") =>
  Effect.gen(function* () {
    const prepared: Prepared = { dataDir: temporaryFolder(), stub: yield* Effect.promise(() => S3Stub.open()) }
    const dates = ["2026-11-16", "2026-11-17", "2026-11-18"]
    const body = Effect.gen(function* () {
      yield* write(dates.map(on), [ipc("IPC-1", "1"), ipc("IPC-2", "2")])
      yield* run
      const late = { ...on("2026-11-17"), payload: JSON.stringify(payload) }
      yield* write([late, on("2026-11-19"), event(null)], [ipc("IPC-1", "3")])
    })
    yield* within(prepared, body)
    return prepared
  })

/** Of the data directory and of the bucket. */
export const copied = ({ dataDir, stub }: Prepared) =>
  Effect.acquireRelease(
    Effect.promise(async (): Promise<Prepared> => {
      const copy = { dataDir: temporaryFolder(), stub: await S3Stub.open() }
      cpSync(dataDir, copy.dataDir, { recursive: true })
      for (const [key, object] of stub.objects) copy.stub.objects.set(key, object)
      return copy
    }),
    ({ stub: opened }) => Effect.promise(() => opened.close())
  )

const bodyOf = (stub: S3Stub, path: string): Buffer => {
  const object = stub.objects.get(`${prefix}/${path}`)
  assert.isDefined(object, path)
  return object?.body ?? Buffer.from("")
}

/** Follows the pointer, and compares every file with the manifest. */
export const readExport = (stub: S3Stub): Manifest.Manifest => {
  const pointer = JSON.parse(String(bodyOf(stub, "latest.json"))) as Manifest.Pointer
  const text = bodyOf(stub, pointer.manifest)
  assert.strictEqual(sha256(text), pointer.sha256)
  const manifest = JSON.parse(String(text)) as Manifest.Manifest
  assert.strictEqual(manifest.run, pointer.run)
  const files = Object.values(manifest.tables).flatMap((table) => table.files)
  for (const { bytes, path, sha256: expected } of [...files, journalOf(manifest)]) {
    assert.deepStrictEqual([bodyOf(stub, path).length, sha256(bodyOf(stub, path))], [bytes, expected], path)
  }
  return manifest
}

const journalOf = ({ journal, journalFile }: Manifest.Manifest) => ({
  path: journal ?? "",
  bytes: journalFile?.bytes ?? 0,
  sha256: journalFile?.sha256 ?? ""
})

/** The bucket holds the pointer, the manifests and what they name, and nothing else; nothing waits in staging. */
export const assertTidy = ({ dataDir, stub }: Prepared) => {
  const keys = [...stub.objects.keys()].map((key) => key.slice(prefix.length + 1))
  const paths = keys.filter((key) => key.startsWith(Manifest.manifestFolder))
  const manifests = paths.map((path) => JSON.parse(String(bodyOf(stub, path))) as Manifest.Manifest)
  const named = manifests.flatMap(Manifest.files)
  const isOfDelta = (key: string) => /(^|\/)_delta(_log)?\//.test(key)
  assert.sameMembers(
    keys.filter((key) => !isOfDelta(key)),
    [...new Set([Manifest.pointerPath, ReadingSql.path, ...paths, ...named])]
  )
  const newest = readExport(stub)
  assertShown(manifests, newest.run)
  const logOf = (table: string) =>
    logIn(keys.filter((key) => key.startsWith(`${table}/`)).map((key) => [key, () => String(bodyOf(stub, key))]))
  assertSame(newest, logOf)
  assert.strictEqual(stub.uploads.size, 0)
  assert.isFalse(existsSync(join(dataDir, "staging")))
}

export const isWrite = (operation: string): boolean => /^(Put|Delete|Create|Upload|Complete|Abort)/.test(operation)
