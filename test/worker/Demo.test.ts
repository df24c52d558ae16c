/**
 * What a newcomer does: README's commands, in a separate folder. The demo is a process; its output is read in the form
 * for a stderr that isn't a terminal.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { freePort, run, until } from "../RunningWorker.ts"

const root = resolve(import.meta.dirname, "../..")
const readme = readFileSync(join(root, "README.md"), "utf8")
const manual = readFileSync(join(root, "docs/commands.md"), "utf8")

interface Demo {
  readonly child: ChildProcess
  readonly printed: () => string
}

const startDemo = (dataDir: string, ports: number): Demo => {
  const child = spawn(
    join(root, "bin/siteledger"),
    ["demo", "--data-dir", dataDir, "--ports", String(ports), "--projects", "700", "--events-per-second", "40"],
    { env: { PATH: process.env["PATH"] ?? "" } }
  )
  let text = ""
  child.stderr.on("data", (chunk: Buffer) => (text += String(chunk)))
  return { child, printed: () => text }
}

const printed = (demo: Demo, pattern: RegExp): Promise<RegExpExecArray> =>
  until(`the demo prints ${pattern}\n${demo.printed()}`, async () => {
    if (demo.child.exitCode !== null) throw new Error(`The demo ended: ${demo.printed()}`)
    return pattern.exec(demo.printed()) ?? undefined
  })

const ended = async (demo: Demo, signal: NodeJS.Signals): Promise<number | null> => {
  const end = once(demo.child, "close") as Promise<[number | null]>
  demo.child.kill(signal)
  const [code] = await end
  return code
}

describe("the demo", () => {
  it("copies, accepts events, answers README's query, and goes on after kill -9", async () => {
    const dataDir = temporaryFolder()
    const ports = await freePort()
    try {
      const first = startDemo(dataDir, ports)
      await printed(first, /projects: 700 rows, 100 %/)
      await printed(first, /live · \d{2,} events/)
      await until(
        "analytics.duckdb is published",
        async () => existsSync(join(dataDir, "analytics.duckdb")) || undefined
      )
      const [, sql = ""] = /siteledger query "([^"]+)"/.exec(readme) ?? []
      const given = { SITELEDGER_DATA_DIR: dataDir, PATH: process.env["PATH"] ?? "" }
      const answer = await run(given, "query", sql)
      assert.strictEqual(answer.code, 0, answer.stderr)
      assert.match(answer.stdout, /month/)
      const seconds = first
        .printed()
        .split("\n")
        .filter((line) => line.startsWith("live · "))
      assert.isNotEmpty(seconds)
      for (const line of seconds) assert.isAtMost(line.length, 80, line)
      const status = await run(given, "status", "--json")
      assert.strictEqual((JSON.parse(status.stdout) as { phase: string }).phase, "live")
      await ended(first, "SIGKILL")

      const second = startDemo(dataDir, ports)
      await printed(second, /live · \d{2,} events .* 0 in quarantine/)
      assert.strictEqual(await ended(second, "SIGINT"), 0)
      const after = await run(given, "status")
      assert.strictEqual(after.code, 1)
      assert.match(after.stderr, /No worker is running/)
    } finally {
      removeFolder(dataDir)
    }
  })
})

describe("the command line", () => {
  const path = { PATH: process.env["PATH"] ?? "" }

  it("answers a verb that doesn't exist with 2 and help on stderr", async () => {
    const { code, stdout, stderr } = await run(path, "nonsense")
    assert.strictEqual(code, 2)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /Unknown subcommand/)
  })

  it("answers --help with 0 and the verbs on stdout", async () => {
    const { code, stdout, stderr } = await run(path, "--help")
    assert.deepInclude({ code, stderr }, { code: 0, stderr: "" })
    for (const verb of ["start", "demo", "restore"]) assert.include(stdout, `  ${verb} `)
  })

  it("completes verbs and flags in the shells that the manual names", async () => {
    const [, first = "", others = ""] = /--completions (\w+)\)` \(or (.*?)\)/.exec(manual) ?? []
    const shells = [first, ...[...others.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)]
    assert.lengthOf(shells, 3)
    for (const shell of shells) {
      const { code, stdout } = await run(path, "--completions", shell)
      assert.strictEqual(code, 0)
      for (const word of ["restore", "verify", "json"]) assert.include(stdout, word, shell)
      // Where the shell is installed, it reads them.
      const { error, status, stderr } = spawnSync(shell, ["-n"], { input: stdout })
      if (error === undefined) assert.strictEqual(status, 0, String(stderr))
    }
  })
})
