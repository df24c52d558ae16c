/**
 * The exports on the lake for the weekly check, which reads each file once: the newest export, which is rewritten if it
 * is damaged, and the older ones that are kept. The rows of these are stored nowhere else, so damage is reported to a
 * person.
 */
import { Effect, Option } from "effect"
import { Export } from "../../Lake/Export.ts"
import { Lake } from "../../Lake/Lake.ts"
import * as LakePointer from "../../Lake/LakePointer.ts"
import { files } from "../../Lake/Manifest.ts"
import * as Manifest from "../../Lake/Manifest.ts"
import * as Runs from "../../Lake/Runs.ts"
import * as Verify from "../../Lake/Verify.ts"
import * as VerifyLogs from "../../Lake/VerifyLogs.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import * as LogLine from "../../Runtime/LogLine.ts"

const damagedExport = "damaged export"
const damagedOlder = "damaged older export"
const damagedLog = "damaged delta log"

/** Begins a sentence that gives the first fault and how many there are. */
const first = ([fault = "", ...others]: ReadonlyArray<string>, what: string): string =>
  `${what} is damaged${others.length > 0 ? `, in ${others.length + 1} places` : ""}: ${fault}`

/** Separately, because an export doesn't rewrite a log that readers may have followed. */
const faultsOf = ({ checked, ...verified }: Verify.Verified) => {
  const [logs, others] = [checked.filter(VerifyLogs.isOfLogs), checked.filter((each) => !VerifyLogs.isOfLogs(each))]
  return { logs: logs.flatMap(({ faults }) => faults), files: Verify.faultsOf({ ...verified, checked: others }) }
}

/** If it is damaged, another export follows that writes every file. */
export const newest = Effect.map(Effect.all([Lake, Export, Reasons]), ([lake, exports, reasons]) => {
  const damaged = (sentence: string) =>
    exports.again.pipe(
      Effect.andThen(LogLine.write("export.repaired", { why: sentence })),
      Effect.andThen(reasons.clear(damagedExport)),
      Effect.catch(({ message }) => reasons.set(damagedExport, `${sentence} It can't be written again now: ${message}`))
    )
  return {
    name: "the newest export",
    check: Verify.verify(Option.none(), () => Effect.void).pipe(
      Effect.provideService(Lake, lake),
      Effect.map(faultsOf),
      Effect.tap(({ logs }) =>
        logs.length === 0
          ? reasons.clear(damagedLog)
          : reasons.set(damagedLog, first(logs, `Delta Lake on ${lake.name}`))
      ),
      Effect.flatMap(({ files: faults }) => {
        if (faults.length === 0) return reasons.clear(damagedExport)
        return damaged(first(faults, `The newest export on ${lake.name}`))
      }),
      Effect.catch((error) => {
        if (!(error instanceof Verify.NothingToVerify)) return Effect.fail(error)
        return error.isDamaged ? damaged(`Readers find no export on ${lake.name}: ${error.message}`) : Effect.void
      })
    )
  }
})

/** The files of the newest export were read with it. */
const readWithNewest = Effect.fnUntraced(function* (lake: Lake["Service"]) {
  const { manifest } = yield* LakePointer.read(lake)
  return new Set(Option.match(manifest, { onNone: () => [], onSome: files }))
})

const faultsIn = Effect.fnUntraced(function* (lake: Lake["Service"], run: string, alreadyRead: Set<string>) {
  const verified = yield* Verify.verify(Option.some(run), () => Effect.void, alreadyRead).pipe(
    Effect.map((found) => faultsOf(found).files),
    Effect.catchTag("NothingToVerify", ({ message }) => Effect.succeed([message]))
  )
  // A sweep may remove it meanwhile, its manifest first.
  const isThere = verified.length > 0 && Option.isSome(yield* lake.size(Manifest.manifestPath(run)))
  return isThere ? verified : []
})

export const older = Effect.map(Effect.all([Lake, Reasons]), ([lake, reasons]) => ({
  name: "the older exports",
  check: Effect.gen(function* () {
    const { runs } = yield* Runs.list
    const alreadyRead = yield* readWithNewest(lake)
    const faults: Array<string> = []
    for (const { isNewest, run } of runs) {
      if (!isNewest) faults.push(...(yield* faultsIn(lake, run, alreadyRead)))
    }
    if (faults.length === 0) return yield* reasons.clear(damagedOlder)
    yield* reasons.set(damagedOlder, first(faults, `An older export on ${lake.name}`), "critical")
  }).pipe(Effect.provideService(Lake, lake))
}))
