/**
 * The exports on a Lake by their manifests, newest first, and whether readers find one.
 */
import { Effect, Option } from "effect"
import { Lake } from "./Lake.ts"
import * as Instant from "../Domain/Instant.ts"
import * as Manifest from "./Manifest.ts"
import * as LakePointer from "./LakePointer.ts"
import * as Retention from "./Retention.ts"

export interface Run {
  readonly run: string
  /** The pointer names it, so it is what readers see. */
  readonly isNewest: boolean
  /** It stays at least until then; null if that depends on when another replaces it. */
  readonly safeUntil: string | null
  /** Null if its manifest can't be read. */
  readonly asOf: string | null
  readonly tables: number
  readonly files: number
  readonly rows: number
  readonly bytes: number
}

export interface Listed {
  readonly runs: ReadonlyArray<Run>
  /** Why readers find no export, and what to do. */
  readonly fault: string | null
}

const readsAtOnce = 8

export const list = Effect.gen(function* () {
  const lake = yield* Lake
  const { pointer, version } = yield* LakePointer.find(lake)
  const names = (yield* lake.list(Manifest.manifestFolder)).flatMap((path) => Manifest.runOf(path) ?? [])
  const read = yield* Effect.forEach(
    names.toSorted().toReversed(),
    (run) =>
      Effect.map(LakePointer.manifestOf(lake, run), (manifest) => ({
        ...Option.match(manifest, { onNone: () => ({ ...unreadable, kept: {} }), onSome: summary }),
        run
      })),
    { concurrency: readsAtOnce }
  )
  const safe = Retention.safeUntilMs(read.map(({ kept, run }) => ({ ...kept, run })))
  const runs = read.map(({ kept: _kept, run, ...known }): Run => {
    const isNewest = Option.exists(pointer, (shown) => shown.run === run)
    const untilMs = isNewest ? undefined : safe.get(run)
    return { run, isNewest, ...known, safeUntil: untilMs === undefined ? null : Instant.fromMillis(untilMs) }
  })
  const listed: Listed = { runs, fault: faultOf(lake, runs, Option.isSome(version), pointer) }
  return listed
})

const faultOf = (
  lake: Lake["Service"],
  runs: ReadonlyArray<Run>,
  isThere: boolean,
  pointer: Option.Option<Manifest.Pointer>
): string | null => {
  if (Option.isNone(pointer)) return isThere || runs.length > 0 ? LakePointer.noPointer(lake, isThere) : null
  const path = Manifest.manifestPath(pointer.value.run)
  if (runs.some(({ asOf, isNewest }) => isNewest && asOf !== null)) return null
  return (
    `${path}, which ${Manifest.pointerPath} on ${lake.name} names, is missing or can't be read: ` +
    "`siteledger export` makes a new export."
  )
}

const unreadable = { asOf: null, tables: 0, files: 0, rows: 0, bytes: 0 }

const summary = ({ asOf, before, keptSeconds, shownAt, tables }: Manifest.Manifest) => {
  const files = Object.values(tables).flatMap((table) => table.files)
  return {
    kept: { before, keptSeconds, shownAt },
    asOf: asOf.at,
    tables: Object.keys(tables).length,
    files: files.length,
    rows: files.reduce((sum, file) => sum + file.rows, 0),
    bytes: files.reduce((sum, file) => sum + file.bytes, 0)
  }
}
