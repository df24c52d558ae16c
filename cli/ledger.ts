/**
 * `siteledger ledger`: the books, for the people who keep them. Goes through the running worker or, if there is none,
 * takes the lock here. Prints tables for people, and with `--json` documents for programs.
 */
import { Command } from "effect/cli"
import { accept } from "./ledger/accept.ts"
import { close } from "./ledger/close.ts"
import { holds } from "./ledger/holds.ts"
import { list } from "./ledger/list.ts"
import { open } from "./ledger/open.ts"
import { opening } from "./ledger/opening.ts"
import { post } from "./ledger/post.ts"
import { preview } from "./ledger/preview.ts"
import { reject } from "./ledger/reject.ts"
import { reverse } from "./ledger/reverse.ts"
import { show } from "./ledger/show.ts"
import { sink } from "./ledger/sink.ts"
import { verify } from "./ledger/verify.ts"
import { write } from "./ledger/write.ts"
import * as Log from "./Log.ts"

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("The books: what was posted, what waits for a person's decision, and why"),
  Command.withSubcommands([
    list,
    holds,
    show,
    accept,
    reject,
    post,
    reverse,
    opening,
    close,
    open,
    verify,
    preview,
    write,
    sink
  ]),
  Command.provide(Log.layerSettings)
)
