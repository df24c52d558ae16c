/**
 * `siteledger secret add`: the secret of a subscription made by hand. It is read from a file, from standard input or,
 * on a terminal, from a masked prompt; never from an argument, which every process on the machine can see.
 */
import { Effect, FileSystem, Option, type PlatformError, Redacted, Stdio } from "effect"
import { Argument, Command, Prompt } from "effect/cli"
import { VerbError } from "../../src/Operate/AdminApi/Verb.ts"
import { whyNot } from "../../src/Runtime/SystemFailure.ts"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { argument, json, piped } from "../Options.ts"
import * as Said from "../Said.ts"
import * as Secrets from "./Secrets.ts"

const file = Argument.optional(argument("file", "The file that holds the secret; without it, standard input is read"))

const typed = Prompt.run(Prompt.Password({ message: "The webhook secret" })).pipe(Effect.map(Redacted.value))

const unreadable = (path: string, { cause }: PlatformError.PlatformError) =>
  new VerbError({ message: `${path} can't be read: ${whyNot(cause)}.` })

const read = (path: Option.Option<string>) =>
  Effect.gen(function* () {
    if (Option.isSome(path)) {
      const files = yield* FileSystem.FileSystem
      return yield* Effect.mapError(files.readFileString(path.value), (error) => unreadable(path.value, error))
    }
    const { stdinIsTerminal } = yield* Stdio.Stdio
    return yield* (yield* stdinIsTerminal) ? typed : piped
  })

export const add = Command.make("add", { file, json }, ({ file: path, json: asJson }) =>
  Effect.gen(function* () {
    const secret = yield* read(path)
    yield* Effect.flatMap(
      ask("secret-add", { secret }, Alone.secrets),
      Said.answer(asJson, ({ added }) => Secrets.table([added]))
    )
  })
).pipe(
  Command.withDescription("Accept deliveries that are signed with one more secret"),
  Command.withExamples([
    { command: "siteledger secret add new-secret.txt", description: "Accept deliveries signed with one more secret" },
    { command: "pass show webhooks | siteledger secret add", description: "From a password manager" }
  ])
)
