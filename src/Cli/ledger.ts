/**
 * `siteledger ledger`: the books for whoever keeps them: list, show, accept, reject, opening, verify, preview.
 *
 * Through the running worker or, without one, here with the lock taken. Tables for people, `--json` for programs.
 * `verify` ends with 1 where the books differ from their facts.
 */
import { Console, Effect, Layer, Option, Runtime, Schema } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import * as Settings from "../../config/Settings.ts"
import { userName } from "../../config/UserName.ts"
import { stores } from "../../pipelines/stores.ts"
import * as Json from "../Json.ts"
import { Ledger } from "../Ledger.ts"
import { readOpenings } from "../Ledger/Opening.ts"
import { type Verb, verbs } from "../Ledger/Verbs.ts"
import * as Text from "../Query/Text.ts"
import { ask, over } from "./Ask.ts"
import { aligned } from "./Aligned.ts"
import { type Explained, explained } from "./Explained.ts"
import { sink } from "./ledgerSink.ts"
import * as Log from "./Log.ts"

class Differs extends Schema.TaggedError<Differs>()("Differs", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
}

type Texts = Readonly<Record<string, string>>

const local = Log.layer.pipe(Layer.provideMerge(Settings.layer))

/** The verb's answer, from the worker or from here. */
const told = (verb: Verb, given: Texts) => {
  const alone: Effect.Effect<unknown, { readonly message: string }, Layer.Success<typeof alones>> = verbs[verb](given)
  return ask(verb, given, alone.pipe(over(alones)))
}

const alones = Ledger.layerAlone.pipe(Layer.provideMerge(stores), Layer.provideMerge(Settings.layer))

const json = Flag.Boolean("json").pipe(Flag.withDescription("JSON, for programs"), Flag.withDefault(false))
const ipc = Flag.String("ipc").pipe(Flag.withDescription("Of one IPC only"), Flag.optional)
const limit = Flag.Int("limit").pipe(
  Flag.withDescription("At most so many rows"),
  Flag.filter(
    (most) => most > 0,
    () => "must be above zero"
  ),
  Flag.withDefault(50)
)
const by = Flag.String("by").pipe(Flag.withDescription("Who says so; recorded for ever"), Flag.withDefault(userName))
const reason = Flag.String("reason").pipe(Flag.withDescription("Why; recorded for ever"))
const amount = Flag.String("amount").pipe(Flag.withDescription("As the hold asks for it, like 1234.50"), Flag.optional)
const currency = Flag.String("currency").pipe(
  Flag.withDescription("Where the hold asks for it, like EUR"),
  Flag.optional
)
const hold = Argument.String("hold").pipe(Argument.withDescription("The hold's id, or how it begins"))

const optional = (name: string, value: Option.Option<string>): Texts =>
  Option.match(value, { onNone: () => ({}), onSome: (text) => ({ [name]: text }) })

const printTable = (columns: ReadonlyArray<string>, asJson: boolean) => (rows: unknown) =>
  Console.log(asJson ? Text.visibleJson(Json.stringify(rows)) : aligned(columns, rows as ReadonlyArray<Texts>))

const journalColumns = [
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
const holdColumns = ["hold_id", "ipc_id", "payment_reference", "reason", "since", "amount", "currency"]

/** For a person at a terminal, each question once below the table. */
const printHolds = (asJson: boolean) => (rows: unknown) =>
  Effect.gen(function* () {
    yield* printTable(holdColumns, asJson)(rows)
    if (asJson || !process.stdout.isTTY) return
    const asked = new Map((rows as ReadonlyArray<Texts>).map((row) => [row["reason"], row["question"]]))
    for (const [name, question] of asked) yield* Console.log(`\n${name}: ${question}`)
  })

const list = Command.make("list", { ipc, limit, json }, ({ ipc: id, json: asJson, limit: most }) =>
  Effect.flatMap(
    told("ledger-list", { limit: String(most), ...optional("ipc", id) }),
    printTable(journalColumns, asJson)
  )
).pipe(Command.withDescription("The journal, newest first"))

const holds = Command.make("holds", { ipc, limit, json }, ({ ipc: id, json: asJson, limit: most }) =>
  Effect.flatMap(told("ledger-holds", { limit: String(most), ...optional("ipc", id) }), printHolds(asJson))
).pipe(Command.withDescription("What waits for a decision, the oldest first"))

const printJson = (value: unknown) => Console.log(Text.visibleJson(JSON.stringify(value, null, 2)))

const show = Command.make("show", { id: Argument.String("id") }, (given) =>
  Effect.flatMap(told("ledger-show", given), printJson)
).pipe(Command.withDescription("One entry or hold, with the events that it rests on"))

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

const opening = Command.make("opening", { file, by, yes }, ({ by: who, file: path, yes: isAgreed }) =>
  Effect.gen(function* () {
    const openings = yield* readOpenings(path)
    const rows = openings.map(({ amount: said, certificate, ipcId }) => ({ ipc: ipcId, amount: said, certificate }))
    yield* Console.error(aligned(["ipc", "amount", "certificate"], rows))
    const message = `Sign off these ${openings.length} certificates as ${who}?`
    const isSigned = isAgreed || (process.stdin.isTTY && (yield* Prompt.run(Prompt.Confirm({ message }))))
    if (!isSigned) return yield* Console.error("Nothing was signed off. Give --yes to do so without being asked.")
    yield* Effect.flatMap(told("ledger-opening", { by: who, openings: JSON.stringify(openings) }), printJson)
  })
).pipe(Command.withDescription("Add opening certificates: amounts from before the events began, signed off by name"))

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("The books: what was posted, what waits for a person, and why"),
  Command.withSubcommands([list, holds, show, accept, reject, opening, verify, preview, sink]),
  Command.provide(local)
)

const onePage = { ipc: Argument.String("ipc"), json }

export const explain = Command.make("explain", onePage, ({ json: asJson, ...given }) =>
  Effect.flatMap(told("explain", given), (found) =>
    asJson ? printJson(found) : Console.log(explained(found as Explained))
  )
).pipe(Command.withDescription("Every delivery, clock, fact, entry and hold of one IPC"), Command.provide(local))
