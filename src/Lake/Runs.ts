/**
 * Which exports lie on a Lake, the newest first, as their manifests tell, and whether readers find one.
 */
import { Effect, Option } from "effect"
import { Lake } from "./Lake.ts"
import * as Manifest from "./Manifest.ts"
import { noPointer } from "./LakePointer.ts"

export interface Run {
  readonly run: string
  /** What the pointer names, and so what readers see. */
  readonly isNewest: boolean
  /** Null: its manifest can't be read. */
  readonly asOf: string | null
  readonly tables: number
  readonly files: number
  readonly rows: number
  readonly bytes: number
}

export interface Listed {
  readonly runs: ReadonlyArray<Run>
  /** Why readers find none of them, and what to do. */
  readonly fault: string | null
}

const readsAtOnce = 8

export const list = Effect.gen(function* () {
  const lake = yield* Lake
  const found = yield* lake.readText(Manifest.pointerPath)
  const pointer = Option.flatMap(found, ({ text }) => Manifest.parsePointer(text))
  const names = (yield* lake.list(Manifest.manifestFolder)).flatMap((path) => Manifest.runOf(path) ?? [])
  const runs = yield* Effect.forEach(
    names.toSorted().toReversed(),
    (run) =>
      Effect.map(lake.readText(Manifest.manifestPath(run)), (laid): Run => {
        const manifest = Option.flatMap(laid, ({ text }) => Manifest.parse(text))
        const isNewest = Option.exists(pointer, (shown) => shown.run === run)
        return { run, isNewest, ...Option.match(manifest, { onNone: () => unreadable, onSome: summary }) }
      }),
    { concurrency: readsAtOnce }
  )
  const listed: Listed = { runs, fault: faultOf(lake, runs, Option.isSome(found), pointer) }
  return listed
})

const faultOf = (
  lake: Lake["Service"],
  runs: ReadonlyArray<Run>,
  isThere: boolean,
  pointer: Option.Option<Manifest.Pointer>
): string | null => {
  if (Option.isNone(pointer)) return isThere || runs.length > 0 ? noPointer(lake, isThere) : null
  const path = Manifest.manifestPath(pointer.value.run)
  if (runs.some(({ asOf, isNewest }) => isNewest && asOf !== null)) return null
  return (
    `${path}, which ${Manifest.pointerPath} on ${lake.name} names, is missing or can't be read: ` +
    "`siteledger export` lays a new export."
  )
}

const unreadable = { asOf: null, tables: 0, files: 0, rows: 0, bytes: 0 }

const summary = ({ asOf, tables }: Manifest.Manifest) => {
  const files = Object.values(tables).flatMap((table) => table.files)
  return {
    asOf: asOf.at,
    tables: Object.keys(tables).length,
    files: files.length,
    rows: files.reduce((sum, file) => sum + file.rows, 0),
    bytes: files.reduce((sum, file) => sum + file.bytes, 0)
  }
}
