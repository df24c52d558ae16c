/**
 * The command line: one file per verb, a folder per family, data on stdout, everything else on stderr.
 *
 * Exit codes: 0 done, 1 failed, 2 usage or configuration.
 */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { backup } from "./backup.ts"
import { demo } from "./demo.ts"
import { doctor } from "./doctor.ts"
import { explain } from "./explain.ts"
import { exportNow } from "./export.ts"
import { lake } from "./lake.ts"
import { ledger } from "./ledger.ts"
import { login } from "./login.ts"
import { move } from "./move.ts"
import { publish } from "./publish.ts"
import { query } from "./query.ts"
import { rebuild } from "./rebuild.ts"
import { replay } from "./replay.ts"
import { restore } from "./restore.ts"
import { sandbox } from "./sandbox.ts"
import { secret } from "./secret.ts"
import { start } from "./start.ts"
import { status } from "./status.ts"

const siteledger = Command.make("siteledger").pipe(
  Command.withDescription(
    "Copies a construction service into DuckDB or PostgreSQL, ordered and lossless.\n\n" +
      "  Configured by environment variables, which config/example.env names. A verb goes through the running worker, or\n" +
      "  takes the lock itself when there is none. Data on stdout, everything else on stderr.\n" +
      "  Exit codes: 0 done, 1 failed, 2 usage or configuration."
  ),
  Command.withSubcommands([
    start,
    demo,
    sandbox,
    login,
    status,
    doctor,
    ledger,
    explain,
    query,
    exportNow,
    lake,
    publish,
    replay,
    rebuild,
    secret,
    backup,
    restore,
    move
  ])
)

/** Every verb with its flags, to be read; only `run` runs it. */
export const tree: Command.Command.Any = siteledger

/** Help that nobody asked for is no data. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "InvalidInvocation" || (event._tag === "Help" && event.reason === "Implicit")
      ? Effect.gen(function* () {
          const formatter = yield* CliOutput.Formatter
          yield* Console.error(formatter.formatHelpDoc(event.helpDoc))
          if (event._tag === "InvalidInvocation") yield* Console.error(formatter.formatErrors(event.errors))
        })
      : CliOutput.defaultPresenter.present(event)
}

/** The verbs that run until they are stopped. */
const endless: ReadonlySet<string> = new Set([start, demo, sandbox].map(({ name }) => name))

export const isEndless = (given: ReadonlyArray<string>): boolean =>
  endless.has(given.find((word) => !word.startsWith("-")) ?? "")

/** Levels of the log are LOG_LEVEL's, and a wizard would write its questions where data go. */
const config = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

export const run = (version: string): Effect.Effect<void, unknown, NodeServices.NodeServices> =>
  Command.run(siteledger, { version }).pipe(Effect.provide([CliOutput.layerPresenter(presenter), config]))
