/**
 * The Lake's copies of archives, for the weekly check. Each is read back and compared with the seal of the Store's own
 * archive; a copy that is damaged, changed or missing is written again from the Store's. (A damaged archive of the
 * Store is restored from here: src/Stores/Archives/ArchiveFolder.ts.) If both are damaged, nothing is written and the
 * error names both places.
 */
import { join } from "node:path"
import { Effect, Option } from "effect"
import * as TemporaryFolder from "../Runtime/TemporaryFolder.ts"
import { digestOf } from "../Stores/Archives/ArchiveFile.ts"
import type { Archive } from "../Stores/Deliveries.ts"
import type { Piece } from "../Stores/Piece.ts"
import { type Archiving, Store, type StoreError } from "../Stores/Store.ts"
import { documentOf, fileOf, missing, sealOn } from "./Archiving.ts"
import { Lake, LakeError } from "./Lake.ts"
import { attempt } from "./LocalFiles.ts"
import * as LogLine from "../Runtime/LogLine.ts"

/** One piece for each archive. */
export const pieces = Effect.gen(function* () {
  const { archiving } = (yield* Store).deliveries
  if (archiving === undefined) return []
  const lake = yield* Lake
  return (yield* archiving.names).map((name): Piece<LakeError | StoreError> => ({
    name: `the copy of the archive ${name} on ${lake.name}`,
    check: Effect.scoped(mended(archiving, lake, name))
  }))
})

const mended = Effect.fnUntraced(function* (archiving: Archiving, lake: Lake["Service"], name: string) {
  const { archive, document } = yield* archiving.own(name)
  const fault = yield* mend(lake, { archive, document, copy: (target) => archiving.copy(archive, target) })
  if (fault !== undefined) yield* LogLine.write("archive.rewritten", { archive: name, lake: lake.name, why: fault })
})

/** An archive in the Store's own folder. */
export interface Own<E> {
  readonly archive: Archive
  readonly document: string
  /** Copies its file into another. */
  readonly copy: (target: string) => Effect.Effect<void, E>
}

/**
 * Makes the Lake's copy equal, the file first, and reads back what it wrote. Returns what was wrong with the copy, as
 * words that follow its name.
 */
export const mend = <E>(lake: Lake["Service"], { archive, copy, document }: Own<E>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const temporary = yield* Effect.acquireRelease(
        attempt(() => TemporaryFolder.make("archive")),
        (each) => Effect.promise(() => each.remove())
      )
      const local = join(temporary.path, "archive.parquet")
      const fault = yield* faultOf(archive, lake, local)
      const text = yield* lake.readText(documentOf(archive))
      const isSealed = Option.exists(text, (found) => found.text === document)
      if (fault !== undefined) {
        yield* copy(local)
        if ((yield* attempt(() => digestOf(local))) !== archive.sha256) return yield* bothDamaged(lake, archive, fault)
        yield* lake.put(fileOf(archive), local)
        if ((yield* faultOf(archive, lake, local)) !== undefined) return yield* missing(lake, fileOf(archive))
      }
      if (isSealed) return fault
      yield* sealOn(lake, archive, document)
      return fault ?? (Option.isNone(text) ? "lacks its document" : "has a document that isn't ours")
    })
  )

/** What is wrong with the file, as words that follow its name. `local`: where to read it. */
const faultOf = Effect.fnUntraced(function* (archive: Archive, lake: Lake["Service"], local: string) {
  if (!(yield* lake.fetch(fileOf(archive), local))) return "is gone"
  return (yield* attempt(() => digestOf(local))) === archive.sha256 ? undefined : "is damaged or was changed"
})

const bothDamaged = (lake: Lake["Service"], { name }: Archive, fault: string) =>
  new LakeError({
    reason: "Failed",
    message: `The archive ${name} on ${lake.name} ${fault}, and the store's own in its folder \`archive\` is damaged, too.`
  })
