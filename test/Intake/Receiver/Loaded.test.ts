/** The receiver's thread starts fast and stays small: it loads nothing of Node's that it doesn't use. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"

it("the receiver's module doesn't load Node's client for fetch", async () => {
  const url = new URL("../../../src/Intake/Receiver/receiving.ts", import.meta.url).href
  const program = `await import(${JSON.stringify(url)}); console.log(process.moduleLoadList.join("\\n"))`
  const options = ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program]
  const { stdout } = await promisify(execFile)(process.execPath, options)
  const loaded = stdout.trim().split("\n")
  assert.include(loaded, "NativeModule http")
  assert.deepStrictEqual(
    loaded.filter((name) => name.includes("undici")),
    []
  )
})
