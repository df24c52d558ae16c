/**
 * `siteledger ledger holds`: what has waited longest for a decision. A person at a terminal reads each question below
 * the table, once.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import * as Rows from "./Rows.ts"

const columns = ["hold_id", "ipc_id", "payment_reference", "reason", "since", "amount", "currency"]

export const holds = Command.make("holds", Rows.flags, (asked) =>
  Effect.gen(function* () {
    const found = yield* Rows.find("ledger-holds", asked)
    yield* Rows.print(columns, found.rows, asked.json)
    if (!asked.json && process.stdout.isTTY) yield* printQuestions(found)
    yield* Rows.tellRest(found, "holds, the oldest", "Nothing waits for a decision.")
  })
).pipe(Command.withDescription("What waits for a decision, the oldest first"))

const printQuestions = ({ rows }: Answer<"ledger-holds">) => {
  const asked = new Map(rows.map((row) => [row["reason"], row["question"]]))
  return Effect.forEach(asked, ([name, question]) => Console.log(`\n${name}: ${question}`), { discard: true })
}
