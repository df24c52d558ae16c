/**
 * The verbs over the stores: `export`, `publish`, `replay`, `rebuild`. Each goes through the running
 * worker or, without one, takes the lock and does it here. The outcome is one JSON document on stdout.
 */
import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { applyingAlone } from "../pipelines/live.ts"
import { exporting } from "../pipelines/nightly.ts"
import { store, stores } from "../pipelines/stores.ts"
import { Inbox } from "../src/Intake/Inbox.ts"
import * as Json from "../src/Domain/Json.ts"
import { Restart } from "../src/Runtime/Restart.ts"
import * as Verbs from "../src/Operate/Verbs.ts"
import { ask, over } from "./Ask.ts"
import * as Log from "./Log.ts"

const local = Log.layer.pipe(Layer.provideMerge(Settings.layer))
const whole = Log.layer.pipe(Layer.provideMerge(Settings.layerAll))

const print = (value: unknown) => Console.log(Json.stringify(value))

const exportAlone = Verbs.exportNow.pipe(
  over(exporting.pipe(Layer.provideMerge(Inbox.layer), Layer.provideMerge(stores)))
)

export const exportNow = Command.make("export", {}, () =>
  Effect.flatMap(ask("export", {}, exportAlone), print).pipe(Effect.provide(local))
).pipe(Command.withDescription("Lay a consistent export on the lake now"))

const publishAlone = Verbs.publish.pipe(
  over(exporting.pipe(Layer.provideMerge(Inbox.layer), Layer.provideMerge(stores)))
)

export const publish = Command.make("publish", {}, () =>
  Effect.flatMap(ask("publish", {}, publishAlone), print).pipe(Effect.provide(local))
).pipe(Command.withDescription("Publish a fresh analytics.duckdb now"))

const gapClosed = Flag.String("gap-closed").pipe(
  Flag.withDescription("Close the gap that begins at this time: its deliveries have been replayed"),
  Flag.optional
)

const reason = Flag.String("reason").pipe(
  Flag.withDescription("Why the gap is closed, and by whom (closed by hand)"),
  Flag.withDefault("closed by hand")
)

const noWorker = Effect.fail(new Verbs.VerbError({ message: "A gap is closed through the running worker: start it." }))

/** Only here is the service's own configuration needed: a running worker has it. */
const replayAlone = Verbs.replay.pipe(over(applyingAlone.pipe(Layer.provideMerge(stores))), Effect.provide(whole))

const closeGap = (given: { readonly from: string; readonly reason: string }) =>
  Effect.flatMap(ask("close-gap", given, noWorker), print).pipe(Effect.provide(local))

export const replay = Command.make("replay", { gapClosed, reason }, ({ gapClosed: from, reason: why }) =>
  Effect.gen(function* () {
    if (Option.isSome(from)) return yield* closeGap({ from: from.value, reason: why })
    return yield* Effect.flatMap(ask("replay", {}, replayAlone), print).pipe(Effect.provide(local))
  })
).pipe(Command.withDescription("Read the quarantine again and apply what has become readable"))

const rebuildAlone = Verbs.rebuild.pipe(
  over(Layer.merge(store, Restart.layer)),
  Effect.tap(Console.error("No worker is running: the next start makes the warehouse again."))
)

export const rebuild = Command.make("rebuild", {}, () =>
  Effect.flatMap(ask("rebuild", {}, rebuildAlone), print).pipe(Effect.provide(local))
).pipe(Command.withDescription("Make the warehouse again from the inbox and a fresh walk; the old file is kept"))
