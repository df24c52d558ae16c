/** A sandbox in its own process, to be killed. Takes its options as JSON in the first argument; prints its address. */
import { Effect } from "effect"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"

const options: SandboxOptions = JSON.parse(process.argv[2] ?? "{}")

const program = Effect.gen(function* () {
  const sandbox = yield* Sandbox.start(options)
  process.stdout.write(`${sandbox.authUrl}\n`)
  return yield* Effect.never
})

Effect.runFork(Effect.scoped(program))
