/** What a caller learns from a failure: the answer, its own line, its own options, and no secret. */
import { assert, describe, it } from "@effect/vitest"
import { accessToken, all, type Answer, clientSecret, errorOf, page, start } from "./RawService.ts"

describe("an error", () => {
  it("has the status, the service's own words and the id of the request", async () => {
    const refusal: Answer = {
      status: 422,
      headers: { "x-request-id": "req-81" },
      body: { error: "invalid", message: "url must be https" }
    }
    await using service = await start(() => refusal)
    const error = await errorOf(service.client.createWebhook({ url: "http://hooks.test", events: [] }))
    const { message, reason, requestId, serviceMessage, status } = error
    assert.deepStrictEqual(
      { message, reason, requestId, serviceMessage, status },
      {
        message: `The service refused the request (422). The service's words: "url must be https".`,
        reason: "Refused",
        requestId: "req-81",
        serviceMessage: "url must be https",
        status: 422
      }
    )
    assert.instanceOf(error, Error)
  })

  const forms: ReadonlyArray<readonly [unknown, string | undefined]> = [
    [{ errors: [{ detail: "no such project" }] }, "no such project"],
    [{ error: "invalid_scope", error_description: "no scope ipcs.read" }, "no scope ipcs.read"],
    ["plain\ntext", "plain text"],
    ["<html><body>Bad gateway</body></html>", undefined],
    [{ code: 7 }, undefined],
    [{ message: "x".repeat(5000) }, "x".repeat(300)]
  ]
  for (const [body, expected] of forms) {
    it(`takes ${JSON.stringify(expected)?.slice(0, 40)} from ${JSON.stringify(body).slice(0, 60)}`, async () => {
      await using service = await start(() => ({ status: 400, body }))
      const { serviceMessage } = await errorOf(service.client.request("GET", "/ipcs"))
      assert.strictEqual(serviceMessage, expected)
    })
  }

  it("repeats neither the token nor the secret, also if the service sends them back", async () => {
    const message = `Bearer ${accessToken} of ${clientSecret} (${accessToken.slice(0, 9)}…) isn't valid`
    await using service = await start(() => ({ status: 400, body: { message } }))
    const error = await errorOf(service.client.projectPage(1))
    assert.strictEqual(error.serviceMessage, "Bearer [secret] of [secret] ([secret] isn't valid")
    assert.notMatch(JSON.stringify(error) + error.message + error.stack, /at-7f3c9d|cs-01234/)
  })

  it("of a refused token has the status, and none of the token endpoint's words", async () => {
    const refusal: Answer = { status: 401, body: { error: "invalid_client", error_description: `not ${clientSecret}` } }
    await using service = await start(
      () => page(1),
      {},
      () => refusal
    )
    const { message, serviceMessage, status } = await errorOf(service.client.token())
    assert.deepStrictEqual([status, serviceMessage], [401, undefined])
    assert.strictEqual(
      message,
      "The service refused to give a token (401 invalid_client): check clientId and clientSecret."
    )
  })

  it("after giving up has what the service answered last", async () => {
    const down: Answer = { status: 503, headers: { "x-request-id": "req-9" }, body: { message: "maintenance" } }
    await using service = await start(() => down, { giveUpAfter: "2 seconds" })
    const { message, reason, requestId, serviceMessage, status } = await errorOf(service.client.projectPage(1))
    assert.deepStrictEqual([reason, status, requestId, serviceMessage], ["Unavailable", 503, "req-9", "maintenance"])
    assert.match(message, /^Given up after 2s\. .*503.*maintenance/)
  })

  it("without an answer has fetch's error as its cause", async () => {
    await using service = await start(() => ({ status: "reset" }), { giveUpAfter: "2 seconds" })
    const { cause, reason, status } = await errorOf(service.client.projectPage(1))
    assert.deepStrictEqual([reason, status], ["Unavailable", undefined])
    assert.instanceOf(cause, TypeError)
    assert.match(String((cause as TypeError).cause), /socket|ECONNRESET/i)
  })

  it("speaks of the caller's options, not of the worker's variables", async () => {
    for (const status of [301, 400, 401, 403, 404, 500]) {
      await using service = await start(() => ({ status }), { giveUpAfter: "1 second" })
      const error = await errorOf(service.client.projectPage(1))
      assert.notMatch(error.message, /SITELEDGER_|siteledger login/)
    }
  })
})

describe("a stack ends in the caller's code", () => {
  const frame = (error: Error) => error.stack?.split("\n")[1] ?? ""

  it("for a promise", async () => {
    await using service = await start(() => ({ status: 400 }))
    const { client } = service
    const calls = {
      async projectPage() {
        await client.projectPage(1)
      },
      async createWebhook() {
        await client.createWebhook({ url: "https://hooks.test", events: [] })
      },
      async request() {
        await client.request("GET", "/ipcs")
      }
    }
    for (const [name, call] of Object.entries(calls)) {
      const error = await errorOf(call())
      assert.match(frame(error), new RegExp(`\\b${name} \\(`))
      assert.include(frame(error), "ServiceError.test.ts")
      assert.include(error.stack, `ServiceError: ${error.message}`)
    }
  })

  it("for a loop, on its first and on a later page", async () => {
    await using service = await start(({ what }) => (what.includes("page=1&") ? page(2, 4) : { status: 400 }))
    const seen: Array<number> = []
    const loop = async () => {
      for await (const { id } of service.client.projects()) seen.push(id)
    }
    const later = await errorOf(loop())
    assert.deepStrictEqual(seen, [0, 1])
    assert.match(frame(later), /loop .*ServiceError\.test\.ts/)
    await using refusing = await start(() => ({ status: 403 }))
    const first = await errorOf(all(refusing.client))
    assert.include(first.stack, "ServiceError.test.ts")
  })
})
