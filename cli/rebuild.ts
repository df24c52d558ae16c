/**
 * `siteledger rebuild`: rebuilds the warehouse from the inbox and a fresh walk. The worker does it; --wait waits until
 * it has applied all deliveries that existed when it was asked.
 */
import { Console, Effect, Layer, Option, Schedule } from "effect"
import { Command } from "effect/cli"
import { store } from "../pipelines/stores.ts"
import { Restart } from "../src/Runtime/Restart.ts"
import { ask, report, running, Unanswered } from "./Ask.ts"
import * as Bar from "./Bar.ts"
import * as Interrupted from "./Interrupted.ts"
import * as Log from "./Log.ts"
import { json, toggle } from "./Options.ts"
import * as Said from "./Said.ts"

const alone = Layer.merge(store, Restart.layer)

const nextStart = Console.error("No worker is running: the next start rebuilds the warehouse.")

const isWaiting = toggle("wait", "Wait until all deliveries have been applied again")

/** The worker restarts its pipelines, and doesn't answer meanwhile. */
const patience = Schedule.spaced("1 second").pipe(Schedule.upTo({ duration: "2 minutes" }))

/** Afterwards it may answer on another port, which its note says. */
const tasks = Effect.gen(function* () {
  const worker = yield* running
  if (Option.isNone(worker)) return yield* gone
  return (yield* report(worker.value)).tasks.filter(({ name }) => name === "rebuild")
})

const gone = new Unanswered({ message: "The worker has ended: its next start rebuilds the warehouse." })

const done = Bar.shown(
  "rebuild",
  tasks
)(
  Effect.repeat(Effect.retry(tasks, patience), {
    schedule: Schedule.spaced("1 second"),
    until: (left) => left.length === 0
  })
)

const page = (isOver: boolean) => () => [
  isOver
    ? "All deliveries have been applied again; `siteledger status` shows how far the lists are."
    : "The warehouse will be rebuilt; `siteledger status --watch` shows how far it is."
]

export const rebuild = Command.make("rebuild", { isWaiting, json }, ({ isWaiting: waits, json: asJson }) =>
  Effect.gen(function* () {
    let isAwaited = waits
    const here = Effect.andThen(nextStart, () => Effect.sync(() => void (isAwaited = false)))
    const rebuilding = yield* ask("rebuild", {}, alone, here)
    if (isAwaited) yield* Interrupted.goesOn("rebuild")(done)
    yield* Said.answer(asJson, page(isAwaited))(rebuilding)
  })
).pipe(
  Command.withDescription("Rebuild the warehouse from the inbox and a fresh walk; the old file is kept"),
  Command.withExamples([
    { command: "siteledger rebuild", description: "Make the warehouse again from all deliveries and a new walk" },
    {
      command: "siteledger rebuild --wait && siteledger records ipcs",
      description: "And look at the rebuilt records"
    }
  ]),
  Command.provide(Log.layerSettings)
)
