/** `siteledger doctor --payload`, as a person uses it: before anything else is configured. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { run } from "../../RunningWorker.ts"

const path = process.env["PATH"] ?? ""

describe("doctor --payload", () => {
  it("shows what is read, suggests the two files, and reads the sample with them", async () => {
    const folder = temporaryFolder()
    const sample = join(folder, "sample.json")
    const body = {
      type: "ipc.paid",
      at: "2026-01-02T03:04:05Z",
      object: { ipc_id: 7, paymentReference: "P-1\u001b[31m" }
    }
    writeFileSync(sample, JSON.stringify(body))
    const before = await run({ PATH: path }, "doctor", "--payload", sample)
    assert.strictEqual(before.code, 1, before.stderr)
    assert.match(before.stdout, /^A delivery that would wait in quarantine/)
    assert.notInclude(before.stdout, "\u001b")
    const fileOf = (variable: string): string => {
      const text = new RegExp(`file of ${variable}:\n +(.+)`).exec(before.stdout)?.[1] ?? ""
      writeFileSync(join(folder, variable), text)
      return join(folder, variable)
    }
    const names = ["SITELEDGER_ENVELOPE", "SITELEDGER_FIELD_ALIASES"]
    const files = Object.fromEntries(names.map((name) => [name, fileOf(name)]))
    const after = await run({ PATH: path, ...files }, "doctor", "--payload", sample)
    assert.strictEqual(after.code, 0, after.stderr)
    assert.match(after.stdout, /^A delivery, ipc\.paid\.\n[^]*ipc_id +7 +from object\.ipc_id/)
    const asJson = JSON.parse(
      (await run({ PATH: path, ...files }, "doctor", "--json", "--payload", sample)).stdout
    ) as object
    assert.deepInclude(asJson, { kind: "delivery", isReadable: true, suggested: null })
    removeFolder(folder)
  })

  it("says which file it can't read", async () => {
    const missing = await run({ PATH: path }, "doctor", "--payload", "no-such-sample.json")
    assert.strictEqual(missing.code, 1)
    assert.match(missing.stderr, /no-such-sample\.json can't be read: ENOENT\./)
  })
})
