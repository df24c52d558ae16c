/**
 * Runs a command line and turns its outcome into an exit code and one clear sentence.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Runtime } from "effect"
import { CliConfig, CliError, CliOutput, Command, GlobalFlag } from "effect/cli"
import { version } from "../src/Runtime/Program.ts"
import { keepPrivate } from "../src/Runtime/Rights.ts"
import * as Help from "./Help.ts"
import * as Interrupted from "./Interrupted.ts"

/** A longer shutdown is cut short; kill -9 at any instant loses nothing. */
const longestStopMs = 9_000

/** Flags that make a verb run until it is stopped. */
const endlessly: ReadonlySet<string> = new Set(["--follow", "--watch"])

const isEndless = (endless: ReadonlyArray<{ readonly name: string }>, args: ReadonlyArray<string>): boolean => {
  const verb = args.find((word) => !word.startsWith("-"))
  return endless.some(({ name }) => name === verb) || args.some((word) => endlessly.has(word))
}

/** Help that wasn't requested goes to stderr, because it isn't data. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "InvalidInvocation" || event._tag === "Help"
      ? Effect.gen(function* () {
          const formatter = yield* CliOutput.Formatter
          const help = Help.fitted(formatter.formatHelpDoc(event.helpDoc))
          const isAsked = event._tag === "Help" && event.reason === "Requested"
          yield* isAsked ? Console.log(help) : Console.error(help)
          if (event._tag === "InvalidInvocation") yield* Console.error(formatter.formatErrors(event.errors))
        })
      : CliOutput.defaultPresenter.present(event)
}

/** No flag for the log level (LOG_LEVEL sets it), and no wizard, which would write its questions to stdout. */
export const config = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

/** `interrupted`: after a signal or a refused prompt. */
const exitCode = (exit: Exit.Exit<unknown, unknown>, interrupted: 0 | 1): number => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) {
    if (interrupted !== 0) process.stderr.write(`siteledger: ${Interrupted.sentence()}\n`)
    return interrupted
  }
  const error = Cause.squash(exit.cause)
  return CliError.isCliError(error) ? 2 : Runtime.getErrorExitCode(error)
}

/** Expected failures are one sentence; anything else shows where it broke. */
const explain = (cause: Cause.Cause<unknown>): void => {
  if (Cause.hasInterruptsOnly(cause)) return
  const error = Cause.squash(cause)
  if (CliError.isCliError(error) || !Runtime.getErrorReported(error)) return
  const isExpected = !Cause.hasDies(cause) && error instanceof Error
  process.stderr.write(isExpected ? `siteledger: ${error.message}\n` : `${Cause.pretty(cause)}\n`)
}

/** `endless`: the verbs that run until they are stopped; only they have done their work after a signal. */
export const enter = <Name extends string, Input, E>(
  command: Command.Command<Name, Input, {}, E, NodeServices.NodeServices>,
  endless: ReadonlyArray<{ readonly name: string }>
): void => {
  const interrupted = isEndless(endless, process.argv.slice(2)) ? 0 : 1
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => setTimeout(() => process.exit(interrupted), longestStopMs).unref())
  }
  keepPrivate()
  Command.run(command, { version }).pipe(
    Effect.provide([CliOutput.layerPresenter(presenter), config]),
    Effect.tapCause((cause) => Effect.sync(() => explain(cause))),
    Effect.provide(NodeServices.layer),
    NodeRuntime.runMain({
      disableErrorReporting: true,
      teardown: (exit, onExit) => onExit(exitCode(exit, interrupted))
    })
  )
}
