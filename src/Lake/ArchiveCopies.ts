/**
 * The Lake's copies of archives, for the weekly check: each is read back and compared with the Store's own, and written
 * again from that if it is damaged, was changed or is gone. (A damaged one of the Store's comes back from here:
 * src/Stores/Archives/ArchiveFolder.ts.) If neither is in order, the check fails and names both places.
 */
import { join } from "node:path"
import { Effect, Option } from "effect"
import * as TemporaryFolder from "../Runtime/TemporaryFolder.ts"
import { digestOf } from "../Stores/Archives/ArchiveFile.ts"
import type { Piece } from "../Stores/Piece.ts"
import { type Archiving, Store, type StoreError } from "../Stores/Store.ts"
import { documentOf, fileOf } from "./Archiving.ts"
import { Lake, type LakeError } from "./Lake.ts"
import { attempt } from "./LocalFiles.ts"

/** One for each archive. */
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
  const temporary = yield* Effect.acquireRelease(
    attempt(() => TemporaryFolder.make("archive")),
    (each) => Effect.promise(() => each.remove())
  )
  const local = join(temporary.path, "archive.parquet")
  const isThere = yield* lake.fetch(fileOf(archive), local)
  const isWhole = isThere && (yield* attempt(() => digestOf(local))) === archive.sha256
  const found = yield* lake.readText(documentOf(archive))
  if (isWhole && Option.exists(found, ({ text }) => text === document)) return
  yield* archiving.copy(archive, local)
  yield* lake.put(fileOf(archive), local)
  yield* lake.putText(documentOf(archive), document)
  yield* Effect.logWarning(
    `The copy of the archive ${name} on ${lake.name} was ${isThere && Option.isSome(found) ? "damaged or changed" : "gone"}: it was written again ` +
      "from the store's own. Find out who can write there."
  )
})
