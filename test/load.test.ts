/**
 * The loader (bin/load.ts) with a small program: that a process runs from the code that an earlier one kept, that it
 * never runs code of another program or damaged code, and that it doesn't hold the code in memory.
 */
import { spawn, spawnSync } from "node:child_process"
import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { temporaryFolder } from "./Folders.ts"
import { main } from "./GlobalSetup/Main.ts"
import { until } from "./RunningWorker.ts"

/** Says on stderr whether V8 took the code that was kept, and shortens the time until a worker keeps its own. */
const hook = `
const vm = require("node:vm")
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options)
    process.stderr.write(this.cachedDataRejected === false ? "kept" : "compiled")
  }
}
const { setTimeout: own } = globalThis
globalThis.setTimeout = (use, millis) => own(use, millis === 10_000 && process.argv[2] === "start" ? 0 : millis)
`

const wrapped = (code: string): string => `(function (exports, require, module, __filename, __dirname) {${code}\n})\n`

const made = (code: string) => {
  const root = temporaryFolder()
  const folder = join(root, "cache")
  copyFileSync(main, join(root, "main.cjs"))
  writeFileSync(join(root, "hook.cjs"), hook)
  const change = (next: string) => {
    for (const name of ["worker", "verbs"]) writeFileSync(join(root, `${name}.cjs`), wrapped(next))
  }
  change(code)
  const given = (at: string): [string, Array<string>, object] => [
    process.execPath,
    ["--expose-gc", "--require", join(root, "hook.cjs"), join(root, "main.cjs")],
    { encoding: "utf8", env: { NODE_COMPILE_CACHE: at }, timeout: 9_000 }
  ]
  const run = (verb = "verb", at = folder) => {
    const [node, flags, options] = given(at)
    const { status, stderr, stdout } = spawnSync(node, [...flags, verb], options)
    return { status, from: String(stderr), said: String(stdout) }
  }
  const begin = () => {
    const [node, flags, options] = given(folder)
    return spawn(node, [...flags, "start"], options)
  }
  const files = (): ReadonlyArray<string> => {
    try {
      return readdirSync(folder).filter((name) => name.startsWith("siteledger-"))
    } catch {
      return []
    }
  }
  const kept = (): string => join(folder, files()[0] ?? "")
  return { root, folder, change, run, begin, files, kept }
}

const saying = (what: string): string => `console.log(${JSON.stringify(what)})`

const ran = (said: string, from: "compiled" | "kept") => ({ status: 0, from, said: `${said}\n` })

describe("bin/load.ts", () => {
  it("runs the program from the code that an earlier process kept, of a worker or of a verb", () => {
    const { files, kept, run } = made(saying("one"))
    assert.deepStrictEqual(run(), ran("one", "compiled"))
    assert.deepStrictEqual(run(), ran("one", "kept"))
    assert.strictEqual(statSync(kept()).mode & 0o777, 0o600)
    assert.deepStrictEqual(run("start"), ran("one", "compiled"))
    assert.deepStrictEqual(run("start"), ran("one", "kept"))
    assert.strictEqual(files().length, 2)
  })

  it("never runs the code of another program, even if that is as long", () => {
    const { change, files, run } = made(saying("one"))
    run()
    change(saying("two"))
    assert.deepStrictEqual(run(), ran("two", "compiled"))
    assert.deepStrictEqual(run(), ran("two", "kept"))
    assert.strictEqual(files().length, 1)
  })

  it("compiles the source if the code is torn or has another bit, and keeps the new code", () => {
    const { kept, run } = made(saying("one"))
    run()
    const whole = readFileSync(kept())
    for (const bytes of [0, 5, 8, whole.length >> 1]) {
      truncateSync(kept(), bytes)
      assert.deepStrictEqual(run(), ran("one", "compiled"))
      assert.deepStrictEqual(run(), ran("one", "kept"))
    }
    for (const at of [0, 4, 8, whole.length - 1]) {
      writeFileSync(
        kept(),
        whole.map((byte, index) => (index === at ? byte ^ 1 : byte))
      )
      assert.deepStrictEqual(run(), ran("one", "compiled"))
      assert.deepStrictEqual(run(), ran("one", "kept"))
    }
  })

  it("runs without a folder, and with one that can't be made", () => {
    const { folder, root, run } = made(saying("one"))
    assert.deepStrictEqual(run("verb", ""), ran("one", "compiled"))
    for (const at of [join(root, "main.cjs"), join(root, "main.cjs/cache")])
      assert.deepStrictEqual(run("verb", at), ran("one", "compiled"))
    run()
    assert.isFalse(readdirSync(folder).some((name) => /\.\d+$/.test(name)))
  })

  it("keeps the code of a worker that is killed later", async () => {
    const { begin, files, run } = made(`process.stdin.resume()\nprocess.stdin.on("end", () => ${saying("ended")})`)
    const child = begin()
    await until("the code is kept", async () => files().find((name) => /worker-[0-9a-f]+$/.test(name)))
    const exit = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await exit
    assert.deepStrictEqual(run("start"), ran("ended", "kept"))
  })

  it("holds neither the source nor the code as bytes, nor lets Node keep them", () => {
    const called = Array.from({ length: 3000 }, (_, at) => `const f${at} = (x) => x + ${at}.5 * x; f${at}(${at})`)
    const held = "setImmediate(() => { gc(); console.log(process.memoryUsage().arrayBuffers) })"
    const { folder, kept, run } = made([...called, held].join("\n"))
    run()
    const code = statSync(kept()).size
    assert.isAbove(code, 400_000)
    const { from, said } = run()
    assert.strictEqual(from, "kept")
    assert.isBelow(Number(said), code / 4)
    const byNode = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => statSync(join(folder, name)))
      .filter((entry) => entry.isFile() && entry.size !== code)
    assert.isBelow(Math.max(...byNode.map(({ size }) => size)), code / 4)
    assert.strictEqual(dirname(kept()), folder)
  })
})
