/**
 * `siteledger ledger list`: the newest entries of the journal.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Rows from "./Rows.ts"

const columns = [
  "sequence",
  "entry_id",
  "ipc_id",
  "kind",
  "amount",
  "currency",
  "payment_reference",
  "effective_at",
  "known_at"
]

export const list = Command.make("list", Rows.flags, (request) =>
  Effect.gen(function* () {
    const found = yield* Rows.find("ledger-list", request, {})
    yield* Rows.print(columns, found.rows, request.json)
    yield* Rows.tellRest(found, "entries (the newest)", "Nothing is posted yet.")
  })
).pipe(
  Command.withDescription("List the journal, newest first"),
  Command.withExamples([
    { command: "siteledger ledger list", description: "The newest entries of the journal" },
    { command: "siteledger ledger list --all --json > journal.jsonl", description: "The whole journal, for a program" }
  ])
)
