/**
 * A process that asks for a token whenever a line comes on its standard input, and prints it; also what it logs.
 * Its environment is that of a worker. Started by Processes.test.ts.
 */
import { createInterface } from "node:readline"
import { Effect, Logger, References, Stream } from "effect"
import { drop, get, tokens } from "./Tokens.ts"

const say = (what: Readonly<Record<string, unknown>>): boolean => process.stdout.write(`${JSON.stringify(what)}\n`)

const logger = Logger.make(({ message }) => void say({ log: String(message) }))

const lines = Stream.fromAsyncIterable(createInterface({ input: process.stdin }), (cause) => cause)

const asking = Effect.gen(function* () {
  say({ ready: true })
  let last = ""
  yield* Stream.runForEach(lines, () =>
    Effect.gen(function* () {
      // As if the service had refused it: the next one needs a refresh.
      yield* drop(last)
      last = yield* get
      say({ token: last })
    })
  )
})

const given = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]))

await Effect.runPromise(
  asking.pipe(
    Effect.provide(tokens(given)),
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(References.MinimumLogLevel, "Debug")
  )
)
