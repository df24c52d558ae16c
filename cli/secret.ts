/**
 * `siteledger secret list`, `add`, `retire`: the webhook secrets that deliveries may be signed with. Through the
 * running worker, where a change holds for the next delivery, or on the store with the lock taken. The outcome is one
 * JSON document on stdout.
 *
 * A secret is read from a file, from standard input or, on a terminal, masked; never from an argument, which
 * every process of the machine can see. It is never printed: people tell secrets apart by their fingerprints.
 */
import { Console, Effect, FileSystem, Layer, Option, type PlatformError, Redacted, Stdio, Stream } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { secrets } from "../pipelines/live.ts"
import { store } from "../pipelines/stores.ts"
import { whyNot } from "../src/Runtime/SystemFailure.ts"
import * as Json from "../src/Domain/Json.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"
import * as Verbs from "../src/Operate/Verbs.ts"
import { ask, over } from "./Ask.ts"
import * as Log from "./Log.ts"

const local = Log.layer.pipe(Layer.provideMerge(Settings.layer))

const alone = over(secrets.pipe(Layer.provide([store, Reasons.layer])))

const print = (value: unknown) => Console.log(Json.stringify(value))

const list = Command.make("list", {}, () =>
  Effect.flatMap(ask("secret-list", {}, alone(Verbs.listSecrets)), print).pipe(Effect.provide(local))
).pipe(Command.withDescription("Fingerprints of all webhook secrets: where from, until when, last used when"))

const file = Argument.String("file").pipe(
  Argument.withDescription("The file that holds the secret; without it, standard input"),
  Argument.optional
)

const typed = Prompt.run(Prompt.Password({ message: "The webhook secret" })).pipe(Effect.map(Redacted.value))

const piped = Effect.flatMap(Stdio.Stdio, ({ stdin }) => Stream.mkString(Stream.decodeText(stdin)))

const unreadable = (path: string, { cause }: PlatformError.PlatformError) =>
  new Verbs.VerbError({ message: `${path} can't be read: ${whyNot(cause)}.` })

const read = (path: Option.Option<string>) =>
  Effect.gen(function* () {
    if (Option.isSome(path)) {
      const files = yield* FileSystem.FileSystem
      return yield* Effect.mapError(files.readFileString(path.value), (error) => unreadable(path.value, error))
    }
    const { stdinIsTerminal } = yield* Stdio.Stdio
    return yield* (yield* stdinIsTerminal) ? typed : piped
  })

const add = Command.make("add", { file }, (given) =>
  Effect.gen(function* () {
    const secret = yield* read(given.file)
    yield* Effect.flatMap(ask("secret-add", { secret }, alone(Verbs.addSecret({ secret }))), print)
  }).pipe(Effect.provide(local))
).pipe(Command.withDescription("Take deliveries that are signed with one more secret, beside all others"))

const flags = {
  fingerprint: Argument.String("fingerprint").pipe(Argument.withDescription("As `siteledger secret list` shows it")),
  in: Flag.String("in").pipe(
    Flag.withDescription('How long it stays valid, like "24 hours"; without it, it ends at once'),
    Flag.optional
  ),
  force: Flag.Boolean("force").pipe(
    Flag.withDescription("Also the last secret that stays valid, after which every delivery is refused"),
    Flag.withDefault(false)
  )
}

const retire = Command.make("retire", flags, ({ fingerprint, force, in: after }) => {
  const given = {
    fingerprint,
    force: String(force),
    ...Option.match(after, { onNone: () => ({}), onSome: (text) => ({ in: text }) })
  }
  return Effect.flatMap(ask("secret-retire", given, alone(Verbs.retireSecret(given))), print).pipe(
    Effect.provide(local)
  )
}).pipe(Command.withDescription("End a secret, or say that the subscription it is of has been deleted"))

export const secret = Command.make("secret").pipe(
  Command.withDescription("The webhook secrets that deliveries may be signed with"),
  Command.withSubcommands([list, add, retire])
)
