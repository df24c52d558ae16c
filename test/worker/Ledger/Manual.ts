/**
 * The commands of `docs/ledger.md`, run as written there with the words in capitals filled in, so that the page can't
 * show a command that doesn't work.
 */
import { readFileSync } from "node:fs"
import { assert } from "@effect/vitest"
import type { Finished } from "../../RunningWorker.ts"
import type { World } from "../World.ts"

const page = new URL("../../../docs/ledger.md", import.meta.url)

const commands = (): ReadonlyArray<string> =>
  [...readFileSync(page, "utf8").matchAll(/^```sh\n([^`]*)^```$/gm)].flatMap(([, block]) =>
    String(block).trim().split("\n")
  )

/** What a command printed. */
export const text = ({ code, stderr, stdout }: Finished): string => {
  assert.strictEqual(code, 0, stderr)
  return stdout
}

export class Manual {
  readonly #world: World
  readonly #unused = new Set(commands())

  constructor(world: World) {
    this.#world = world
  }

  /** Written as on the page, without the program's name. */
  run(command: string, words: Readonly<Record<string, string>> = {}): Promise<Finished> {
    assert.include(commands(), `siteledger ${command}`)
    this.#unused.delete(`siteledger ${command}`)
    return this.#world.run(...command.split(" ").map((word) => words[word] ?? word))
  }

  get unused(): ReadonlyArray<string> {
    return [...this.#unused]
  }
}
