/**
 * The entry point: runs the command line and turns its outcome into an exit code and one clear sentence.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Runtime } from "effect"
import { CliError } from "effect/cli"
import { version } from "../src/Runtime/Program.ts"
import { keepPrivate } from "../src/Runtime/Rights.ts"
import { isEndless, run } from "./Cli.ts"
import * as Interrupted from "./Interrupted.ts"

/** A longer shutdown is cut short; kill -9 at any instant loses nothing. */
const longestStopMs = 9_000

/**
 * The exit code after a signal or a refused prompt: only a verb that runs until it is stopped has then done its work.
 */
const interrupted = isEndless(process.argv.slice(2)) ? 0 : 1

const exitCode = (exit: Exit.Exit<unknown, unknown>): number => {
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

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => setTimeout(() => process.exit(interrupted), longestStopMs).unref())
}

keepPrivate()

run(version).pipe(
  Effect.tapCause((cause) => Effect.sync(() => explain(cause))),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    disableErrorReporting: true,
    teardown: (exit, onExit) => onExit(exitCode(exit))
  })
)
