/**
 * Verify reads an export again as a reader would: pointer, manifest, every file, and the Delta logs. It checks
 * everything that can be checked: the length and hash of each file, and the rows, columns, ranges and nulls that DuckDB
 * finds in it.
 *
 * One file at a time goes into a temporary folder, so memory and disk hold no more than the largest file. It changes
 * nothing, needs no stores, and may run beside a worker, because the files of an export never change.
 */
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Option, Schema } from "effect"
import { track } from "../Runtime/Progress.ts"
import { Lake, type LakeError } from "./Lake.ts"
import * as TemporaryFolder from "../Runtime/TemporaryFolder.ts"
import * as JournalFile from "./JournalFile.ts"
import { attempt, type Digest, digest, sha256 } from "./LocalFiles.ts"
import type { Checked } from "./Checked.ts"
import * as Manifest from "./Manifest.ts"
import * as Parquet from "./Parquet.ts"
import * as LakePointer from "./LakePointer.ts"
import * as VerifyLogs from "./VerifyLogs.ts"

/** There is nothing to verify. */
export class NothingToVerify extends Schema.TaggedError<NothingToVerify>()("NothingToVerify", {
  /** There is an export, but its pointer or its manifest is missing or can't be read. */
  isDamaged: Schema.Boolean,
  message: Schema.String
}) {}

export interface Verified {
  readonly lake: string
  readonly run: string
  readonly asOf: Manifest.AsOf
  /** Faults of the pointer and the manifest themselves. */
  readonly faults: ReadonlyArray<string>
  readonly checked: ReadonlyArray<Checked>
}

export const faultsOf = ({ checked, faults }: Verified): ReadonlyArray<string> => [
  ...faults,
  ...checked.flatMap((each) => each.faults)
]

/**
 * `run`: verified instead of the pointer's run. `onChecked` is called after each table. `alreadyRead`: paths of files
 * that needn't be read; the files read here are added to it.
 */
export const verify = Effect.fn("Lake.verify")(function* (
  run: Option.Option<string>,
  onChecked: (checked: Checked) => Effect.Effect<void>,
  alreadyRead: Set<string> = new Set()
) {
  const lake = yield* Lake
  const { faults, manifest } = yield* read(lake, run)
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const { path: folder } = yield* temporaryFolder
      const place: Place = { lake, parquet: yield* Parquet.open, folder, alreadyRead }
      const tables = Object.entries(manifest.tables)
      const checked: Array<Checked> = []
      yield* track("lake verify", { unit: "tables read", total: tables.length }, (reached) =>
        Effect.forEach(
          tables,
          ([name, table]) =>
            Effect.map(Effect.tap(checkTable(place, name, table), onChecked), (one) => reached(checked.push(one))),
          { discard: true }
        )
      )
      if (manifest.journal !== null && !alreadyRead.has(manifest.journal)) {
        alreadyRead.add(manifest.journal)
        checked.push(yield* Effect.tap(checkJournal(place, manifest.journal, manifest), onChecked))
      }
      for (const logs of yield* VerifyLogs.verify(place, manifest, Option.isNone(run)))
        checked.push(yield* Effect.tap(Effect.succeed(logs), onChecked))
      const verified: Verified = { lake: lake.name, run: manifest.run, asOf: manifest.asOf, faults, checked }
      return verified
    })
  )
})

const temporaryFolder = Effect.acquireRelease(
  attempt(() => TemporaryFolder.make("verify")),
  (folder) => Effect.promise(() => folder.remove())
)

const read = Effect.fnUntraced(function* (lake: Lake["Service"], run: Option.Option<string>) {
  if (Option.exists(run, (given) => !Manifest.isRun(given))) return yield* noRun(Option.getOrElse(run, () => ""))
  const { pointer, version } = yield* LakePointer.find(lake)
  if (Option.isNone(run) && Option.isNone(pointer)) return yield* noExport(lake, Option.isSome(version))
  const named = Option.filter(pointer, (shown) => Option.isNone(run) || shown.run === run.value)
  const path = Option.match(named, {
    onNone: () => Manifest.manifestPath(Option.getOrElse(run, () => "")),
    onSome: (shown) => shown.manifest
  })
  const text = Option.map(yield* lake.readText(path), (each) => each.text)
  if (Option.isNone(text)) return yield* noManifest(lake, path)
  const manifest = Manifest.parse(text.value)
  if (Option.isNone(manifest)) return yield* notAManifest(lake, path)
  const faults: Array<string> = []
  if (Option.exists(named, (shown) => shown.sha256 !== sha256(text.value))) {
    faults.push(`${Manifest.pointerPath} names ${path} with a different SHA-256 than it has.`)
  }
  if (Manifest.manifestPath(manifest.value.run) !== path) {
    faults.push(`${path} is the manifest of another run, ${manifest.value.run}.`)
  }
  return { faults, manifest: manifest.value }
})

const noRun = (given: string) =>
  new NothingToVerify({
    isDamaged: false,
    message: `${given} is not the name of an export, like 20261120T020000Z-1a2b: \`siteledger lake list\` names them.`
  })

const noExport = Effect.fnUntraced(function* (lake: Lake["Service"], isThere: boolean) {
  const paths = isThere ? [] : yield* lake.list(Manifest.manifestFolder)
  if (!isThere && paths.length === 0) {
    return yield* new NothingToVerify({
      isDamaged: false,
      message: `There is no export on ${lake.name} yet: \`siteledger export\` makes one.`
    })
  }
  const others = "`siteledger lake list` names the others, which can be verified with --run."
  return yield* new NothingToVerify({
    isDamaged: true,
    message: `${LakePointer.noPointer(lake, isThere)} ${others}`
  })
})

const noManifest = ({ name }: Lake["Service"], path: string) =>
  new NothingToVerify({
    isDamaged: true,
    message: `${path} is not on ${name}. \`siteledger lake list\` names the runs that are.`
  })

const notAManifest = ({ name }: Lake["Service"], path: string) =>
  new NothingToVerify({
    isDamaged: true,
    message: `${path} on ${name} is not a manifest: \`siteledger export\` makes a new export, \`siteledger lake list\` names the others.`
  })

interface Place {
  readonly lake: Lake["Service"]
  readonly parquet: Parquet.Parquet
  readonly folder: string
  readonly alreadyRead: Set<string>
}

/** Calls `use` with the local copy of a file, if the lake has the file. */
const fetched = <A>(
  { folder, lake }: Place,
  path: string,
  use: (localFile: string) => Effect.Effect<A, LakeError>
): Effect.Effect<A | undefined, LakeError> =>
  Effect.suspend(() => {
    const localFile = join(folder, path.replaceAll("/", "_"))
    const whole = Effect.flatMap(lake.fetch(path, localFile), (isThere) =>
      isThere ? use(localFile) : Effect.undefined
    )
    return Effect.ensuring(whole, Effect.ignore(attempt(() => rm(localFile, { force: true }))))
  })

type Table = Manifest.Manifest["tables"][string]

const checkTable = Effect.fnUntraced(function* (place: Place, name: string, { columns, files, rows }: Table) {
  const faults: Array<string> = []
  for (const file of files) faults.push(...(yield* checkFile(place, file, columns)))
  const sum = files.reduce((all, file) => all + file.rows, 0)
  if (sum !== rows) faults.push(`The manifest says that ${name} has ${rows} rows, but its files have ${sum}.`)
  if (files.length === 0) faults.push(`The manifest names no file of ${name}.`)
  const bytes = files.reduce((all, file) => all + file.bytes, 0)
  return { name, files: files.length, rows, bytes, faults } satisfies Checked
})

/** Only the first fault, because the others would follow from it. */
const checkFile = (place: Place, file: Manifest.ManifestFile, columns: Manifest.Columns) =>
  Effect.suspend(() => {
    if (place.alreadyRead.has(file.path)) return Effect.succeed([])
    place.alreadyRead.add(file.path)
    return Effect.map(
      fetched(place, file.path, (localFile) => readFile(place, file, columns, localFile)),
      (faults) => faults ?? [`${file.path} is missing.`]
    )
  })

const readFile = Effect.fnUntraced(function* (
  { parquet }: Place,
  file: Manifest.ManifestFile,
  columns: Manifest.Columns,
  localFile: string
) {
  const arrived = differs(file.path, file, yield* digest(localFile))
  if (arrived !== undefined) return [arrived]
  const inside = yield* Effect.result(parquet.read(localFile))
  if (inside._tag === "Failure") return [`${file.path} can't be read as Parquet: ${inside.failure.message}`]
  const found = inside.success
  if (found.rows !== file.rows) return [`${file.path} has ${found.rows} rows, not ${file.rows}.`]
  if (shape(found.columns) !== shape(columns)) return [`${file.path} has different columns than the manifest says.`]
  const { nulls, ranges } = found.footer
  if (file.ranges !== undefined && JSON.stringify(ranges) !== JSON.stringify(file.ranges))
    return [`${file.path} has different least and greatest values than the manifest says.`]
  const isFilled = file.nulls === undefined || JSON.stringify(nulls) === JSON.stringify(file.nulls)
  return isFilled ? [] : [`${file.path} lacks values in other rows than the manifest says.`]
})

const shape = (columns: Manifest.Columns): string => JSON.stringify(columns.map(({ name, type }) => [name, type]))

const differs = (path: string, expected: Digest, found: Digest): string | undefined => {
  if (found.bytes !== expected.bytes) return `${path} has ${found.bytes} bytes, not ${expected.bytes}.`
  return found.sha256 === expected.sha256 ? undefined : `${path} has a different SHA-256 than the manifest says.`
}

/** Older manifests say only where it is. */
const checkJournal = (place: Place, path: string, { journalFile: expected }: Manifest.Manifest) =>
  Effect.map(fetched(place, path, JournalFile.describe), (found): Checked => {
    if (found === undefined) return { name: "journal", files: 1, rows: 0, bytes: 0, faults: [`${path} is missing.`] }
    const fault = expected === undefined ? undefined : journalFault(path, expected, found)
    const faults = fault === undefined ? [] : [fault]
    return { name: "journal", files: 1, rows: found.rows, bytes: found.bytes, faults }
  })

const journalFault = (path: string, expected: JournalFile.Described, found: JournalFile.Described) =>
  differs(path, expected, found) ??
  (found.rows === expected.rows ? undefined : `${path} has ${found.rows} lines, not ${expected.rows}.`)
