/**
 * `siteledger ledger`: the books for whoever keeps them. Through the running worker or, without one, here with the lock
 * taken. Tables for people, `--json` for programs.
 */
import { Command } from "effect/cli"
import { accept } from "./ledger/accept.ts"
import { holds } from "./ledger/holds.ts"
import { list } from "./ledger/list.ts"
import { opening } from "./ledger/opening.ts"
import { preview } from "./ledger/preview.ts"
import { reject } from "./ledger/reject.ts"
import { show } from "./ledger/show.ts"
import { sink } from "./ledger/sink.ts"
import { verify } from "./ledger/verify.ts"
import * as Log from "./Log.ts"

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("The books: what was posted, what waits for a person, and why"),
  Command.withSubcommands([list, holds, show, accept, reject, opening, verify, preview, sink]),
  Command.provide(Log.layerSettings)
)
