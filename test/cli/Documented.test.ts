/** The verbs and flags that the documents and the help's examples name exist, and docs/commands.md names every verb. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { CliError, Command } from "effect/cli"
import { tree } from "../../cli/Cli.ts"
import { all, read } from "../Tidy/Sources.ts"
import { childrenOf, errorsOf, verbs } from "./Parsing.ts"

const documents = all.filter((path) => path.endsWith(".md") || path === "config/example.env")

const fence = /^```.*?^```/gms
const program = /^(bin\/)?siteledger$/
const placeholder = /^([A-Z]+|…)$/
const assignment = /^[A-Z_]+=/

/** As a shell takes them, quotes gone. */
const words = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? "")

/** The commands in a line that somebody would copy into a shell. */
const commandsOf = (line: string): ReadonlyArray<ReadonlyArray<string>> =>
  line
    .split(/&&|;|\|/)
    .map((command) => words(command.trim()))
    .map((command) => command.slice(command.findIndex((word) => !assignment.test(word))))
    .filter(([name = ""]) => program.test(name))
    .map(([, ...given]) => given)

const commandsIn = (path: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...read(path).matchAll(fence)]
    // What a terminal shows.
    .filter(([block]) => !block.startsWith("```text"))
    .flatMap(([block]) => block.replaceAll("\\\n", " ").split("\n"))
    .flatMap((line) => commandsOf(line.replace(/(^|\s)#.*/, "")))

/** Commands within a sentence, which may leave out what they are about. */
const mentionsIn = (path: string): ReadonlyArray<ReadonlyArray<string>> =>
  [
    ...read(path)
      .replaceAll(fence, "")
      .matchAll(/`([^`]+)`/g)
  ]
    .map(([, span = ""]) => words(span))
    .map((command) => command.slice(command.findIndex((word) => !assignment.test(word))))
    .filter(([name = ""]) => program.test(name))
    .map(([, ...given]) => given)
    .filter((given) => given.join(" ") !== imagined)

/** The verb that CONTRIBUTING.md shows how to add. */
const imagined = "ledger reopen"

/** A group alone, or an argument that is left out or stands for any. */
const isFine = (error: CliError.CliError): boolean =>
  error._tag === "MissingArgument" ||
  error._tag === "MissingOption" ||
  (error._tag === "InvalidValue" && placeholder.test(error.value)) ||
  (error._tag === "UnknownSubcommand" && placeholder.test(error.subcommand))

const complaints = (
  path: string,
  commands: ReadonlyArray<ReadonlyArray<string>>,
  mayBe: (error: CliError.CliError) => boolean = () => false
) =>
  Effect.forEach(commands, (given) =>
    Effect.map(errorsOf(given), (errors) =>
      errors.filter((error) => !mayBe(error)).map(({ message }) => `${path}: siteledger ${given.join(" ")}: ${message}`)
    )
  ).pipe(Effect.map((found) => found.flat()))

describe("the documents", () => {
  it.effect("show commands that the command line takes", () =>
    Effect.gen(function* () {
      const found = yield* Effect.forEach(documents, (path) => complaints(path, commandsIn(path)))
      assert.deepStrictEqual(found.flat(), [])
      assert.isAtLeast(documents.flatMap(commandsIn).length, 20)
    })
  )

  it.effect("mention verbs and flags that there are", () =>
    Effect.gen(function* () {
      const found = yield* Effect.forEach(documents, (path) => complaints(path, mentionsIn(path), isFine))
      assert.deepStrictEqual(found.flat(), [])
      assert.isAtLeast(documents.flatMap(mentionsIn).length, 20)
    })
  )
})

/** Those that do something, by all their names. */
const doers = (command: Command.Command.Any, path: string): ReadonlyArray<readonly [string, Command.Command.Any]> => {
  const children = [...childrenOf(command).values()]
  return children.length === 0 ? [[path, command]] : children.flatMap((each) => doers(each, `${path} ${each.name}`))
}

describe("the help of each verb", () => {
  it.effect.each(doers(tree, "siteledger"))(
    "%s has two examples, which the command line takes",
    ([path, { examples }]) =>
      Effect.gen(function* () {
        assert.isAtLeast(examples.length, 2)
        assert.strictEqual(new Set(examples.map(({ command }) => command)).size, examples.length)
        for (const { command } of examples) {
          const own = commandsOf(command.replaceAll(/\$\([^)]*\)/g, "today").replaceAll(/>\s*\S+/g, ""))
          assert.isTrue(
            own.some((given) => `siteledger ${given.join(" ")} `.startsWith(`${path} `)),
            command
          )
          assert.deepStrictEqual(yield* complaints(path, own), [])
        }
      })
  )
})

/** They run until they are stopped, speak with a person, or print SQL. */
const unanswering = new Set(["start", "demo", "login", "lake sql"].map((path) => `siteledger ${path}`))

it.effect.each(doers(tree, "siteledger").filter(([path]) => !unanswering.has(path)))(
  "%s answers programs with --json",
  ([path]) =>
    Effect.gen(function* () {
      const errors = yield* errorsOf([...path.split(" ").slice(1), "--json"])
      assert.notInclude(errors.map(({ _tag }) => _tag).join(), "UnrecognizedOption")
    })
)

const page = "docs/commands.md"

const spans = (cell: string): ReadonlyArray<string> => [...cell.matchAll(/`([^`]+)`/g)].map(([, span]) => span ?? "")

/** The rows of the table of verbs: what is in its code spans. */
const rows = (/^\| verb \|.*\n(?:\|.*\n)+/m.exec(read(page))?.[0] ?? "")
  .split("\n")
  .slice(2)
  .filter((line) => line.startsWith("|"))
  .map((line) => line.split(/(?<!\\)\|/))
  .map(([, named = "", does = ""]) => ({ named: spans(named), beside: spans(does) }))

describe("the table of verbs", () => {
  const named = rows.flatMap((row) => row.named)

  it("names each verb that there is, and no other", () => {
    assert.sameMembers([...new Set(named.map((span) => words(span)[0] ?? ""))], [...verbs.keys()])
  })

  it("names each verb of a group, and no other", () => {
    for (const [group, command] of verbs) {
      const verbsOfGroup = childrenOf(command)
      if (verbsOfGroup.size === 0) continue
      const own = rows.filter((row) => row.named.some((span) => words(span)[0] === group))
      const found = own.flatMap((row) => [
        ...row.named.flatMap((span) => words(span).slice(1, 2)),
        ...row.beside.filter((span) => row.named[0] === group && !span.startsWith("-"))
      ])
      assert.sameMembers(found, [...verbsOfGroup.keys()], group)
    }
  })

  it.effect("gives each verb the arguments and flags that it takes", () =>
    Effect.gen(function* () {
      const given = rows.flatMap((row) => [
        ...row.named,
        ...row.beside.filter((span) => span.startsWith("--")).map((flag) => `${row.named[0]} ${flag}`)
      ])
      assert.deepStrictEqual(yield* complaints(page, given.map(words), isFine), [])
    })
  )
})
