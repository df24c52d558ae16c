/**
 * `siteledger quarantine`: the deliveries that couldn't be read or applied, a page at a time, and below how many there are by
 * reason, with what would make them readable.
 */
import { Console, Effect, Record } from "effect"
import { Command } from "effect/cli"
import * as Text from "../src/Query/Text.ts"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { json, optionalText, wholeOr } from "./Options.ts"
import * as Print from "./Print.ts"
import { counted } from "./Said.ts"

const flags = {
  reason: optionalText("reason", "Only those of this reason"),
  after: wholeOr(0, "after", "Only those after this sequence: the last one of the page before"),
  limit: wholeOr(50, "limit", "Most rows to show", { least: 1, most: 1000 }),
  json
}

const columns = ["sequence", "received", "event_type", "reason", "event_id"]

export const quarantine = Command.make("quarantine", flags, ({ json: asJson, reason, ...page }) =>
  Effect.gen(function* () {
    const found = yield* ask("quarantine", { ...page, ...Record.getSomes({ reason }) }, Alone.quarantine)
    if (asJson) return yield* Print.document(found)
    if (found.reasons.length === 0) return yield* Console.log("Nothing is in quarantine.")
    const rows = found.rows.map((row) => ({
      ...row,
      received: row.received_at?.slice(0, 19).replace("T", " ") ?? null
    }))
    if (rows.length > 0) yield* Console.log(Print.aligned(columns, rows))
    for (const { count, reason: why, toDo } of found.reasons) {
      yield* Console.log(`\n${Text.visible(why)}: ${counted(count, "delivery", "deliveries")}. ${toDo}`)
    }
  })
).pipe(
  Command.withDescription("Show what waits in quarantine, in stored order, and what would make it readable"),
  Command.withExamples([
    { command: "siteledger quarantine", description: "The first of it, and all reasons" },
    {
      command: "siteledger quarantine --reason no-key --after 120 --json",
      description: "The next page of one reason, for a program"
    }
  ]),
  Command.provide(Log.layerSettings)
)
