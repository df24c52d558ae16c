import { spawn } from "node:child_process"
import { once } from "node:events"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Document } from "../../../sandbox/Description/OpenApi.ts"
import { freePort, run, until } from "../../RunningWorker.ts"
import { operationsOf } from "./Started.ts"

const root = resolve(import.meta.dirname, "../../..")
const environment = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" }

/** What the sandbox serves to a client without a token, and how its first company looks. */
const served = async (...given: ReadonlyArray<string>) => {
  const port = String(await freePort())
  const child = spawn(join(root, "bin/siteledger"), ["sandbox", "--port", port, ...given], { env: environment })
  const address = `http://127.0.0.1:${port}`
  const answer = await until("it listens", () => fetch(`${address}/v1/openapi.json`).catch(() => undefined))
  const document = (await answer.json()) as Document
  const client = { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }
  const granted = await fetch(`${address}/oauth/token`, { method: "POST", body: new URLSearchParams(client) })
  const { access_token } = (await granted.json()) as { readonly access_token: string }
  const headers = { authorization: `Bearer ${access_token}` }
  const companies = await fetch(`${address}/v1/companies`, { headers })
  const text = await companies.text()
  child.kill("SIGTERM")
  await once(child, "close")
  return { operations: operationsOf(document, address).length, status: companies.status, text }
}

describe("siteledger sandbox --openapi", () => {
  it("full serves 854 operations, with as many records as asked for and the faults that are given", async () => {
    const { operations, status, text } = await served(
      "--openapi",
      "full",
      "--records",
      "3",
      "--resource-fault",
      "companies=no-id"
    )
    assert.strictEqual(operations, 854)
    assert.strictEqual(status, 200)
    const { data, pagination } = JSON.parse(text) as {
      readonly data: ReadonlyArray<Readonly<Record<string, unknown>>>
      readonly pagination: { readonly total: number }
    }
    assert.strictEqual(pagination.total, 3)
    assert.property(data[0], "name")
    assert.notProperty(data[0], "id")
  })

  it("isn't full by default", async () => {
    const { operations, status } = await served()
    assert.deepStrictEqual([operations, status], [21, 404])
  })

  it("names the faults of a resource and exits with 2 if asked for another, or for a resource that isn't there", async () => {
    for (const wrong of ["rfis=lost", "nothing=no-id", "rfis"]) {
      const { code, stderr } = await run(environment, "sandbox", "--port", "0", "--resource-fault", wrong)
      assert.strictEqual(code, 2)
      assert.include(stderr, `"${wrong}". Expected: RESOURCE=FAULT, where FAULT is one of other-type, new-field, no-`)
    }
  })
})
