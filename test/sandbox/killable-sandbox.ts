/** A sandbox in a process of its own, to be killed: its options as JSON in the first argument, its address on stdout. */
import { Effect } from "effect"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"

const options: SandboxOptions = JSON.parse(process.argv[2] ?? "{}")

const program = Effect.gen(function* () {
  const sandbox = yield* Sandbox.start(options)
  process.stdout.write(`${sandbox.authUrl}\n`)
  return yield* Effect.never
})

Effect.runFork(Effect.scoped(program))
