/** Which proxy requests go through: with a real one that answers in place of all servers. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { HttpClient } from "effect/http"
import { proxies } from "../../config/Proxies.ts"
import * as Client from "../../src/Lake/S3/Client.ts"
import { layerPatient } from "../../src/Runtime/Http.ts"
import { layerHttp } from "../../src/Runtime/Program.ts"

const names = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"]
beforeEach(() => {
  for (const name of names) {
    delete process.env[name]
    delete process.env[name.toLowerCase()]
  }
})

/** It sees what is asked of it, and what is asked in tunnels, which lead to itself. */
const proxy = Effect.acquireRelease(
  Effect.promise(async () => {
    const asked: Array<string> = []
    const given: Array<string | undefined> = []
    const server = createServer((request, response) => {
      given.push(request.headers["proxy-authorization"])
      asked.push(new URL(request.url ?? "", `http://${request.headers.host}`).href)
      response.end("by the proxy")
    })
    server.on("connect", (_, socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n")
      server.emit("connection", socket)
    })
    await once(server.listen(0, "127.0.0.1"), "listening")
    const { port } = server.address() as AddressInfo
    return { asked, given, port, server }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const clients = { "of undici": layerHttp, "of a patient client": layerPatient }

describe.each(Object.entries(clients))("requests %s", (_name, layer) => {
  const get = (url: string) =>
    Effect.flatMap(HttpClient.get(url), ({ text }) => text).pipe(Effect.provide(layer), Effect.exit)

  it.live("go through the proxy that the environment names, with its password", () =>
    Effect.gen(function* () {
      const { asked, given, port } = yield* proxy
      process.env["http_proxy"] = `http://me:hush@127.0.0.1:${port}`
      assert.deepStrictEqual(yield* get("http://service.test/v1"), Exit.succeed("by the proxy"))
      assert.deepStrictEqual(asked, ["http://service.test/v1"])
      assert.deepStrictEqual(given, [`Basic ${Buffer.from("me:hush").toString("base64")}`])
    })
  )

  it.live("go past it to this machine and to what NO_PROXY names", () =>
    Effect.gen(function* () {
      const { asked, port } = yield* proxy
      Object.assign(process.env, { HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: "inside.test" })
      for (const host of ["127.0.0.1", "localhost"]) yield* get(`http://${host}:1/v1`)
      assert.isTrue(Exit.isFailure(yield* get("http://a.inside.test:1/v1")))
      assert.deepStrictEqual(asked, [])
      yield* get("http://outside.test/v1")
      assert.deepStrictEqual(asked, ["http://outside.test/v1"])
    })
  )
})

describe("requests", () => {
  it.live("go to a bucket through it", () =>
    Effect.gen(function* () {
      const { asked, port } = yield* proxy
      Object.assign(process.env, {
        HTTP_PROXY: `http://127.0.0.1:${port}`,
        AWS_ENDPOINT_URL_S3: "http://bucket.test",
        AWS_ACCESS_KEY_ID: "id",
        AWS_SECRET_ACCESS_KEY: "hush"
      })
      const { call } = yield* Client.make(Client.patient)
      yield* call("HeadBucket", (s3, options) => s3.headBucket({ Bucket: "lake" }, options))
      assert.deepStrictEqual(asked, ["http://bucket.test/lake/"])
    })
  )

  it("go through none if the environment names none", () => {
    Object.assign(process.env, { NO_PROXY: "a.test", HTTP_PROXY: "" })
    assert.isUndefined(proxies())
  })
})
