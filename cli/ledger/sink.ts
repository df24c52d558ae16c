/**
 * `siteledger ledger sink`: delivery to the accounting system. If no worker is running, the next one sends.
 */
import { Command } from "effect/cli"
import { compare } from "./sink/compare.ts"
import { dead } from "./sink/dead.ts"
import { pause } from "./sink/pause.ts"
import { release } from "./sink/release.ts"
import { replay } from "./sink/replay.ts"
import { send } from "./sink/send.ts"
import { settle } from "./sink/settle.ts"

export const sink = Command.make("sink").pipe(
  Command.withDescription("Delivery to the accounting system: what it refused, and what to do about it"),
  Command.withSubcommands([dead, release, replay, settle, send, compare, pause])
)
