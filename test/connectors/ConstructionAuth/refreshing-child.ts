/**
 * A process that asks for a token for each line on its standard input, and prints the token and its log. It has a worker's
 * environment. Started by Processes.test.ts.
 */
import { createInterface } from "node:readline"
import { Effect, Logger, References, Stream } from "effect"
import { drop, get, tokens } from "./Tokens.ts"

const print = (line: Readonly<Record<string, unknown>>): boolean => process.stdout.write(`${JSON.stringify(line)}\n`)

const logger = Logger.make(({ message }) => void print({ log: String(message) }))

const lines = Stream.fromAsyncIterable(createInterface({ input: process.stdin }), (cause) => cause)

const asking = Effect.gen(function* () {
  print({ ready: true })
  let last = ""
  yield* Stream.runForEach(lines, () =>
    Effect.gen(function* () {
      // As if the service had refused it: the next token needs a refresh.
      yield* drop(last)
      last = yield* get
      print({ token: last })
    })
  )
})

const environment = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]))

await Effect.runPromise(
  asking.pipe(
    Effect.provide(tokens(environment)),
    Effect.provide(Logger.layer([logger])),
    Effect.provideService(References.MinimumLogLevel, "Debug")
  )
)
