/**
 * `siteledger lake verify`: reads back an export and all archives, and checks all of them. Exits with 1 if anything
 * differs from its manifest.
 */
import { Console, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import type { Checked } from "../../src/Lake/Checked.ts"
import * as Verify from "../../src/Lake/Verify.ts"
import * as VerifyArchives from "../../src/Lake/VerifyArchives.ts"
import * as Text from "../../src/Query/Text.ts"
import { underWay } from "../../src/Runtime/Progress.ts"
import * as Bar from "../Bar.ts"
import { json, optionalText } from "../Options.ts"
import * as Print from "../Print.ts"

/** The faults have been printed, file by file. */
export class LakeDiffers extends Schema.TaggedError<LakeDiffers>()("LakeDiffers", { message: Schema.String }) {}

const flags = {
  run: optionalText("run", "The export to check, as `siteledger lake list` shows it (default: the newest)"),
  json
}

export const verify = Command.make("verify", flags, ({ json: asJson, run }) =>
  Effect.gen(function* () {
    const print = (checked: Checked) =>
      asJson ? Effect.void : Effect.andThen(Bar.makeRoom, Console.log(line(checked)))
    const found = yield* Bar.shown("lake verify", underWay)(Verify.verify(run, print))
    const archives = yield* Effect.tap(VerifyArchives.verify, Effect.forEach(print))
    const verified = { ...found, checked: [...found.checked, ...archives] }
    const faults = Verify.faultsOf(verified)
    if (asJson) yield* Print.document({ ok: faults.length === 0, ...verified })
    else yield* Console.log([...verified.faults.map(Print.complaint), summary(verified)].join("\n"))
    if (faults.length === 0) return
    const differ = faults.length === 1 ? "1 thing differs" : `${faults.length} things differ`
    return yield* new LakeDiffers({ message: `${differ} from the manifest of ${verified.run}.` })
  })
).pipe(
  Command.withDescription("Read an export back from the lake and check every count and hash"),
  Command.withExamples([
    { command: "siteledger lake verify", description: "Check the newest export down to the last value" },
    { command: "siteledger lake verify --run 20261120T020000Z-1a2b", description: "Check an older one" }
  ])
)

const line = ({ bytes, faults, files, name, rows }: Checked): string =>
  [
    `${faults.length === 0 ? "ok" : "! "} ${name.padEnd(22)} ${counted(rows, name === "journal" ? "line" : "row")}, ` +
      `${counted(files, "file")}, ${counted(bytes, "byte")}`,
    ...faults.map((fault) => `     ${Text.visible(fault)}`)
  ].join("\n")

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const summary = (verified: Verify.Verified): string => {
  const files = verified.checked.reduce((sum, each) => sum + each.files, 0)
  const faults = Verify.faultsOf(verified).length
  return (
    `Export ${verified.run} on ${verified.lake}, as of ${verified.asOf.at}: ${counted(files, "file")} read, ` +
    (faults === 0 ? "every count and hash matches." : `${counted(faults, "fault")}.`)
  )
}
