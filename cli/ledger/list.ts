/**
 * `siteledger ledger list`: the newest entries.
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

export const list = Command.make("list", Rows.flags, (asked) =>
  Effect.gen(function* () {
    const found = yield* Rows.find("ledger-list", asked)
    yield* Rows.print(columns, found.rows, asked.json)
    yield* Rows.tellRest(found, "entries, the newest", "Nothing is posted yet.")
  })
).pipe(Command.withDescription("The journal, newest first"))
