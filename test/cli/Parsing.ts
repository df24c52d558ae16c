/** The command tree with nothing behind it: a typed command is parsed as by the command line, but not carried out. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { CliError, CliOutput, Command, type HelpDoc } from "effect/cli"
import { tree } from "../../cli/Cli.ts"
import { config } from "../../cli/Entry.ts"

type Any = Command.Command.Any
type Plain = Command.Command<string, unknown>

/** By name, in the order of the help. */
export const childrenOf = (command: Any): ReadonlyMap<string, Any> =>
  new Map(command.subcommands.flatMap(({ commands }) => commands.map((child) => [child.name, child] as const)))

export const verbs = childrenOf(tree)

const idle = (command: Any): Plain => {
  const children = [...childrenOf(command).values()].map(idle)
  return children.length === 0
    ? (Command.withHandler(command as never, () => Effect.void) as Plain)
    : (Command.make(command.name).pipe(Command.withSubcommands(children)) as unknown as Plain)
}

const parse = Command.runWith(idle(tree), { version: "", renderErrors: false })

/** What is wrong with these words; of a group alone, that a verb is missing. */
export const errorsOf = (words: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<CliError.CliError>> =>
  parse(words).pipe(
    Effect.as([]),
    Effect.catch((error) => Effect.succeed(error._tag === "ShowHelp" ? error.errors : [error])),
    Effect.provide([CliOutput.layerPresenter({ present: () => Effect.void }), NodeServices.layer])
  )

/** What `--help` says of a verb or a group. */
export const helpOf = (path: ReadonlyArray<string>): Effect.Effect<HelpDoc.HelpDoc> =>
  Effect.gen(function* () {
    let said: HelpDoc.HelpDoc | undefined
    const present: CliOutput.Presenter["present"] = (event) =>
      Effect.sync(() => {
        if (event._tag === "Help") said = event.helpDoc
      })
    yield* parse([...path, "--help"]).pipe(
      Effect.ignore,
      Effect.provide([CliOutput.layerPresenter({ present }), config, NodeServices.layer])
    )
    return said ?? (yield* Effect.die(`${path.join(" ")} has no help`))
  })
