/**
 * `siteledger ledger sink compare FILE`: compares the books with what the accounting system has. If a person signs it
 * off, what only the system has is taken over, and sending continues.
 */
import { resolve } from "node:path"
import { Console, Effect, Option } from "effect"
import { CliError, Command, Prompt } from "effect/cli"
import { LedgerError } from "../../../src/Ledger/People/Decide.ts"
import type { Answer } from "../../../src/Operate/AdminApi.ts"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import { argument, by, json, optionalText, toggle } from "../../Options.ts"
import * as Print from "../../Print.ts"
import * as Text from "../../../src/Query/Text.ts"

const flags = {
  file: argument(
    "file",
    "What accounting has: CSV or JSON with entry_id, amount, currency, ipc_id, payment_reference, kind, lines"
  ),
  by,
  reason: optionalText("reason", "Why it may go on (default: the file's name); recorded permanently"),
  yes: toggle("yes", "Take over without asking"),
  json
}

type Compared = Answer<"sink-compare">

export const compare = Command.make("compare", flags, ({ by: who, file, json: asJson, reason, yes: isAgreed }) =>
  Effect.gen(function* () {
    // The worker may have a different working directory.
    const path = resolve(file)
    const compared = yield* ask("sink-compare", { path }, Alone.books)
    yield* asJson ? Print.document(compared) : Console.log(page(compared))
    if (compared.different.length > 0) return yield* different
    if (!isNeeded(compared)) return
    if (!isAgreed && !process.stdin.isTTY) return yield* noTerminal
    const message = `Take over what accounting has${compared.waits === null ? "" : ", and send the rest"}, as ${who}?`
    if (!isAgreed && !(yield* Prompt.run(Prompt.Confirm({ message })))) return yield* notTaken
    const signed = { by: who, reason: Option.getOrElse(reason, () => `compared with ${file}`) }
    const posted = yield* ask("sink-take-over", { path, ...signed }, Alone.books)
    yield* asJson ? Print.document(posted) : Console.log(done(posted))
  })
).pipe(
  Command.withDescription("Compare the books with what the accounting system has, and go on from there"),
  Command.withExamples([
    {
      command: "siteledger ledger sink compare accounting.csv",
      description: "Compare the books with what accounting has, and ask before going on"
    },
    { command: "siteledger ledger sink compare accounting.csv --json", description: "Only compare, for a program" }
  ])
)

const isNeeded = ({ ipcs, settles, waits }: Compared): boolean => waits !== null || ipcs > 0 || settles > 0

const different = new LedgerError({
  message:
    "Nothing was taken over, because entries are different. Correct them in the accounting system, export it again, and " +
    "compare again."
})
const noTerminal = new CliError.UserError({
  cause: "Nothing was taken over: standard input isn't a terminal, so you can't be asked. Give --yes to go on."
})
const notTaken = new LedgerError({ message: "Nothing was taken over." })

const page = (of: Compared): string =>
  [
    ...(of.waits === null ? [] : [`waits         ${of.waits}`]),
    `in both       ${of.same}${of.settles === 0 ? "" : `, ${of.settles} of them not delivered by our record: they won't be sent`}`,
    ...totals("only there", of.unknown),
    ...(of.ipcs === 0
      ? []
      : [
          `              in ${of.ipcs} IPCs: taken over as they are` +
            (of.cancels === 0 ? "" : `; ${of.cancels} entries posted here since are cancelled, unsent`)
        ]),
    ...totals("only here", of.missing, ", sent by our record: ask accounting where they are"),
    ...(of.others === 0 ? [] : [`others        ${of.others} lines without an entry's id`]),
    ...of.different.map((difference) => `  !           ${Text.visible(difference)}`)
  ].join("\n")

const totals = (title: string, all: Compared["unknown"], remark = ""): ReadonlyArray<string> =>
  all.map(
    ({ amount, currency, entries, isAccrued }) =>
      `${title.padEnd(13)} ${entries} ${isAccrued ? "accruals" : "entries"}, ${amount} ${currency ?? "without a currency"}${remark}`
  )

const done = ({ opened, posted }: Answer<"sink-take-over">): string =>
  `Taken over. ${posted.length} entries were posted, ${opened.length} holds opened` +
  `${opened.length === 0 ? "" : " (`siteledger ledger holds`)"}; sending goes on.`
