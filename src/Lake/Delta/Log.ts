/**
 * The Delta log of one table on the Lake. A commit is written only if there is none of its number; of two that write it one
 * finds the other's, which is the same unless a stranger's.
 */
import { Effect, Option, Schema } from "effect"
import type { Lake, LakeError } from "../Lake.ts"
import { type Action, folderOf, pathOf, textOf } from "./Actions.ts"
import type { Held } from "./Commit.ts"

type LakeService = Lake["Service"]

/** What of a commit's lines is needed to go on from it. */
const Line = Schema.Struct({
  commitInfo: Schema.optionalKey(Schema.Struct({ engineInfo: Schema.Literal("siteledger"), run: Schema.String })),
  metaData: Schema.optionalKey(Schema.Struct({ id: Schema.String })),
  add: Schema.optionalKey(Schema.Struct({ path: Schema.String, size: Schema.Int })),
  remove: Schema.optionalKey(Schema.Struct({ path: Schema.String }))
})
const decode = Schema.decodeUnknownOption(Schema.Array(Schema.fromJsonString(Line)))

/** None: somebody else has made this commit, or it can't be read. */
const linesOf = (text: string) =>
  Option.filter(decode(text.trimEnd().split("\n")), (lines) => lines.some(({ commitInfo }) => commitInfo !== undefined))

const read = (lake: LakeService, table: string, version: number) =>
  Effect.map(
    lake.readText(pathOf(table, version)),
    Option.flatMap(({ text }) => linesOf(text))
  )

const commitName = /\/_delta_log\/(\d{20})\.json$/

/** How the log ends, by all of its commits; undefined: there is none. */
export const end = Effect.fnUntraced(function* (
  lake: LakeService,
  table: string
): Effect.fn.Return<Held | "not ours" | undefined, LakeError> {
  const names = (yield* lake.list(folderOf(table))).flatMap((path) => commitName.exec(path)?.[1] ?? [])
  const files = new Map<string, Held["files"][number]>()
  let log: Held["log"] | undefined
  for (const [version, name] of names.toSorted().entries()) {
    if (Number(name) !== version) return "not ours"
    const lines = yield* read(lake, table, version)
    if (Option.isNone(lines)) return "not ours"
    for (const { add, commitInfo, metaData, remove } of lines.value) {
      if (remove !== undefined) files.delete(remove.path)
      if (add !== undefined) files.set(add.path, fileOf(table, add))
      log = {
        id: metaData?.id ?? log?.id ?? "",
        run: commitInfo?.run ?? log?.run ?? "",
        version,
        // Unknown, so the next commit says it again.
        keptDays: -1
      }
    }
  }
  return log === undefined ? undefined : { columns: [], files: [...files.values()], log }
})

const fileOf = (table: string, { path, size }: { readonly path: string; readonly size: number }) => ({
  path: `${table}/${path}`,
  bytes: size,
  rows: 0,
  sha256: ""
})

/** False: the commit before is gone, or somebody else has made the one of this number. */
export const commit = Effect.fnUntraced(function* (
  lake: LakeService,
  table: string,
  run: string,
  version: number,
  actions: ReadonlyArray<Action>
): Effect.fn.Return<boolean, LakeError> {
  if (version > 0 && Option.isNone(yield* lake.size(pathOf(table, version - 1)))) return false
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
