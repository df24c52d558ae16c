/**
 * Compares the journal of the newest export with the books: every line in it, to the byte.
 */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option } from "effect"
import * as JournalFile from "../../Lake/JournalFile.ts"
import { Lake } from "../../Lake/Lake.ts"
import * as LakePointer from "../../Lake/LakePointer.ts"
import { attempt } from "../../Lake/LocalFiles.ts"
import * as TemporaryFolder from "../../Runtime/TemporaryFolder.ts"
import { Warehouse } from "../../Stores/Warehouse.ts"

/** In words; empty if there is no export, or none that can be read: damage is looked for once a week. */
export const inExport = Effect.scoped(
  Effect.gen(function* () {
    const lake = yield* Lake
    const { manifest } = yield* LakePointer.read(lake)
    const path = Option.getOrNull(Option.map(manifest, ({ journal }) => journal))
    if (path === null) return []
    const folder = yield* Effect.acquireRelease(
      attempt(() => TemporaryFolder.make("audit")),
      (each) => Effect.promise(() => each.remove())
    )
    const file = join(folder.path, "journal.csv")
    if (!(yield* lake.fetch(path, file))) return []
    const snapshot = yield* (yield* Warehouse).snapshot
    const entry = yield* JournalFile.firstDiffering(file, snapshot)
    yield* attempt(() => rm(file))
    return entry === undefined ? [] : [`${path} on ${lake.name} differs from the books at entry ${entry}.`]
  })
)
