/**
 * Which exports lie on a Lake, the newest first, as their manifests tell.
 */
import { Effect, Option } from "effect"
import { Lake } from "../Lake.ts"
import * as Manifest from "./Manifest.ts"

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

const readsAtOnce = 8

export const list = Effect.gen(function* () {
  const lake = yield* Lake
  const pointer = Option.flatMap(yield* lake.readText(Manifest.pointerPath), ({ text }) => Manifest.parsePointer(text))
  const runs = (yield* lake.list(Manifest.manifestFolder)).flatMap((path) => Manifest.runOf(path) ?? [])
  return yield* Effect.forEach(
    runs.toSorted().toReversed(),
    (run) =>
      Effect.map(lake.readText(Manifest.manifestPath(run)), (found): Run => {
        const manifest = Option.flatMap(found, ({ text }) => Manifest.parse(text))
        const isNewest = Option.exists(pointer, (shown) => shown.run === run)
        return { run, isNewest, ...Option.match(manifest, { onNone: () => unreadable, onSome: summary }) }
      }),
    { concurrency: readsAtOnce }
  )
})

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
