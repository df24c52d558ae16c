/**
 * `siteledger ledger opening`: certificates from a file, shown as they were read and signed off by a person.
 */
import { Console, Effect } from "effect"
import { CliError, Command, Prompt } from "effect/cli"
import { LedgerError } from "../../src/Ledger/People/Decide.ts"
import { readOpenings } from "../../src/Ledger/People/Opening.ts"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { argument, by, json, toggle } from "../Options.ts"
import * as Print from "../Print.ts"
import * as Said from "../Said.ts"

const file = argument("file", "CSV with the columns ipc, amount, certificate")
const yes = toggle("yes", "Sign off without asking")

const noTerminal = new CliError.UserError({
  cause:
    "Nothing was signed off: standard input isn't a terminal, so you can't be asked. Give --yes to sign off without a question."
})
const notSigned = new LedgerError({ message: "Nothing was signed off." })

export const opening = Command.make(
  "opening",
  { file, by, yes, json },
  ({ by: who, file: path, json: asJson, yes: isAgreed }) =>
    Effect.gen(function* () {
      const openings = yield* readOpenings(path)
      const rows = openings.map(({ amount, certificate, ipcId }) => ({ ipc: ipcId, amount, certificate }))
      yield* Console.error(Print.aligned(["ipc", "amount", "certificate"], rows))
      const these = openings.length === 1 ? "this certificate" : `these ${openings.length} certificates`
      const message = `Sign off ${these} as ${who}?`
      if (!isAgreed && !process.stdin.isTTY) return yield* noTerminal
      if (!isAgreed && !(yield* Prompt.run(Prompt.Confirm({ message })))) return yield* notSigned
      yield* Effect.flatMap(ask("ledger-opening", { by: who, openings }, Alone.books), Said.answer(asJson, Said.posted))
    })
).pipe(
  Command.withDescription(
    "Add opening certificates: amounts from before the first event, signed off by a named person"
  ),
  Command.withExamples([
    {
      command: "siteledger ledger opening opening.csv",
      description: "Show the certificates in the file, and ask before they are signed off"
    },
    {
      command: 'siteledger ledger opening opening.csv --by "Ada Lovelace" --yes',
      description: "Sign off without being asked"
    }
  ])
)
