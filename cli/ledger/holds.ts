/**
 * `siteledger ledger holds`: what has waited longest for a decision. On a terminal, each question follows once below the
 * table, and what look-ups found.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import * as Rows from "./Rows.ts"

const columns = ["hold_id", "ipc_id", "payment_reference", "reason", "since", "amount", "currency"]

export const holds = Command.make("holds", Rows.flags, (request) =>
  Effect.gen(function* () {
    const found = yield* Rows.find("ledger-holds", request)
    yield* Rows.print(columns, found.rows, request.json)
    if (!request.json && process.stdout.isTTY) yield* printQuestions(found)
    yield* Rows.tellRest(found, "holds (the oldest)", "Nothing waits for a decision.")
  })
).pipe(
  Command.withDescription("List what waits for a decision, oldest first"),
  Command.withExamples([
    { command: "siteledger ledger holds", description: "What waits for a decision" },
    { command: "siteledger ledger holds --ipc IPC-7 --json", description: "Of one IPC, for a program" }
  ])
)

const printQuestions = ({ rows }: Answer<"ledger-holds">) => {
  const questions = new Map(rows.map((row) => [row["reason"], row["question"]]))
  const found = rows.flatMap((row) => (row["looked_up"] == null ? [] : [[row["hold_id"], row["looked_up"]]]))
  return Effect.forEach([...questions, ...found], ([name, text]) => Console.log(`\n${name}: ${text}`), {
    discard: true
  })
}
