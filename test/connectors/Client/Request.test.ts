/** Any request: what is sent, what is read, and which requests are repeated. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import packageJson from "../../../packages/client/package.json" with { type: "json" }
import type { Options } from "../../../connectors/construction/Client.ts"
import { accessToken, type Answer, clientSecret, errorOf, page, start } from "./RawService.ts"

const fine: Answer = { status: 200, body: { ok: true } }

describe("a request", () => {
  it("carries its path, query and body, the token and the library's name", async () => {
    await using service = await start(() => fine)
    const answer = await service.client.request("POST", "/ipcs/{ipc_id}/notes/{n}", {
      params: { ipc_id: "IPC 1/é", n: 7 },
      query: { tag: ["a", "b"], draft: true, page: 2, none: undefined },
      body: { text: "checked" }
    })
    assert.deepStrictEqual(answer, { ok: true })
    const [asked] = service.asked
    assert.strictEqual(asked?.what, "POST /ipcs/IPC%201%2F%C3%A9/notes/7?tag=a&tag=b&draft=true&page=2")
    assert.strictEqual(asked?.body, '{"text":"checked"}')
    const { accept, authorization, "content-type": type } = asked?.headers ?? {}
    assert.deepStrictEqual(
      [accept, authorization, type],
      ["application/json", `Bearer ${accessToken}`, "application/json"]
    )
  })

  it("like every other names the library, its version and its homepage", async () => {
    await using service = await start(() => page(1))
    await service.client.projectPage(1)
    await service.client.request("GET", "/projects")
    const name = `siteledger-client/${packageJson.version} (+https://github.com/siteledger/siteledger)`
    assert.deepStrictEqual(
      [...service.tokens, ...service.asked].map(({ headers }) => headers["user-agent"]),
      [name, name, name]
    )
  })

  it("for a token has the secret in its form, and with HTTP Basic if the service or an option wants that", async () => {
    const given: Answer = { status: 200, body: { access_token: accessToken } }
    const wanted: Answer = { status: 401, headers: { "www-authenticate": 'Basic realm="x"' } }
    const sent = async (options: Partial<Options>, ...answers: ReadonlyArray<Answer>) => {
      const left = [...answers]
      await using service = await start(
        () => fine,
        options,
        () => left.shift() ?? given
      )
      await service.client.request("GET", "/ipcs")
      return service.tokens.map(({ body, headers }) => [
        headers.authorization,
        new URLSearchParams(body).has("client_secret")
      ])
    }
    const basic = [`Basic ${btoa(`client:${clientSecret}`)}`, false]
    assert.deepStrictEqual(await sent({}), [[undefined, true]])
    assert.deepStrictEqual(await sent({}, wanted), [[undefined, true], basic])
    assert.deepStrictEqual(await sent({ tokenAuth: "basic" }), [basic])
  })

  it("stays below the base address", async () => {
    await using service = await start(() => fine)
    const { request } = service.client
    const wrong = [
      request("GET", "https://elsewhere.test/"),
      request("GET", "@elsewhere.test"),
      request("GET", "/ipcs/{id}"),
      request("GET", "/ipcs/{id}", { params: { id: ".." } }),
      request("POST", "/ipcs", { body: 1n })
    ]
    for (const error of await Promise.all(wrong.map(errorOf))) assert.strictEqual(error.reason, "Options")
    assert.deepStrictEqual(service.asked, [])
  })
})

describe("an answer", () => {
  it("is checked by a schema, which types it", async () => {
    await using service = await start(() => ({ status: 200, body: { ipc_id: "IPC-1", amount: 12.5 } }))
    const Ipc = Schema.Struct({ ipc_id: Schema.String, amount: Schema.Finite })
    const ipc = await service.client.request("GET", "/ipcs/1", { schema: Schema.toStandardSchemaV1(Ipc) })
    const amount: number = ipc.amount
    assert.strictEqual(amount, 12.5)
    const Other = Schema.toStandardSchemaV1(Schema.Struct({ ipc_id: Schema.Finite }))
    const error = await errorOf(service.client.request("GET", "/ipcs/1", { schema: Other }))
    assert.deepStrictEqual([error.reason, error.status], ["NotAsPromised", 200])
    assert.match(error.message, /^GET \/ipcs\/1 answered something that the schema doesn't accept: .*number/)
    assert.isArray(error.cause)
    assert.strictEqual(service.asked.length, 2)
  })

  it("has numbers, unless a double can't hold one", async () => {
    const body = '{"a":1250000.50,"b":1e3,"c":[-0.10],"d":12345678901234567890.12}'
    await using service = await start(() => ({ status: 200, body }))
    const answer = (await service.client.request("GET", "/amounts")) as Readonly<Record<string, unknown>>
    assert.deepStrictEqual([answer["a"], answer["b"], answer["c"]], [1_250_000.5, 1000, [-0.1]])
    assert.strictEqual(JSON.stringify(answer["d"]), "12345678901234567890.12")
    assert.isNotNumber(answer["d"])
  })

  it("without content is undefined", async () => {
    await using service = await start(() => ({ status: 204 }))
    assert.isUndefined(await service.client.request("DELETE", "/ncrs/1"))
  })

  it("of another type isn't read, and not asked for again", async () => {
    await using service = await start(() => ({ status: 200, headers: { "content-type": "text/csv" }, body: "a;b" }))
    const { message, reason } = await errorOf(service.client.request("GET", "/report"))
    assert.strictEqual(reason, "NotAsPromised")
    assert.strictEqual(message, "GET /report answered text/csv, and only JSON is read; fetch it with `token`.")
    assert.strictEqual(service.asked.length, 1)
  })

  it("of 404 names the address, which may be right and its record gone", async () => {
    await using service = await start(() => ({ status: 404, body: { message: "no IPC-9" } }))
    const error = await errorOf(service.client.request("GET", "/ipcs/{id}", { params: { id: "IPC-9" } }))
    assert.deepStrictEqual([error.reason, error.status], ["Refused", 404])
    assert.match(error.message, /^The service has no such address or record \(404\): GET \/ipcs\/\{id\}\. .*"no IPC-9"/)
  })
})

describe("after a failure that leaves open what was done", () => {
  const failures: Readonly<Record<string, Answer>> = {
    "503": { status: 503 },
    "408": { status: 408 },
    "a reset": { status: "reset" }
  }
  for (const [name, failure] of Object.entries(failures)) {
    it(`(${name}) GET, PUT and DELETE are sent again, POST and PATCH only if asked`, async () => {
      await using service = await start((_asked, before) => (before === 0 ? failure : fine))
      const { request } = service.client
      for (const method of ["GET", "PUT", "DELETE"] as const) {
        assert.deepStrictEqual(await request(method, "/ncrs/1"), { ok: true })
      }
      assert.deepStrictEqual(await request("POST", "/asked", { retry: true }), { ok: true })
      assert.strictEqual(service.asked.length, 8)
      for (const method of ["POST", "PATCH"] as const) {
        const { message, reason } = await errorOf(request(method, "/ncrs"))
        assert.strictEqual(reason, "Unavailable")
        assert.match(message, new RegExp(`^${method} /ncrs isn't repeated, because it may have been carried out\\.`))
      }
      assert.strictEqual(service.asked.length, 10)
      await errorOf(request("GET", "/never", { retry: false }))
      assert.strictEqual(service.asked.length, 11)
    })
  }

  it("(half an answer) a POST isn't sent again", async () => {
    await using service = await start(() => ({ status: 201, body: '{"id": ' }))
    const { reason, status } = await errorOf(service.client.request("POST", "/ncrs"))
    assert.deepStrictEqual([reason, status], ["NotAsPromised", 201])
    assert.strictEqual(service.asked.length, 1)
  })
})

it("a POST that the service hasn't carried out is sent again", async () => {
  const answers: ReadonlyArray<Answer> = [{ status: 429, headers: { "retry-after": "0" } }, { status: 401 }, fine]
  await using service = await start((_asked, before) => answers[before] ?? fine)
  assert.deepStrictEqual(await service.client.request("POST", "/ncrs"), { ok: true })
  assert.strictEqual(service.asked.length, 3)
  assert.strictEqual(service.tokens.length, 2)
})
