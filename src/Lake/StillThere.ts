/**
 * What the Lake still has of the previous export. If a part of a table, an event date or the journal has the same rows,
 * it isn't written again: its file is referenced once more if it is there with the right length. This is checked before
 * the snapshot is taken, because the snapshot costs the engine something for as long as it lasts.
 */
import { Effect, Option } from "effect"
import type { Lake } from "./Lake.ts"
import type { LakePointer } from "./LakePointer.ts"
import * as Manifest from "./Manifest.ts"
import { type Sizes, sizesIn } from "./Sweep.ts"

export interface StillThere {
  readonly manifest: Option.Option<Manifest.Manifest>
  /** The files of tables; events have theirs by date. */
  readonly tables: ReadonlyMap<string, ReadonlyArray<Manifest.ManifestFile>>
  readonly dates: ReadonlyMap<string, Manifest.ManifestFile>
  readonly journal: { readonly path: string; readonly sha256: string } | undefined
  readonly sizes: Sizes
}

/** With this, every file is written. */
export const nothing: StillThere = {
  manifest: Option.none(),
  tables: new Map(),
  dates: new Map(),
  journal: undefined,
  sizes: new Map()
}

/** `sizes`: set if the lake has already been listed. What can't be listed is written again. */
export const of = (
  lake: Lake["Service"],
  { manifest }: LakePointer,
  sizes: Sizes | undefined
): Effect.Effect<StillThere> =>
  Option.match(manifest, {
    onNone: () => Effect.succeed(nothing),
    onSome: ({ journal, journalFile, tables }) =>
      Effect.map(sizes === undefined ? listed(lake, tables) : Effect.succeed(sizes), (all) => ({
        manifest,
        tables: new Map(
          Object.entries(tables).flatMap(([name, { files }]) => (name === "events" ? [] : [[name, files]]))
        ),
        dates: Manifest.eventFiles(tables),
        journal: journal === null || journalFile === undefined ? undefined : { path: journal, ...journalFile },
        sizes: all
      }))
  })

const listed = (lake: Lake["Service"], tables: Manifest.Manifest["tables"]): Effect.Effect<Sizes> =>
  Effect.orElseSucceed(sizesIn(lake, Object.keys(tables)), () => nothing.sizes)

/** The file, if it has these rows. */
export const unchanged = (
  { sizes }: StillThere,
  file: Manifest.ManifestFile | undefined,
  fingerprint: string
): Manifest.ManifestFile | undefined =>
  file?.fingerprint === fingerprint && sizes.get(file.path) === file.bytes ? file : undefined

/** The path of the journal, if it has these bytes. */
export const sameJournal = (
  { journal, sizes }: StillThere,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string }
): string | undefined => (journal?.sha256 === sha256 && sizes.get(journal.path) === bytes ? journal.path : undefined)
