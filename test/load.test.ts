/**
 * The loader (bin/load.ts) with a small program: that a process runs from the code that an earlier one kept, that it
 * never runs code of another program or damaged code, and that it doesn't hold the code in memory.
 */
import { spawn, spawnSync } from "node:child_process"
import {
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { asFunction } from "../bin/build.ts"
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

const made = (code: string) => {
  const root = temporaryFolder()
  const folder = join(root, "cache")
  copyFileSync(main, join(root, "main.cjs"))
  writeFileSync(join(root, "hook.cjs"), hook)
  const change = (next: string) => {
    for (const name of ["worker", "verbs"]) writeFileSync(join(root, `${name}.cjs`), asFunction(next))
  }
  change(code)
  const given = (env: NodeJS.ProcessEnv): [string, Array<string>, object] => [
    process.execPath,
    ["--expose-gc", "--require", join(root, "hook.cjs"), join(root, "main.cjs")],
    { cwd: root, encoding: "utf8", env, timeout: 9_000 }
  ]
  const run = (verb = "verb", env: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: folder }, flags: Array<string> = []) => {
    const [node, usual, options] = given(env)
    const { status, stderr, stdout } = spawnSync(node, [...flags, ...usual, ...verb.split(" ")], options)
    return { status, from: String(stderr), said: String(stdout) }
  }
  const begin = () => {
    const [node, flags, options] = given({ NODE_COMPILE_CACHE: folder })
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
    const { folder, run } = made(saying("one"))
    const disabled = { NODE_COMPILE_CACHE: folder, NODE_DISABLE_COMPILE_CACHE: "1" }
    for (const env of [{}, disabled, { NODE_COMPILE_CACHE: "main.cjs" }, { NODE_COMPILE_CACHE: "main.cjs/cache" }]) {
      for (const _ of [1, 2]) assert.deepStrictEqual(run("verb", env), ran("one", "compiled"))
    }
    run("verb", { NODE_COMPILE_CACHE: "cache" })
    assert.deepStrictEqual(run(), ran("one", "kept"))
    assert.isFalse(readdirSync(folder).some((name) => /\.\d+-\d+$/.test(name)))
  })

  it("keeps no code of a process that failed, or that only said what there is", () => {
    const { change, files, run } = made("console.log(process.argv[2]); process.exitCode = 3")
    assert.deepStrictEqual(run(), { status: 3, from: "compiled", said: "verb\n" })
    change(`${saying("one")}; throw new Error("broken")`)
    const { from, said, status } = run()
    assert.deepStrictEqual({ said, status }, { said: "one\n", status: 1 })
    assert.match(from, /^compiled[^]*Error: broken/)
    change(saying("two"))
    for (const words of ["--help", "--version", "verb -h", "--completions bash"])
      assert.deepStrictEqual(run(words), ran("two", "compiled"))
    assert.deepStrictEqual(files(), [])
    run()
    assert.deepStrictEqual(run("verb --help"), ran("two", "kept"))
  })

  it("runs the worker only if nothing else is asked for", () => {
    const { root, run } = made(saying("worker"))
    writeFileSync(join(root, "verbs.cjs"), asFunction(saying("verbs")))
    assert.strictEqual(run("start").said, "worker\n")
    for (const words of ["start --help", "start --completions bash", "status"])
      assert.strictEqual(run(words).said, "verbs\n")
  })

  it("compiles the source if V8 refuses the code, and keeps the new code", () => {
    const { files, folder, run } = made(saying("one"))
    run()
    const [ofUsual = ""] = files()
    const flags = ["--no-opt"]
    run("verb", undefined, flags)
    const ofOther = files().find((name) => name !== ofUsual) ?? ""
    copyFileSync(join(folder, ofUsual), join(folder, ofOther))
    assert.deepStrictEqual(run("verb", undefined, flags), ran("one", "compiled"))
    assert.deepStrictEqual(run("verb", undefined, flags), ran("one", "kept"))
    assert.deepStrictEqual(run(), ran("one", "kept"))
  })

  it("leaves nothing unfinished if the code can't be put in its place", () => {
    const { folder, kept, run } = made(saying("one"))
    run()
    const path = kept()
    rmSync(path)
    mkdirSync(path)
    assert.deepStrictEqual(run(), ran("one", "compiled"))
    assert.deepStrictEqual(
      readdirSync(folder).filter((name) => name.startsWith("siteledger-")),
      [basename(path)]
    )
  })

  it.skipIf(process.getuid?.() !== 0)("never runs code that another user wrote (skipped unless run as root)", () => {
    const { kept, run } = made(saying("one"))
    run()
    chownSync(kept(), 12_345, 12_345)
    assert.deepStrictEqual(run(), ran("one", "compiled"))
    assert.strictEqual(statSync(kept()).uid, 0)
    assert.deepStrictEqual(run(), ran("one", "kept"))
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
