/** A signal ends a call at once, at any point, and affects nothing else. */
import { getEventListeners } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import type { CallOptions, Client } from "../../../connectors/construction/Client.ts"
import { all, type Answer, page, rejectionOf, start } from "./RawService.ts"

const calls: Readonly<Record<string, (client: Client, options: CallOptions) => Promise<unknown>>> = {
  projectPage: (client, options) => client.projectPage(1, options),
  createWebhook: (client, options) => client.createWebhook({ url: "https://hooks.test", events: [] }, options),
  request: (client, { signal }) => client.request("POST", "/ncrs", { signal, body: {} }),
  token: (client, options) => client.token(options),
  projects: (client, options) => all(client, options)
}

const silence: Answer = { status: "silence" }
const reason = { because: "the user left" }

describe("an aborted signal", () => {
  for (const [name, call] of Object.entries(calls)) {
    it(`rejects ${name} with its reason, before and during the wait for a token`, async () => {
      await using service = await start(
        () => page(1),
        {},
        () => silence
      )
      assert.strictEqual(await rejectionOf(call(service.client, { signal: AbortSignal.abort(reason) })), reason)
      assert.deepStrictEqual(service.tokens, [])
      const controller = new AbortController()
      const error = rejectionOf(call(service.client, controller))
      await service.reached(1, service.tokens)
      controller.abort(reason)
      assert.strictEqual(await error, reason)
      assert.deepStrictEqual(getEventListeners(controller.signal, "abort"), [])
    })
  }

  it("ends the request under way", async () => {
    await using service = await start(() => silence)
    const controller = new AbortController()
    const error = rejectionOf(service.client.projectPage(1, controller))
    await service.reached(1)
    controller.abort()
    assert.strictEqual(((await error) as Error).name, "AbortError")
  })

  it("ends the wait for a turn in the plan, and leaves the turn to others", async () => {
    // Turns are 2 s apart: the token's, and one page's.
    await using service = await start(() => page(1), { requestsPerMinute: 30 })
    await service.client.token()
    const controller = new AbortController()
    const aborted = rejectionOf(service.client.projectPage(1, controller))
    const other = service.client.projectPage(1)
    controller.abort(reason)
    assert.strictEqual(await aborted, reason)
    assert.deepStrictEqual(service.asked, [])
    assert.strictEqual((await other).data.length, 1)
    assert.strictEqual(service.asked.length, 1)
  })

  it("ends the wait after a 429, and of a time-out with its own error", async () => {
    await using service = await start(() => ({ status: 429, headers: { "retry-after": "60" } }))
    const error = await rejectionOf(service.client.projectPage(1, { signal: AbortSignal.timeout(1000) }))
    assert.strictEqual((error as Error).name, "TimeoutError")
    assert.strictEqual(service.asked.length, 1)
  })

  it("ends a loop in the middle of a page and at the next one", async () => {
    await using service = await start(({ what }) => (what.includes("page=1&") ? page(3, 6) : silence))
    for (const last of [1, 2]) {
      const controller = new AbortController()
      const seen: Array<number> = []
      const loop = async () => {
        for await (const { id } of service.client.projects(controller)) {
          seen.push(id)
          if (id === 1 && last === 1) controller.abort(reason)
          if (id === 2) setTimeout(() => controller.abort(reason), 50)
        }
      }
      assert.strictEqual(await rejectionOf(loop()), reason)
      assert.deepStrictEqual(seen, [0, 1, 2].slice(0, last + 1))
    }
  })
})

it("a signal that isn't aborted is let go after each call", async () => {
  await using service = await start(() => page(1))
  const { signal } = new AbortController()
  await service.client.projectPage(1, { signal })
  await all(service.client, { signal })
  await rejectionOf(service.client.request("GET", "no path", { signal }))
  assert.deepStrictEqual(getEventListeners(signal, "abort"), [])
})
