/**
 * `siteledger replay`: reads the quarantine again and applies what has become readable. With `--gap-closed` it says
 * that what was missed while the receiver was down has been replayed in the service.
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
import * as Print from "./Print.ts"

const gapClosed = Flag.String("gap-closed").pipe(
  Flag.withDescription("Close the gap that begins at this time: its deliveries have been replayed"),
  Flag.optional
)

const reason = Flag.String("reason").pipe(
  Flag.withDescription("Why the gap is closed, and by whom (closed by hand)"),
  Flag.withDefault("closed by hand")
)

/** Only here is the service's own configuration needed: a running worker has it. */
const alone = applyingAlone.pipe(Layer.provideMerge(stores), Layer.provide(Settings.layerAll))

const noWorker = new VerbError({ message: "A gap is closed through the running worker: start it." })

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
