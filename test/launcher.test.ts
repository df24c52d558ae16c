/**
 * The launcher in a separate tree with a stub for the worker: which Node it picks, that it works through symlinks, and
 * that arguments, exit codes and signals pass because it execs.
 */
import { spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const launcher = fileURLToPath(new URL("../bin/siteledger", import.meta.url))
const system = ["/usr/bin", "/bin"].join(delimiter)

const stub = `
const [verb, code] = process.argv.slice(2) as Array<string>
if (verb === "wait") {
  process.on("SIGTERM", () => process.exit(Number(code)))
  setInterval(() => {}, 1000)
  console.log("ready")
} else {
  const { MALLOC_ARENA_MAX: heaps, MALLOC_MMAP_THRESHOLD_: large } = process.env
  const memory = { heaps, large, flags: process.execArgv }
  console.log(JSON.stringify({ arguments: process.argv.slice(2), node: process.execPath, cwd: process.cwd(), memory }))
  process.exit(Number(code ?? 0))
}
`

/** `bin/siteledger` and a stub worker, without a Node. */
const tree = (main = "cli/main.ts") => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "siteledger-launcher-")))
  for (const path of ["bin/siteledger", main]) mkdirSync(dirname(join(root, path)), { recursive: true })
  copyFileSync(launcher, join(root, "bin/siteledger"))
  writeFileSync(join(root, "package.json"), `{ "type": "module" }`)
  writeFileSync(join(root, main), main.endsWith(".ts") ? stub : stub.replace(" as Array<string>", ""))
  return root
}

/** A folder for PATH whose `node` only prints this version. */
const nodeOf = (version: string) => {
  const folder = mkdtempSync(join(tmpdir(), "siteledger-node-"))
  writeFileSync(join(folder, "node"), `#!/bin/sh\necho ${version}\n`)
  chmodSync(join(folder, "node"), 0o755)
  return folder
}

const pin = (root: string, at = "node_modules/node/bin") => {
  mkdirSync(join(root, at), { recursive: true })
  symlinkSync(process.execPath, join(root, at, "node"))
}

const fitting = () => {
  const folder = mkdtempSync(join(tmpdir(), "siteledger-node-"))
  symlinkSync(process.execPath, join(folder, "node"))
  return folder
}

const run = (command: string, path: ReadonlyArray<string>, args: ReadonlyArray<string>, cwd = tmpdir()) =>
  spawnSync(command, args, { cwd, encoding: "utf8", env: { PATH: path.join(delimiter) } })

describe("bin/siteledger", () => {
  it("passes arguments and the exit code, and stays in the caller's directory", () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), "siteledger-cwd-")))
    const result = run(join(tree(), "bin/siteledger"), [fitting(), system], ["verb", "3", "two words", "$HOME"], cwd)
    assert.strictEqual(result.status, 3, result.stderr)
    assert.deepInclude(JSON.parse(result.stdout), { arguments: ["verb", "3", "two words", "$HOME"], cwd })
    assert.strictEqual(result.stderr, "")
  })

  it("bounds the memory that the allocator and V8 keep, unless the operator did", () => {
    const root = tree()
    const heap = [
      "--max-semi-space-size=8",
      "--heap-growing-percent=50",
      "--no-short-builtin-calls",
      "--flush-baseline-code"
    ]
    const flags = ["--disable-warning=ExperimentalWarning", ...heap]
    const memoryWith = (extra: Record<string, string>, verb: ReadonlyArray<string> = []) => {
      const env = { PATH: [fitting(), system].join(delimiter), ...extra }
      return JSON.parse(spawnSync(join(root, "bin/siteledger"), verb, { encoding: "utf8", env }).stdout).memory
    }
    assert.deepStrictEqual(memoryWith({}), { heaps: "2", large: "65536", flags })
    const roomy = [flags[0], "--max-semi-space-size=32"]
    assert.deepStrictEqual(memoryWith({}, ["ledger", "verify"]).flags, roomy)
    assert.deepStrictEqual(memoryWith({}, ["ledger", "journal"]).flags, flags)
    assert.include(memoryWith({ MALLOC_ARENA_MAX: "8" }), { heaps: "8", large: "65536" })
  })

  it("finds its tree through relative and absolute symlinks", () => {
    const root = tree()
    const folder = mkdtempSync(join(tmpdir(), "siteledger-links-"))
    symlinkSync(join(root, "bin/siteledger"), join(folder, "absolute"))
    symlinkSync("absolute", join(folder, "relative"))
    assert.strictEqual(run(join(folder, "relative"), [fitting(), system], ["verb", "4"]).status, 4)
    assert.strictEqual(run("relative", [folder, fitting(), system], ["verb", "5"]).status, 5)
    assert.strictEqual(run("./relative", [fitting(), system], ["verb", "6"], folder).status, 6)
    assert.strictEqual(run("sh", [fitting(), system], ["relative", "verb", "7"], folder).status, 7)
  })

  it.each(["v20.20.2", "v22.18.0", "v9.0.0", "nonsense"])("prefers the pinned Node to a %s on PATH", (version) => {
    const root = tree()
    pin(root)
    const result = run(join(root, "bin/siteledger"), [nodeOf(version), system], ["verb", "0"])
    assert.strictEqual(result.status, 0, result.stderr)
    assert.strictEqual(JSON.parse(result.stdout).node, realpathSync(process.execPath))
  })

  it.each(["v22.19.0", "v23.6.0", "v24.21.0", "v100.0.0"])("takes a %s on PATH before the pinned one", (version) => {
    const root = tree()
    pin(root)
    assert.strictEqual(run(join(root, "bin/siteledger"), [nodeOf(version), system], []).stdout, `${version}\n`)
  })

  it("takes the Node installed next to the package", () => {
    const modules = mkdtempSync(join(tmpdir(), "siteledger-modules-"))
    renameSync(tree(), join(modules, "siteledger"))
    pin(modules, "node/bin")
    assert.strictEqual(run(join(modules, "siteledger/bin/siteledger"), [], ["verb", "7"]).status, 7)
  })

  it("says in one line what it needs if no Node is suitable", () => {
    for (const path of [[], [nodeOf("v20.20.2")]]) {
      const result = run(join(tree(), "bin/siteledger"), path, ["start"])
      assert.strictEqual(result.status, 1)
      assert.match(result.stderr, /^siteledger needs Node 22\.19 or newer: [^\n]+\n$/)
      assert.strictEqual(result.stdout, "")
    }
  })

  it("runs what is built if there is no source", () => {
    assert.strictEqual(run(join(tree("dist/main.cjs"), "bin/siteledger"), [fitting()], ["verb", "8"]).status, 8)
  })

  it("runs what is built unless a source is newer, or was added", () => {
    const root = tree()
    for (const folder of ["config", "connectors", "pipelines", "sandbox", "src"]) mkdirSync(join(root, folder))
    const ran = (): string => run(join(root, "bin/siteledger"), [fitting(), system], ["verb", "0"]).stdout
    const at = (path: string, seconds: number) => utimesSync(join(root, path), seconds, seconds)
    const age = () => {
      for (const path of readdirSync(root, { recursive: true, encoding: "utf8" })) at(path, 1000)
    }
    mkdirSync(join(root, "dist"))
    writeFileSync(join(root, "dist/main.cjs"), `console.log("built")`)
    age()
    assert.strictEqual(ran(), "built\n")
    at("cli/main.ts", 1001)
    assert.notStrictEqual(ran(), "built\n")
    age()
    at("bin/siteledger", 1001)
    assert.notStrictEqual(ran(), "built\n")
    age()
    writeFileSync(join(root, "src/added.ts"), "")
    at("src/added.ts", 999)
    assert.notStrictEqual(ran(), "built\n")
  })

  it("is the worker's own process: SIGTERM reaches it and its exit code comes back", async () => {
    const child = spawn(join(tree(), "bin/siteledger"), ["wait", "9"], { env: { PATH: fitting() } })
    const code = new Promise((resolve) => child.once("exit", resolve))
    await new Promise((resolve) => child.stdout.once("data", resolve))
    child.kill("SIGTERM")
    assert.strictEqual(await code, 9)
  })
})
