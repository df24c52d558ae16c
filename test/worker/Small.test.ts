/**
 * A running worker stays small: it has one thread beside its own, neither loads a part of Node that takes much memory
 * before something needs it (bin/lazy.ts, bin/build.ts), and both give their garbage back after a quiet minute.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { FormData, Segmenter } from "../../bin/lazy.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { until } from "../RunningWorker.ts"
import { World } from "./World.ts"

/** Each thread's note of what it has loaded when it ends, and which constructors of Intl it has used. */
const noting = `
const { threadId } = require("node:worker_threads")
const used = []
for (const name of Object.getOwnPropertyNames(Intl)) {
  const own = Intl[name]
  if (typeof own !== "function" || own.prototype === undefined) continue
  Intl[name] = new Proxy(own, { construct: (target, args) => (used.push(name), new target(...args)) })
}
process.on("exit", () => {
  const note = { loaded: process.moduleLoadList, used }
  require("node:fs").writeFileSync(require("node:path").join(__dirname, threadId + ".json"), JSON.stringify(note))
})
`

/** Each thread notes when it gets V8's function that collects garbage. A minute lasts half a second. */
const resting = `
const { threadId } = require("node:worker_threads")
const vm = require("node:vm")
const { setTimeout } = globalThis
globalThis.setTimeout = (call, ms, ...given) => setTimeout(call, ms === 60_000 ? 500 : ms, ...given)
const { runInNewContext } = vm
vm.runInNewContext = (code, ...given) => {
  if (code === "gc") require("node:fs").writeFileSync(require("node:path").join(__dirname, threadId + ".rested"), "")
  return runInNewContext(code, ...given)
}
`

interface Note {
  readonly loaded: ReadonlyArray<string>
  readonly used: ReadonlyArray<string>
}

it("a segmenter and a form are those of Node once they are used", () => {
  const [lazy, own] = [new Segmenter("en", { granularity: "grapheme" }), new Intl.Segmenter("en")]
  assert.deepStrictEqual([...lazy.segment("e\u0301a\u0300")], [...own.segment("e\u0301a\u0300")])
  const form: unknown = new FormData()
  assert.instanceOf(form, globalThis.FormData)
  assert.instanceOf(form, FormData)
  for (const other of [undefined, null, {}, "[object FormData]", new Blob([])])
    assert.isFalse(other instanceof FormData)
})

it("a worker that has received and applied a delivery has loaded neither fetch nor Intl, in two threads", async () => {
  const folder = temporaryFolder()
  const hook = join(folder, "hook.cjs")
  writeFileSync(hook, noting)
  try {
    await using world = await World.open({ projects: 3 }, {})
    const worker = world.start({ NODE_OPTIONS: `--require=${hook}` })
    await worker.live()
    assert.strictEqual(await world.server.deliver({ type: "ipc.certified" }), 200)
    await worker.status("it is applied", ({ inbox, lastEventAt }) => inbox.pending === 0 && lastEventAt !== null)
    assert.strictEqual((await worker.stop()).code, 0)
    const names = readdirSync(folder).filter((name) => name.endsWith(".json"))
    const notes = names.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Note)
    assert.strictEqual(notes.length, 2)
    for (const { loaded, used } of notes) {
      assert.deepStrictEqual(used, [])
      assert.include(loaded, "NativeModule http")
      assert.deepStrictEqual(
        loaded.filter((name) => name.includes("undici")),
        []
      )
    }
  } finally {
    removeFolder(folder)
  }
})

it("each thread of a worker gives its garbage back after a quiet minute, and again after more work", async () => {
  const folder = temporaryFolder()
  const hook = join(folder, "hook.cjs")
  writeFileSync(hook, resting)
  const rested = () => readdirSync(folder).filter((name) => name.endsWith(".rested"))
  try {
    await using world = await World.open({ projects: 3 }, {})
    const worker = world.start({ NODE_OPTIONS: `--require=${hook}` })
    await worker.live()
    const both = () => until("both threads have rested", async () => (rested().length === 2 ? true : undefined))
    await both()
    for (const name of rested()) rmSync(join(folder, name))
    assert.strictEqual(await world.server.deliver({ type: "ipc.certified" }), 200)
    await both()
  } finally {
    removeFolder(folder)
  }
})
