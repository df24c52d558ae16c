/**
 * `siteledger export`: writes a consistent export to the lake now.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import type { Answer } from "../src/Operate/AdminApi.ts"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { json } from "./Options.ts"
import * as Said from "./Said.ts"

export const exportNow = Command.make("export", { json }, ({ json: asJson }) =>
  Effect.flatMap(ask("export", {}, Alone.exporting), Said.answer(asJson, page))
).pipe(
  Command.withDescription("Write a consistent export to the lake now"),
  Command.withExamples([
    { command: "siteledger export", description: "Write an export now instead of tonight" },
    { command: "siteledger export && siteledger lake verify", description: "Write one and check every value of it" }
  ]),
  Command.provide(Log.layerSettings)
)

const page = ({ asOf, bytesWritten, filesKept, filesWritten, leftAlone, rows, run }: Answer<"export">) => [
  `Exported ${run}: ${Said.counted(rows, "row")}, as of ${asOf.at}.`,
  `${Said.counted(filesWritten, "file")} written (${Said.size(bytesWritten)}), ${filesKept} kept from earlier exports.`,
  ...leftAlone
]
