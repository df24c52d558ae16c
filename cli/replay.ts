/**
 * `siteledger replay`: reads the quarantine again and applies what has become readable. With `--gap-closed` it records
 * that a person has replayed, in the service, what the receiver missed while it was down; with `--refused-seen`, that a
 * person knows which deliveries it refused.
 */
import { Effect, Layer, Option } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { applyingAlone } from "../pipelines/live.ts"
import { stores } from "../pipelines/stores.ts"
import type { Receiver } from "../src/Intake/Receiver.ts"
import type { Uptime } from "../src/Intake/Uptime.ts"
import type { Answer } from "../src/Operate/AdminApi.ts"
import { VerbError } from "../src/Operate/AdminApi/Verb.ts"
import type { Store } from "../src/Stores/Store.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { json, optionalText, toggle } from "./Options.ts"
import * as Said from "./Said.ts"

const gapClosed = optionalText(
  "gap-closed",
  "Close the gap that begins at this time: its deliveries have been replayed"
)

const refusedSeen = toggle(
  "refused-seen",
  "Clear the reason about deliveries refused for their size or encoding, once a person has seen to them"
)

const ids = Argument.String("id").pipe(
  Argument.withDescription("Only these deliveries: their event ids, or their sequences"),
  Argument.variadic()
)

const oneAlone = new CliError.UserError({
  cause: "--gap-closed and --refused-seen can't be combined with single deliveries."
})

const reason = Flag.String("reason").pipe(
  Flag.withDescription("Why the gap is closed, and by whom (default: closed by hand)"),
  Flag.withDefault("closed by hand")
)

/** Only here is the service's configuration needed; a running worker already has it. */
const alone = applyingAlone.pipe(Layer.provideMerge(stores), Layer.provide(Settings.layerAll))

/** Stands for services that only a worker has. */
const noWorker: Layer.Layer<Receiver | Store | Uptime, VerbError> = Layer.effectContext(
  Effect.fail(new VerbError({ message: "This goes through the running worker: start it first." }))
)

export const replay = Command.make(
  "replay",
  { ids, gapClosed, json, reason, refusedSeen },
  Effect.fnUntraced(function* ({ gapClosed: from, ids: some, json: asJson, reason: why, refusedSeen: isSeen }) {
    if (some.length > 0 && (Option.isSome(from) || isSeen)) return yield* oneAlone
    if (Option.isSome(from)) {
      const found = yield* ask("close-gap", { from: from.value, reason: why }, noWorker)
      return yield* Said.answer(asJson, closedGap)(found)
    }
    if (isSeen) {
      return yield* Said.answer(asJson, seen)(yield* ask("refused-seen", {}, noWorker))
    }
    return yield* Said.answer(asJson, read)(yield* ask("replay", some.length === 0 ? {} : { ids: some }, alone))
  })
).pipe(
  Command.withDescription("Read the quarantine again and apply what has become readable"),
  Command.withExamples([
    {
      command: "siteledger replay 1204 1207",
      description: "Read two deliveries again, by the sequences that `siteledger quarantine` shows"
    },
    { command: "siteledger replay", description: "Read the quarantine again, once aliases define its words" },
    {
      command: 'siteledger replay --gap-closed 2026-11-20T02:00:00Z --reason "replayed in the service"',
      description: "Record that the missed deliveries have been sent again"
    }
  ]),
  Command.provide(Log.layerSettings)
)

const closedGap = ({ closed }: Answer<"close-gap">) => [
  `The gap from ${closed.from} to ${closed.to} is closed: ${closed.reason}`
]

const seen = ({ seen: refused }: Answer<"refused-seen">) => [
  refused.length === 0
    ? "No delivery was refused."
    : `Seen: ${Said.counted(refused.length, "refused delivery", "refused deliveries")}.`,
  ...refused.map(refusal)
]

const refusal = ({ eventId, for: why, lastAt, times }: Answer<"refused-seen">["seen"][number]): string =>
  `  ${eventId ?? "without an event id"}: ${why}, last at ${lastAt}${times === 1 ? "" : `, ${times} times`}`

const read = ({ applied, read: all }: Answer<"replay">) => [
  all === 0
    ? "Nothing is in quarantine."
    : `Read ${Said.counted(all, "delivery", "deliveries")} again: ${applied} applied, ${all - applied} still in quarantine.`
]
