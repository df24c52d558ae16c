/**
 * `siteledger lake`: the exports on the lake: `list` tells which there are, `verify` reads one again and checks it all.
 *
 * Both read the lake alone: no lock, no stores, whether a worker runs or not. `verify` ends with 1 where anything is not
 * as the manifest says. Whatever a file says of itself, no control character reaches the terminal.
 */
import { Console, Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { lake as configured } from "../pipelines/nightly.ts"
import * as Json from "../src/Domain/Json.ts"
import { Lake } from "../src/Lake/Lake.ts"
import * as Runs from "../src/Lake/Runs.ts"
import * as Verify from "../src/Lake/Verify.ts"
import * as Text from "../src/Query/Text.ts"
import { aligned } from "./Aligned.ts"
import { lakeSql } from "./lakeSql.ts"
import * as Log from "./Log.ts"

/** What is wrong has been said, file by file. */
export class LakeDiffers extends Schema.TaggedError<LakeDiffers>()("LakeDiffers", { message: Schema.String }) {}

const local = configured.pipe(Layer.provideMerge(Log.layer), Layer.provideMerge(Settings.layer))

const json = Flag.Boolean("json").pipe(Flag.withDescription("One JSON document"), Flag.withDefault(false))

const document = (value: unknown) => Console.log(Text.visibleJson(Json.stringify(value)))

const complaint = (fault: string): string => `! ${Text.visible(fault)}`

const run = Flag.String("run").pipe(
  Flag.withDescription("Another export than the newest one (`siteledger lake list`)"),
  Flag.optional
)

const verify = Command.make("verify", { run, json }, ({ json: asJson, run: given }) =>
  Effect.gen(function* () {
    const said = (checked: Verify.Checked) => (asJson ? Effect.void : Console.log(line(checked)))
    const verified = yield* Verify.verify(given, said)
    const faults = Verify.faultsOf(verified)
    if (asJson) yield* document({ ok: faults.length === 0, ...verified })
    else yield* Console.log([...verified.faults.map(complaint), summary(verified)].join("\n"))
    if (faults.length === 0) return
    const things = faults.length === 1 ? "1 thing is" : `${faults.length} things are`
    return yield* new LakeDiffers({ message: `${things} not as the manifest of ${verified.run} says.` })
  }).pipe(Effect.provide(local))
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

const list = Command.make("list", { json }, ({ json: asJson }) =>
  Effect.gen(function* () {
    const { name } = yield* Lake
    const { fault, runs } = yield* Runs.list
    if (asJson) return yield* document({ lake: name, runs, fault })
    if (fault !== null) yield* Console.log(complaint(fault))
    if (runs.length === 0)
      return yield* Console.log(`There is no export on ${name} yet: \`siteledger export\` lays one.`)
    const rows = runs.map(({ asOf, bytes, files, isNewest, run: id, rows: count }) => {
      const said = asOf === null ? { as_of: "its manifest can't be read" } : { as_of: asOf, files, rows: count, bytes }
      return { run: id, ...said, shown: isNewest ? "newest" : "" }
    })
    yield* Console.log(aligned(["run", "as_of", "files", "rows", "bytes", "shown"], rows))
  }).pipe(Effect.provide(local))
).pipe(Command.withDescription("The exports on the lake, the newest first"))

export const lake = Command.make("lake").pipe(
  Command.withDescription("The exports on the lake"),
  Command.withSubcommands([list, verify, lakeSql])
)
