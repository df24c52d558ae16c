/** The worker's package, as packed. test/Package/ has the client's. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { temporaryFolder } from "./Folders.ts"
import { execute, modules, Tree } from "./Package/Tree.ts"
import { freePort, until } from "./RunningWorker.ts"

interface Packed {
  readonly name: string
  readonly version: string
  readonly license: string
}

/** What is in a checkout only. */
const ofSources = /^(test|packages|pipelines|connectors)\/|^(AGENTS|CONTRIBUTING)\.md$/

describe("the package", () => {
  const tree = new Tree()
  let tarball = ""
  beforeAll(async () => void (tarball = await tree.pack()))
  afterAll(() => tree.remove())

  /** Where npm would put it in an empty folder, with the packages that it asks for and no others. */
  const installed = async (): Promise<string> => {
    const folder = temporaryFolder()
    const at = join(folder, "node_modules/siteledger")
    mkdirSync(at, { recursive: true })
    await execute("tar", ["-xzf", tarball, "--strip-components=1"], at)
    const { dependencies } = JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true })
      symlinkSync(join(modules, name), join(folder, "node_modules", name))
    }
    return folder
  }

  it("holds the launchers and built files, no sources, and not the client", async () => {
    const { stdout } = await execute("tar", ["-tzf", tarball], tree.folder)
    const files = stdout
      .trim()
      .split("\n")
      .map((path) => path.replace(/^package\//, ""))
    const some = ["bin/siteledger", "bin/siteledger.cjs", "dist/main.cjs", "config/example.env", "README.md", "LICENSE"]
    assert.includeMembers(files, some)
    assert.deepStrictEqual(
      files.filter((path) => /\.ts$|^(test|bench|trust|src|packages)\//.test(path)),
      []
    )
  })

  it("holds what its documents lead to, but for what is about the sources", async () => {
    const at = join(await installed(), "node_modules/siteledger")
    const pages = readdirSync(at, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"))
    const missing = pages.flatMap((page) =>
      [...readFileSync(join(at, page), "utf8").matchAll(/\]\((?!https?:)([^)#\s]+)/g)]
        .map(([, to = ""]) => join(dirname(page), to))
        .filter((path) => !ofSources.test(path) && !existsSync(join(at, path)))
    )
    assert.isAbove(pages.length, 20)
    assert.deepStrictEqual([...new Set(missing)], [])
  })

  it("names everything that is shipped, with its licence", async () => {
    const at = join(await installed(), "node_modules/siteledger")
    const read = (path: string): string => readFileSync(join(at, path), "utf8")
    const bundled = JSON.parse(read("dist/packages.json")) as ReadonlyArray<Packed>
    const bill = JSON.parse(read("licenses/sbom.cdx.json")) as {
      readonly bomFormat: string
      readonly components: ReadonlyArray<{ readonly "bom-ref": string; readonly hashes?: ReadonlyArray<unknown> }>
    }
    assert.strictEqual(bill.bomFormat, "CycloneDX")
    const refs = new Set(bill.components.map((each) => each["bom-ref"]))
    const texts = read("licenses/of-others.txt")
    assert.isAbove(bundled.length, 20)
    for (const { license, name, version } of bundled) {
      assert.isTrue(refs.has(`${name}@${version}`), name)
      assert.include(texts, `${name} ${version} (${license})\n\n`)
    }
    const { dependencies } = JSON.parse(read("package.json")) as { readonly dependencies: Record<string, string> }
    for (const [name, version] of Object.entries(dependencies)) assert.isTrue(refs.has(`${name}@${version}`), name)
    // Of any other package npm would choose the versions of what it needs, which nobody has tested.
    assert.deepStrictEqual(Object.keys(dependencies), ["@duckdb/node-bindings"])
    assert.isFalse([...refs].some((ref) => /^(vitest|oxlint|typescript)@/.test(ref)))
    assert.isTrue(bill.components.every(({ hashes = [] }) => hashes.length > 0))
  })

  it("runs the demo in an empty folder, on what it asks for alone", async () => {
    const folder = await installed()
    const command = [join("node_modules/siteledger/bin/siteledger.cjs"), "demo", "--projects", "100"]
    const ports = ["--ports", String(await freePort())]
    const child = spawn(process.execPath, [...command, ...ports], { cwd: folder, env: {} })
    let text = ""
    child.stderr.on("data", (chunk: Buffer) => (text += String(chunk)))
    await until(`it is live: ${text}`, async () => {
      if (child.exitCode !== null) throw new Error(text)
      return /live · \d{2,} events/.test(text) || undefined
    })
    child.kill("SIGINT")
    assert.deepStrictEqual(await once(child, "close"), [0, null])
  })
})

describe("bin/siteledger.cjs", () => {
  const launcher = join(import.meta.dirname, "../bin/siteledger.cjs")

  /** With another value of something that Node says of itself. */
  const as = (change: string, ...verb: ReadonlyArray<string>) => {
    const script = `${change}; process.argv.splice(1, 1, ${JSON.stringify(launcher)}); require(process.argv[1])`
    return spawnSync(process.execPath, ["-e", script, "--", "siteledger", ...verb], { encoding: "utf8", env: {} })
  }

  it("is the worker itself: the same process, and its exit code", () => {
    const ran = spawnSync(process.execPath, [launcher, "nonsense"], { encoding: "utf8", env: {} })
    assert.strictEqual(ran.status, 2)
    assert.match(ran.stderr, /Unknown subcommand/)
    assert.notInclude(ran.stderr, "ExperimentalWarning")
  })

  it.each(["20.20.2", "22.18.0"])("says to Node %s what to do", (version) => {
    const change = `Object.defineProperty(process, "versions", { value: { node: "${version}" } })`
    const ran = as(`${change}; Object.defineProperty(process, "version", { value: "v${version}" })`, "--version")
    assert.strictEqual(ran.status, 1)
    assert.match(
      ran.stderr,
      new RegExp(`^siteledger needs Node 22\\.19 or newer, and [^\n]* is v${version}: [^\n]*\n$`)
    )
    assert.strictEqual(ran.stdout, "")
  })

  it("runs what is built as a child on Windows, and passes its exit code on", () => {
    const change = `Object.defineProperty(process, "platform", { value: "win32" }); process.execve = undefined`
    const ran = as(change, "nonsense")
    assert.strictEqual(ran.status, 2, ran.stderr)
    assert.match(ran.stderr, /Unknown subcommand/)
  })
})
