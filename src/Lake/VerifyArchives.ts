/**
 * Verify for the archives on the Lake: each document, the file it seals (length, SHA-256, every value), and that none
 * is missing between the first and the last. Whether a seal is ours, only the worker's key tells; the worker checks it
 * whenever it reads one.
 */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option } from "effect"
import * as TemporaryFolder from "../Runtime/TemporaryFolder.ts"
import { type Archive, parse } from "../Stores/Archives/Archive.ts"
import { folder } from "./Archiving.ts"
import { Lake, type LakeError } from "./Lake.ts"
import { attempt, digest, sha256 } from "./LocalFiles.ts"
import * as Parquet from "./Parquet.ts"
import type { Checked } from "./Checked.ts"

/** None if there are no archives. */
export const verify: Effect.Effect<ReadonlyArray<Checked>, LakeError, Lake> = Effect.scoped(
  Effect.gen(function* () {
    const lake = yield* Lake
    const documents = (yield* lake.list(folder)).filter((path) => path.endsWith(".json"))
    if (documents.length === 0) return []
    const temporary = yield* Effect.acquireRelease(
      attempt(() => TemporaryFolder.make("verify")),
      (made) => Effect.promise(() => made.remove())
    )
    const parquet = yield* Parquet.open
    const faults: Array<string> = []
    let [rows, bytes] = [0, 0]
    let before: { readonly name: string; readonly sha256: string } | undefined
    for (const path of documents) {
      const text = Option.match(yield* lake.readText(path), { onNone: () => "", onSome: (found) => found.text })
      const archive = parse(text)
      if (archive === undefined || `${folder}${archive.name}.json` !== path) {
        faults.push(`${path} doesn't seal an archive.`)
        continue
      }
      if (!follows(archive, before))
        faults.push(`${path} doesn't follow the archive before it: one is missing or changed.`)
      before = { name: archive.name, sha256: sha256(text) }
      faults.push(...(yield* checkFile(lake, parquet, archive, join(temporary.path, "archive.parquet"))))
      rows += archive.deliveries
      bytes += archive.bytes
    }
    return [{ name: "archives", files: documents.length, rows, bytes, faults }]
  })
)

const inboxOf = (name: string): string => name.split("/")[0] ?? ""

/** A restored store begins its own chain. */
const follows = ({ before, name }: Archive, last: Archive["before"] | undefined): boolean => {
  const expected = last != null && inboxOf(last.name) === inboxOf(name) ? last : null
  return before?.name === expected?.name && before?.sha256 === expected?.sha256
}

const checkFile = Effect.fnUntraced(function* (
  lake: Lake["Service"],
  parquet: Parquet.Parquet,
  archive: Archive,
  local: string
) {
  const path = `${folder}${archive.name}.parquet`
  if (!(yield* lake.fetch(path, local))) return [`${path} is missing.`]
  const found = yield* digest(local)
  if (found.bytes !== archive.bytes) return [`${path} has ${found.bytes} bytes, not ${archive.bytes}.`]
  if (found.sha256 !== archive.sha256) return [`${path} has a different SHA-256 than its document says.`]
  const inside = yield* Effect.result(parquet.read(local))
  yield* attempt(() => rm(local, { force: true }))
  return inside._tag === "Failure" ? [`${path} can't be read as Parquet: ${inside.failure.message}`] : []
})
