/**
 * `siteledger lake verify`: reads an export again and checks it all. Ends with 1 where anything is not as the manifest
 * says.
 */
import { Console, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as Verify from "../../src/Lake/Verify.ts"
import * as Text from "../../src/Query/Text.ts"
import { json } from "../Options.ts"
import * as Print from "../Print.ts"

/** What is wrong has been said, file by file. */
export class LakeDiffers extends Schema.TaggedError<LakeDiffers>()("LakeDiffers", { message: Schema.String }) {}

const flags = {
  run: Flag.String("run").pipe(
    Flag.withDescription("Another export than the newest one (`siteledger lake list`)"),
    Flag.optional
  ),
  json: json("One JSON document")
}

export const verify = Command.make("verify", flags, ({ json: asJson, run }) =>
  Effect.gen(function* () {
    const said = (checked: Verify.Checked) => (asJson ? Effect.void : Console.log(line(checked)))
    const verified = yield* Verify.verify(run, said)
    const faults = Verify.faultsOf(verified)
    if (asJson) yield* Print.document({ ok: faults.length === 0, ...verified })
    else yield* Console.log([...verified.faults.map(Print.complaint), summary(verified)].join("\n"))
    if (faults.length === 0) return
    const things = faults.length === 1 ? "1 thing is" : `${faults.length} things are`
    return yield* new LakeDiffers({ message: `${things} not as the manifest of ${verified.run} says.` })
  })
).pipe(Command.withDescription("Read an export again from where it lies and check every count and hash"))

const line = ({ bytes, faults, files, name, rows }: Verify.Checked): string =>
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
    (faults === 0 ? "every count and hash is right." : `${counted(faults, "fault")}.`)
  )
}
