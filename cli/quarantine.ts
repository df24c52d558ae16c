/**
 * `siteledger quarantine`: the deliveries that couldn't be read or applied, a page at a time, and below them the count
 * for each reason, with what would make them readable; with `--export`, all of them in full, in a file.
 */
import { Console, Effect, Option, Record } from "effect"
import { Command } from "effect/cli"
import * as Json from "../src/Domain/Json.ts"
import * as WholeFile from "../src/Ledger/Files/WholeFile.ts"
import type { Answer, Payload } from "../src/Operate/AdminApi.ts"
import * as Text from "../src/Query/Text.ts"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { json, optionalText, toggle, wholeOr } from "./Options.ts"
import * as Print from "./Print.ts"
import { answer, counted } from "./Said.ts"

const flags = {
  reason: optionalText("reason", "Only deliveries with this reason"),
  after: wholeOr(0, "after", "Only deliveries after this sequence: the last of the previous page"),
  limit: wholeOr(50, "limit", "Most rows to show", { least: 1, most: 1000 }),
  export: optionalText("export", "Write all of them to a new file: one line of JSON each, with headers and body"),
  force: toggle("force", "Replace that file if there is one"),
  json
}

const columns = ["sequence", "received", "event_type", "reason", "event_id"]

/** Part by part, so that memory doesn't grow with the quarantine. */
const exported = (
  target: { readonly path: string; readonly isReplacing: boolean },
  from: Payload<"quarantine-export">
) =>
  WholeFile.write(target, (put) =>
    Effect.gen(function* () {
      let count = 0
      for (let after: number | null = from.after ?? 0; after !== null;) {
        const part: Answer<"quarantine-export"> = yield* ask("quarantine-export", { ...from, after }, Alone.quarantine)
        for (const each of part.deliveries) yield* put(Buffer.from(`${Json.stringify(each)}\n`))
        count += part.deliveries.length
        after = part.next
      }
      return { path: target.path, deliveries: count }
    })
  )

const wrote = ({ deliveries, path }: { readonly path: string; readonly deliveries: number }) => [
  `Wrote ${counted(deliveries, "delivery", "deliveries")} to ${path}.`
]

export const quarantine = Command.make("quarantine", flags, ({ export: path, force, json: asJson, reason, ...page }) =>
  Effect.gen(function* () {
    if (Option.isSome(path)) {
      const wanted = { after: page.after, ...Record.getSomes({ reason }) }
      return yield* answer(asJson, wrote)(yield* exported({ path: path.value, isReplacing: force }, wanted))
    }
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
    { command: "siteledger quarantine", description: "The first page, and all reasons" },
    {
      command: "siteledger quarantine --reason no-key --after 120 --json",
      description: "The next page of one reason, for a program"
    },
    {
      command: "siteledger quarantine --export unreadable.jsonl --reason no-key",
      description: "All with one reason and their bodies, for the people who run the service"
    }
  ]),
  Command.provide(Log.layerSettings)
)
