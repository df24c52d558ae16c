/**
 * `siteledger ledger sink`: the way to the accounting system, for whoever keeps the books: dead, replay, settle, send.
 *
 * Through the running worker or, without one, here with the lock taken; then the next start sends.
 */
import { Console, Effect, Layer, Option } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { userName } from "../config/Environment.ts"
import { store } from "../pipelines/stores.ts"
import * as Json from "../src/Domain/Json.ts"
import { Outbox } from "../src/Ledger/Outbox.ts"
import { type SinkVerb, sinkVerbs } from "../src/Ledger/Outbox/SinkVerbs.ts"
import * as Text from "../src/Query/Text.ts"
import { aligned } from "./Aligned.ts"
import { ask, over } from "./Ask.ts"

type Texts = Readonly<Record<string, string>>

const alones = Outbox.layerAlone.pipe(Layer.provideMerge(store), Layer.provideMerge(Settings.layer))

/** The verb's answer, from the worker or from here. */
const told = (verb: SinkVerb, given: Texts) => {
  const alone: Effect.Effect<unknown, { readonly message: string }, Outbox> = sinkVerbs[verb](given)
  return ask(verb, given, alone.pipe(over(alones)))
}

const json = Flag.Boolean("json").pipe(Flag.withDescription("JSON, for programs"), Flag.withDefault(false))
const by = Flag.String("by").pipe(
  Flag.withDescription("Who says so (you); recorded for ever"),
  Flag.withDefault(userName)
)
const reason = Flag.String("reason").pipe(Flag.withDescription("Why (needed); recorded for ever"))
const entry = Argument.String("entry").pipe(Argument.withDescription("The entry's id, or how it begins"))
const all = Flag.Boolean("all").pipe(Flag.withDescription("All that wait"), Flag.withDefault(false))
const from = Flag.Int("from").pipe(Flag.withDescription("From this number of the journal on (needed); 1 for all"))

const printJson = (value: unknown) => Console.log(Text.visibleJson(JSON.stringify(value, null, 2)))

const deadColumns = ["sequence", "entry_id", "ipc_id", "queued_at", "waiting_behind", "reason"]

const dead = Command.make("dead", { json }, ({ json: asJson }) =>
  Effect.flatMap(told("sink-dead", {}), (rows) =>
    Console.log(asJson ? Text.visibleJson(Json.stringify(rows)) : aligned(deadColumns, rows as ReadonlyArray<Texts>))
  )
).pipe(Command.withDescription("Entries that the accounting system refused for good, and why"))

const replay = Command.make("replay", { entry: Argument.optional(entry), all }, ({ all: isAll, entry: start }) =>
  Effect.gen(function* () {
    if (isAll === Option.isSome(start)) return yield* new CliError.UserError({ cause: "Say which entry, or --all." })
    const given = Option.match(start, { onNone: () => ({}), onSome: (id) => ({ entry: id }) })
    yield* Effect.flatMap(told("sink-replay", given), printJson)
  })
).pipe(Command.withDescription("Send again now what was refused or waits out its pause"))

const settle = Command.make("settle", { entry, by, reason }, (given) =>
  Effect.flatMap(told("sink-settle", given), printJson)
).pipe(Command.withDescription("Say that the accounting system has this entry: it counts as delivered"))

const send = Command.make("send", { from }, (given) =>
  Effect.flatMap(told("sink-send", { from: String(given.from) }), printJson)
).pipe(Command.withDescription("Send what was posted before there was a sink"))

export const sink = Command.make("sink").pipe(
  Command.withDescription("The way to the accounting system: what it refused, and what to do about it"),
  Command.withSubcommands([dead, replay, settle, send])
)
