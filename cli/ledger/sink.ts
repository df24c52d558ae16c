/**
 * `siteledger ledger sink`: the way to the accounting system. Without a worker, what is to be sent is sent by the next
 * one.
 */
import { Command } from "effect/cli"
import { dead } from "./sink/dead.ts"
import { replay } from "./sink/replay.ts"
import { send } from "./sink/send.ts"
import { settle } from "./sink/settle.ts"

export const sink = Command.make("sink").pipe(
  Command.withDescription("The way to the accounting system: what it refused, and what to do about it"),
  Command.withSubcommands([dead, replay, settle, send])
)
