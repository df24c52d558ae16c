/**
 * `siteledger replay`: reads the quarantine again and applies what has become readable. With `--gap-closed` it records
 * that a person has replayed in the service what the receiver missed while it was down.
 */
import { Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { applyingAlone } from "../pipelines/live.ts"
import { stores } from "../pipelines/stores.ts"
import { Uptime } from "../src/Intake/Uptime.ts"
import { VerbError } from "../src/Operate/AdminApi/Verb.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { optionalText } from "./Options.ts"
import * as Print from "./Print.ts"

const gapClosed = optionalText(
  "gap-closed",
  "Close the gap that begins at this time: its deliveries have been replayed"
)

const reason = Flag.String("reason").pipe(
  Flag.withDescription("Why the gap is closed, and by whom (default: closed by hand)"),
  Flag.withDefault("closed by hand")
)

/** Only here is the service's configuration needed; a running worker has it already. */
const alone = applyingAlone.pipe(Layer.provideMerge(stores), Layer.provide(Settings.layerAll))

const noWorker = new VerbError({ message: "A gap is closed through the running worker: start it first." })

export const replay = Command.make("replay", { gapClosed, reason }, ({ gapClosed: from, reason: why }) =>
  Option.isSome(from)
    ? Effect.flatMap(
        ask("close-gap", { from: from.value, reason: why }, Layer.effect(Uptime, Effect.fail(noWorker))),
        Print.document
      )
    : Effect.flatMap(ask("replay", {}, alone), Print.document)
).pipe(
  Command.withDescription("Read the quarantine again and apply what has become readable"),
  Command.provide(Log.layerSettings)
)
