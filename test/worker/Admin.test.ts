/**
 * The admin listener as programs see it: who may ask, how wrong arguments are refused, and that a verb gives the same
 * answer whether the worker or the command line carries it out.
 */
import { randomUUID } from "node:crypto"
import { request } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { AdminApi } from "../../src/Operate/AdminApi.ts"
import type { Finished, RunningWorker } from "../RunningWorker.ts"
import { Sender } from "./Ledger/Sender.ts"
import { World } from "./World.ts"

interface Answered {
  readonly status: number | undefined
  readonly type: string | undefined
  readonly text: string
}

/** `fetch` doesn't allow another Host header. */
const ask = (worker: RunningWorker, method: string, path: string, headers: Record<string, string>, body = "") =>
  new Promise<Answered>((resolve, reject) => {
    const asked = request(`${worker.note()?.admin}${path}`, { method, headers })
    asked.on("error", reject)
    asked.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      response.on("end", () => resolve({ status: response.statusCode, type: response.headers["content-type"], text }))
    })
    asked.end(body)
  })

const refusal = (status: number, error: string): Answered => ({
  status,
  type: "application/json",
  text: `${JSON.stringify({ error })}\n`
})

const event = (type: string, contents: object) => ({
  type,
  id: randomUUID(),
  body: JSON.stringify({ ...contents, event_timestamp: "2026-11-19T10:00:00Z" })
})

/** One posted, one waiting. */
const events = [
  event("ipc.certified", { ipc_id: "1", certified_amount: "12.50", certificate_url: "https://c/1" }),
  event("ipc.paid", { ipc_id: "1", payment_reference: "PAY-1" }),
  event("ipc.paid", { ipc_id: "2", payment_reference: "PAY-2" })
]

/** In order. */
const namesIn = (json: string): ReadonlyArray<string> => json.match(/"\w+":/g) ?? []

const printed = ({ code, stderr, stdout }: Finished): string => {
  assert.strictEqual(code, 0, stderr)
  return stdout
}

describe("the admin listener", () => {
  it("changes nothing without the token, and reveals nothing under a foreign Host name", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const paths = Object.values(AdminApi.groups.verbs.endpoints).map(({ path }) => path)
    assert.include(paths, "/verbs/export")
    const headers: ReadonlyArray<Record<string, string>> = [{}, { authorization: "Bearer of-another" }]
    for (const path of paths) {
      for (const header of headers) {
        assert.deepStrictEqual(await ask(worker, "POST", path, header, "{}"), refusal(401, "A valid token is needed."))
      }
    }
    for (const path of ["/status", "/metrics"]) {
      assert.deepStrictEqual(
        await ask(worker, "GET", path, { host: "evil.example" }),
        refusal(403, "This listener answers to localhost only.")
      )
    }
  })

  it("says in one sentence which argument is wrong, without its value", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const headers = { authorization: `Bearer ${worker.note()?.token}` }
    const verb = (name: string, body: string) => ask(worker, "POST", `/verbs/${name}`, headers, body)
    const opening = { ipcId: "1", amount: "1", certificate: "" }
    const cases: ReadonlyArray<readonly [name: string, body: string, sentence: string]> = [
      ["backup", "", "The argument path is missing."],
      ["backup", '{"path": "/x", "replace": "yes"}', "The argument replace is wrong: expected boolean."],
      ["replay", '{"id": "1204"}', "There is no argument id."],
      ["secret-add", '{"secret": 12345678}', "The argument secret is wrong: expected string."],
      ["ledger-list", '{"limit": "2"}', "The argument limit is wrong: expected number."],
      [
        "ledger-opening",
        JSON.stringify({ by: "Ana", openings: [opening] }),
        "The argument openings.0.certificate is wrong: expected a value with a length of at least 1."
      ],
      ["replay", "{", "The arguments aren't a JSON object."]
    ]
    for (const [name, body, sentence] of cases) {
      assert.deepStrictEqual(await verb(name, body), refusal(500, sentence))
    }
    const nothing = { status: 200, type: "application/json", text: '{"read":0,"applied":0}\n' }
    assert.deepStrictEqual(await verb("replay", ""), nothing)
  })

  it("answers as the command line does without a worker", { timeout: 120_000 }, async () => {
    await using world = await World.open({ projects: 3 })
    using sender = new Sender(world)
    const worker = world.start()
    await worker.live()
    await sender.deliver(events)
    await worker.status("posted", ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === 1)
    const [held] = await world.store("select hold_id from ledger_holds")
    const verbs: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
      ["ledger", "list", "--json"],
      ["ledger", "holds", "--json", "--all"],
      ["ledger", "show", String(held?.["hold_id"])],
      ["ledger", "verify"],
      ["ledger", "preview"],
      ["explain", "1", "--json"]
    ]
    const run = async () => {
      const outputs: Array<string> = []
      for (const verb of verbs) outputs.push(printed(await world.run(...verb)))
      return outputs
    }
    const beside = await run()
    const shown = printed(await world.run("status", "--json"))
    assert.deepStrictEqual(namesIn(shown), namesIn((await ask(worker, "GET", "/status", {})).text))
    await worker.stop()
    assert.deepStrictEqual(await run(), beside)
  })
})
