/**
 * `siteledger ledger sink send`: sends what was posted while no sink was configured.
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import { json } from "../../Options.ts"
import * as Said from "../../Said.ts"

const from = Flag.Int("from").pipe(Flag.withDescription("First number of the journal to send (required); 1 for all"))

export const send = Command.make("send", { from, json }, ({ json: asJson, ...payload }) =>
  Effect.flatMap(
    ask("sink-send", payload, Alone.outbox),
    Said.answer(asJson, ({ queued }) => [`Queued ${Said.counted(queued, "entry", "entries")}.`])
  )
).pipe(
  Command.withDescription("Send entries that were posted before a sink was configured"),
  Command.withExamples([
    { command: "siteledger ledger sink send --from 1", description: "Send the whole journal" },
    { command: "siteledger ledger sink send --from 1200", description: "Send it from one entry on" }
  ])
)
