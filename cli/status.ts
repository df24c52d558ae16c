/**
 * `siteledger status`: the running worker's status, read from its admin listener; for people, or with `--json` as
 * `/status` returns it. Exits with 1 if a reason is degraded or critical. With `--watch` it continues until it is
 * stopped: redrawn each second on a terminal, a line for each change in a pipe.
 */
import { Console, Effect, Option, Runtime, Schema } from "effect"
import { Command } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { VerbError } from "../src/Operate/AdminApi/Verb.ts"
import { isHeld } from "../src/Runtime/Lock.ts"
import * as Ask from "./Ask.ts"
import { json, toggle } from "./Options.ts"
import * as Print from "./Print.ts"
import { describe } from "./status/Report.ts"
import { watch } from "./status/Watch.ts"

const noWorker = (dataDir: string) => {
  const place = `${dataDir} (SITELEDGER_DATA_DIR)`
  const message = isHeld(dataDir)
    ? `A process holds ${place} but can't be asked yet: a worker that is still starting, or a verb.`
    : `No worker is running on ${place}.`
  return new VerbError({ message })
}

/** The reasons have been printed. */
class Degraded extends Schema.TaggedError<Degraded>()("Degraded", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
}

const report = Effect.gen(function* () {
  const { dataDir } = yield* Settings.Settings
  const note = yield* Ask.running
  if (Option.isNone(note)) return yield* noWorker(dataDir)
  return yield* Effect.catchTag(
    Ask.report(note.value),
    "Unanswered",
    Ask.instead(note.value, Effect.fail(noWorker(dataDir)))
  )
})

const flags = {
  json,
  watch: toggle("watch", "Keep showing it until ctrl-c: every second on a terminal, on every change in a pipe")
}

export const status = Command.make("status", flags, ({ json: asJson, watch: isWatching }) =>
  Effect.gen(function* () {
    if (isWatching) return yield* Effect.raceFirst(watch(report, asJson), Print.readerGone)
    const found = yield* report
    yield* asJson ? Print.document(found) : Console.log(describe(found).join("\n"))
    if (found.phase === "degraded") return yield* new Degraded({ message: "The worker is degraded." })
  })
).pipe(
  Command.withDescription("Show how the running worker is doing; exits with 1 if it is degraded"),
  Command.withExamples([
    { command: "siteledger status --watch", description: "See how it is doing, every second" },
    {
      command: "siteledger status > /dev/null || siteledger status --json",
      description: "For a script: 1 if something is wrong"
    }
  ]),
  Command.provide(Settings.layer)
)
