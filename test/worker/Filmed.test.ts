/**
 * README's first minute, recorded in a terminal of 80 columns: README shows what a newcomer sees, line by line, except
 * for the numbers. Needs tmux (Debian's package).
 */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { freePort, query, until } from "../RunningWorker.ts"

const root = resolve(import.meta.dirname, "../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

const hasTmux = spawnSync("tmux", ["-V"]).status === 0
if (!hasTmux) process.stderr.write("skipped: README's first minute isn't filmed: tmux isn't installed\n")

const columns = 80

/** The blocks of README's part "See it": what is typed, and what is shown. */
const [, part = ""] = /^## See it\n(.*?)^## /ms.exec(read("README.md")) ?? []
const blocks = (language: string): ReadonlyArray<string> =>
  [...part.matchAll(/^```(\w*)\n(.*?)^```/gms)].flatMap(([, name, text = ""]) => (name === language ? [text] : []))
const [typedFirst = "", typedThen = ""] = blocks("sh")
const [shownFirst = "", shownThen = ""] = blocks("text")

/** A line without its numbers, and without what is there only at times. */
const shape = (line: string): string =>
  line
    .trim()
    // What is typed before the shell is ready stands above its prompt.
    .replace(/^[#$] /, "")
    .replace(/[█░]+/g, "▒")
    .replace(/^(live|catching-up) /, "PHASE ")
    .replace(/(in quarantine) · .*/, "$1")
    .replace(/ +and \d+ more$/, "")
    .replace(/#code=[\w-]+$/, "CODE")
    .replaceAll(/-{2,}/g, "-")
    .replaceAll(/-?\d[\d.,]*/g, "#")
    .replaceAll(/[─ ]+/g, " ")

/** However often a line follows itself. */
const shapes = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map(shape)
    .filter((line, at, all) => line !== "" && line !== all[at - 1])

/** The first line that isn't in the film, after the one before it. */
const missing = (film: string, shown: string): string | undefined => {
  const seen = shapes(film)
  let from = 0
  for (const line of shapes(shown)) {
    const at = seen.indexOf(line, from)
    if (at < 0) return line
    from = at + 1
  }
  return undefined
}

/** Three times as patient as usual. */
const untilLate: typeof until = (what, ask) =>
  until(what, ask)
    .catch(() => until(what, ask))
    .catch(() => until(what, ask))

class Terminal implements AsyncDisposable {
  readonly #name = `siteledger-${process.pid}`

  constructor(folder: string) {
    this.#tmux("-f", "/dev/null", "new-session", "-d", "-x", String(columns), "-y", "50", "-c", folder, "sh")
  }

  type(line: string): void {
    this.#tmux("send-keys", "-l", line)
    this.#tmux("send-keys", "Enter")
  }

  window(folder: string): void {
    this.#tmux("new-window", "-c", folder, "sh")
  }

  /** All that was ever shown in the window, each line whole. */
  get film(): string {
    return this.#tmux("capture-pane", "-p", "-J", "-S", "-")
  }

  #tmux(...args: ReadonlyArray<string>): string {
    return execFileSync("tmux", ["-L", this.#name, ...args], { encoding: "utf8" })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tmux("kill-server")
  }
}

/** When the film has all that README shows. Sources that are newer than what is built take longer to start. */
const filmed = (terminal: Terminal, shown: string): Promise<string> =>
  untilLate("the terminal shows what README does", async () => {
    const { film } = terminal
    return missing(film, shown) === undefined ? film : undefined
  }).catch(() => assert.fail(`README shows ${missing(terminal.film, shown)}, and the terminal:\n${terminal.film}`))

describe.skipIf(!hasTmux)("README's first minute", () => {
  it("is what a newcomer sees, in 80 columns", { timeout: 500_000 }, async () => {
    // Installing is what `npm ci` of this checkout has done already.
    assert.strictEqual(typedFirst, "npm ci && npm start\n")
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> }
    const folder = temporaryFolder()
    mkdirSync(join(folder, "bin"))
    symlinkSync(join(root, "bin/siteledger"), join(folder, "bin/siteledger"))
    await using terminal = new Terminal(folder)
    const ports = await freePort()
    terminal.type(`${scripts["start"]?.replace("exec ", "")} --projects 700 --ports ${ports}`)
    const film = await filmed(terminal, shownFirst)
    const wide = film.split("\n").filter((line) => line.trimEnd().length > columns && !line.includes("--projects"))
    assert.deepStrictEqual(wide, [])
    const months = "select distinct month from construction.cashflow_by_month where ipcs_paid > 0"
    // The copy is made each minute, and there is none at first.
    await untilLate("two months are paid", async () => {
      const paid = await query(join(folder, "data/demo/analytics.duckdb"), months).catch(() => [])
      return paid.length > 1 || undefined
    })
    terminal.window(folder)
    terminal.type(typedThen.trim())
    await filmed(terminal, shownThen)
    for (const line of [shownFirst, shownThen].join("\n").split("\n")) assert.isAtMost(line.length, columns, line)
    removeFolder(folder)
  })
})
