/** Help fits 80 columns, without losing a word. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { CliOutput, Command } from "effect/cli"
import { tree } from "../../cli/Cli.ts"
import { fitted } from "../../cli/Help.ts"
import { childrenOf, helpOf } from "./Parsing.ts"

const paths = (command: Command.Command.Any, above: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => [
  above,
  ...[...childrenOf(command).values()].flatMap((child) => paths(child, [...above, child.name]))
]

const wordsOf = (text: string): ReadonlyArray<string> => text.split(/\s+/)

// oxlint-disable-next-line no-control-regex
const shown = (text: string): string => text.replaceAll(/\u001B\[\d+m/g, "")

describe("help", () => {
  it.effect.each(paths(tree, []))("of %j has at most 80 columns, and all its words", (path) =>
    Effect.gen(function* () {
      const doc = yield* helpOf(path)
      for (const colors of [false, true]) {
        const whole = CliOutput.defaultFormatter({ colors }).formatHelpDoc(doc)
        const help = fitted(whole)
        assert.deepStrictEqual(wordsOf(help), wordsOf(whole))
        const [said = ""] = shown(help).split("\nEXAMPLES\n")
        for (const line of said.split("\n")) assert.isAtMost(line.length, 80, line)
      }
    })
  )

  it("goes on below where it said something, and leaves examples whole", () => {
    const help = `FLAGS
  --to string    ${"far ".repeat(30).trim()}

EXAMPLES
  siteledger ${"far ".repeat(30).trim()}
`
    const [, first = "", second = "", , , example = ""] = fitted(help).split("\n")
    assert.strictEqual(first, `  --to string    ${"far ".repeat(16).trim()}`)
    assert.strictEqual(second, `                 ${"far ".repeat(14).trim()}`)
    assert.strictEqual(example, `  siteledger ${"far ".repeat(30).trim()}`)
  })
})
