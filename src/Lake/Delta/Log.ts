/**
 * The Delta log of one table on the Lake. A commit is written only if its number isn't taken. Of two writers, one finds
 * the other's commit, which is identical unless it is a stranger's.
 */
import { Effect, Option, Schema } from "effect"
import type { Lake, LakeError } from "../Lake.ts"
import * as Manifest from "../Manifest.ts"
import { type Action, folderOf, pathOf, textOf } from "./Actions.ts"
import { type Held, heldBy } from "./Commit.ts"
import { manifestOf } from "../LakePointer.ts"

type LakeService = Lake["Service"]

/** The parts of a commit's lines that are needed to continue from it. */
const Line = Schema.Struct({
  commitInfo: Schema.optionalKey(Schema.Struct({ engineInfo: Schema.Literal("siteledger"), run: Manifest.Run })),
  metaData: Schema.optionalKey(Schema.Struct({ id: Manifest.Uuid })),
  add: Schema.optionalKey(Schema.Struct({ path: Schema.String, size: Schema.Int })),
  remove: Schema.optionalKey(Schema.Struct({ path: Schema.String }))
})
const decode = Schema.decodeUnknownOption(Schema.Array(Schema.fromJsonString(Line)))

/** None if another program made this commit, or it can't be read. */
const linesOf = (text: string) =>
  Option.filter(decode(text.trimEnd().split("\n")), (lines) => lines.some(({ commitInfo }) => commitInfo !== undefined))

const read = (lake: LakeService, table: string, version: number) =>
  Effect.map(
    lake.readText(pathOf(table, version)),
    Option.flatMap(({ text }) => linesOf(text))
  )

const commitName = /\/_delta_log\/(\d{20})\.json$/

const versionsOf = (lake: LakeService, table: string): Effect.Effect<ReadonlyArray<number>, LakeError> =>
  Effect.map(lake.list(folderOf(table)), (paths) =>
    paths.flatMap((path) => {
      const version = commitName.exec(path)?.[1]
      return version === undefined ? [] : [Number(version)]
    })
  )

type Lines = ReadonlyArray<typeof Line.Type>

/**
 * How the log ends: as a manifest says, or as its first commit says, plus the commits since; undefined if there is no
 * log. The oldest commits may be gone (`Checkpoint`).
 */
export const end = Effect.fnUntraced(function* (
  lake: LakeService,
  table: string
): Effect.fn.Return<Held | "not ours" | undefined, LakeError> {
  const versions = yield* versionsOf(lake, table)
  if (versions.length === 0) return undefined
  const since: Array<Lines> = []
  for (let version = Math.max(...versions); versions.includes(version); version--) {
    const lines = yield* read(lake, table, version)
    if (Option.isNone(lines)) return "not ours"
    const run = lines.value.find(({ commitInfo }) => commitInfo !== undefined)?.commitInfo?.run ?? ""
    const held = Option.match(yield* manifestOf(lake, run), {
      onNone: () => undefined,
      onSome: (manifest) => heldBy(manifest).get(table)
    })
    if (held?.log.version === version) return after(table, held, since)
    since.unshift(lines.value)
    if (version === 0) return begun(table, since)
  }
  return "not ours"
})

/** Settings that aren't known are stated again by the next commit. */
const nothing: Held = { columns: [], files: [], log: { id: "", version: -1, run: "", keptDays: -1 }, journal: null }

/** The log's first commit names it. */
const begun = (table: string, all: ReadonlyArray<Lines>): Held | "not ours" => {
  const held = after(table, nothing, all)
  return held.log.id === "" ? "not ours" : held
}

const after = (table: string, from: Held, since: ReadonlyArray<Lines>): Held => {
  const files = new Map(from.files.map((file) => [file.path, file]))
  let { columns, log } = from
  for (const { add, commitInfo, metaData, remove } of since.flat()) {
    if (remove !== undefined) files.delete(`${table}/${remove.path}`)
    if (add !== undefined) files.set(`${table}/${add.path}`, fileOf(table, add))
    if (metaData !== undefined) [columns, log] = [[], { ...log, id: metaData.id }]
    if (commitInfo !== undefined) log = { ...log, run: commitInfo.run, version: log.version + 1 }
  }
  return { columns, files: [...files.values()], log, journal: null }
}

const fileOf = (table: string, { path, size }: { readonly path: string; readonly size: number }) => ({
  path: `${table}/${path}`,
  bytes: size,
  rows: 0,
  sha256: ""
})

/**
 * Whether the log reaches the previous number, so that there is no gap. The first commits may be gone (`Checkpoint`).
 */
const isNext = (lake: LakeService, table: string, version: number): Effect.Effect<boolean, LakeError> =>
  version === 0
    ? Effect.map(versionsOf(lake, table), (versions) => versions.every((each) => each === 0))
    : Effect.map(lake.size(pathOf(table, version - 1)), Option.isSome)

/** False if the previous commit is gone, or if another program has made the one with this number. */
export const commit = Effect.fnUntraced(function* (
  lake: LakeService,
  table: string,
  run: string,
  version: number,
  actions: ReadonlyArray<Action>
): Effect.fn.Return<boolean, LakeError> {
  if (!(yield* isNext(lake, table, version))) return false
  const isOurs = Effect.map(read(lake, table, version), (found) =>
    Option.exists(found, (lines) => lines.some(({ commitInfo }) => commitInfo?.run === run))
  )
  return yield* lake.replaceText(pathOf(table, version), textOf(actions), Option.none()).pipe(
    Effect.as(true),
    Effect.catchIf(
      ({ reason }) => reason === "Overtaken",
      () => isOurs
    )
  )
})
