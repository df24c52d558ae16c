/**
 * `siteledger secret retire`: at once, or after a time in which its successor takes over.
 */
import { Effect, Record } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { toggle } from "../Options.ts"
import * as Print from "../Print.ts"

const flags = {
  fingerprint: Argument.String("fingerprint").pipe(Argument.withDescription("As `siteledger secret list` shows it")),
  in: Flag.String("in").pipe(
    Flag.withDescription('How long it stays valid, like "24 hours"; without it, it ends at once'),
    Flag.optional
  ),
  force: toggle("force", "Also the last secret that stays valid, after which every delivery is refused")
}

export const retire = Command.make("retire", flags, ({ fingerprint, force, in: after }) =>
  Effect.flatMap(
    ask("secret-retire", { fingerprint, force, ...Record.getSomes({ in: after }) }, Alone.secrets),
    Print.document
  )
).pipe(Command.withDescription("End a secret, or say that the subscription it is of has been deleted"))
