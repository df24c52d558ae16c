/**
 * `siteledger ledger`: the books for whoever keeps them: list, show, accept, reject, opening, verify, preview.
 *
 * Through the running worker or, without one, here with the lock taken. Tables for people, `--json` for programs.
 * `verify` ends with 1 where the books differ from their facts.
 */
import { Console, Effect, Layer, Runtime, Schema } from "effect"
import { Argument, CliError, Command, Flag, Prompt } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { userName } from "../config/Environment.ts"
import * as Json from "../src/Domain/Json.ts"
import { LedgerError } from "../src/Ledger/Decide.ts"
import { readOpenings } from "../src/Ledger/Opening.ts"
import * as Text from "../src/Query/Text.ts"
import { aligned } from "./Aligned.ts"
import { type Explained, explained } from "./Explained.ts"
import { json, optional, told } from "./ledgerAsk.ts"
import { holds, list } from "./ledgerList.ts"
import { sink } from "./ledgerSink.ts"
import * as Log from "./Log.ts"

class Differs extends Schema.TaggedError<Differs>()("Differs", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
}

const local = Log.layer.pipe(Layer.provideMerge(Settings.layer))

const by = Flag.String("by").pipe(
  Flag.withDescription("Who says so (you); recorded for ever"),
  Flag.withDefault(userName)
)
const reason = Flag.String("reason").pipe(Flag.withDescription("Why (needed); recorded for ever"))
const amount = Flag.String("amount").pipe(Flag.withDescription("As the hold asks for it, like 1234.50"), Flag.optional)
const currency = Flag.String("currency").pipe(
  Flag.withDescription("Where the hold asks for it, like EUR"),
  Flag.optional
)
const hold = Argument.String("hold").pipe(Argument.withDescription("The hold's id, or how it begins"))

const printJson = (value: unknown) => Console.log(Text.visibleJson(JSON.stringify(value, null, 2)))

const id = Argument.String("id").pipe(Argument.withDescription("Of an entry or a hold, or how it begins"))

const show = Command.make("show", { id }, (given) => Effect.flatMap(told("ledger-show", given), printJson)).pipe(
  Command.withDescription("One entry or hold, with the events that it rests on")
)

const accept = Command.make(
  "accept",
  { hold, amount, currency, by, reason },
  ({ amount: units, currency: unit, ...given }) =>
    Effect.flatMap(
      told("ledger-accept", { ...given, ...optional("amount", units), ...optional("currency", unit) }),
      printJson
    )
).pipe(Command.withDescription("Accept what a hold asks, with the amount or the currency that it needs"))

const reject = Command.make("reject", { hold, by, reason }, (given) =>
  Effect.flatMap(told("ledger-reject", given), printJson)
).pipe(Command.withDescription("Reject what a hold asks"))

const verify = Command.make("verify", {}, () =>
  Effect.gen(function* () {
    const result = yield* told("ledger-verify", {})
    yield* printJson(result)
    const differences = Json.isObject(result) ? result["differences"] : undefined
    if (Array.isArray(differences) && differences.length > 0) {
      return yield* new Differs({ message: "The books are not what their facts say." })
    }
  })
).pipe(Command.withDescription("Fold all facts again and compare them with the books"))

const preview = Command.make("preview", {}, () => Effect.flatMap(told("ledger-preview", {}), printJson)).pipe(
  Command.withDescription("What would be posted from all that is known, by today's configuration; posts nothing")
)

const file = Argument.String("file").pipe(Argument.withDescription("CSV with the columns ipc, amount, certificate"))
const yes = Flag.Boolean("yes").pipe(Flag.withDescription("Sign off without being asked"), Flag.withDefault(false))

const nobodyToAsk = new CliError.UserError({
  cause: "Nothing was signed off: nobody can be asked here. Give --yes to sign off without being asked."
})
const notSigned = new LedgerError({ message: "Nothing was signed off." })

const opening = Command.make("opening", { file, by, yes }, ({ by: who, file: path, yes: isAgreed }) =>
  Effect.gen(function* () {
    const openings = yield* readOpenings(path)
    const rows = openings.map(({ amount: said, certificate, ipcId }) => ({ ipc: ipcId, amount: said, certificate }))
    yield* Console.error(aligned(["ipc", "amount", "certificate"], rows))
    const these = openings.length === 1 ? "this certificate" : `these ${openings.length} certificates`
    const message = `Sign off ${these} as ${who}?`
    if (!isAgreed && !process.stdin.isTTY) return yield* nobodyToAsk
    if (!isAgreed && !(yield* Prompt.run(Prompt.Confirm({ message })))) return yield* notSigned
    yield* Effect.flatMap(told("ledger-opening", { by: who, openings: JSON.stringify(openings) }), printJson)
  })
).pipe(Command.withDescription("Add opening certificates: amounts from before the events began, signed off by name"))

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("The books: what was posted, what waits for a person, and why"),
  Command.withSubcommands([list, holds, show, accept, reject, opening, verify, preview, sink]),
  Command.provide(local)
)

const onePage = { ipc: Argument.String("ipc").pipe(Argument.withDescription("The IPC's id")), json }

export const explain = Command.make("explain", onePage, ({ json: asJson, ...given }) =>
  Effect.flatMap(told("explain", given), (found) =>
    asJson ? printJson(found) : Console.log(explained(found as Explained))
  )
).pipe(Command.withDescription("Every delivery, clock, fact, entry and hold of one IPC"), Command.provide(local))
