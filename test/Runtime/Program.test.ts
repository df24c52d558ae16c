/** The HTTP client names the program to every server, and leaves a request's own name alone. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import packageJson from "../../package.json" with { type: "json" }
import { layerHttp, version } from "../../src/Runtime/Program.ts"

const served = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((request, response) => void response.end(request.headers["user-agent"] ?? ""))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return server
  }),
  (server) => Effect.sync(() => server.close())
)

describe("the program", () => {
  it.effect("is named in each request, unless that has a name", () =>
    Effect.gen(function* () {
      const { port } = (yield* served).address() as AddressInfo
      const request = HttpClientRequest.get(`http://127.0.0.1:${port}/`)
      const client = yield* HttpClient.HttpClient
      const named = (own: HttpClientRequest.HttpClientRequest) =>
        Effect.flatMap(client.execute(own), (response) => response.text)
      assert.strictEqual(version, packageJson.version)
      assert.strictEqual(yield* named(request), `siteledger/${version} (+https://github.com/siteledger/siteledger)`)
      assert.strictEqual(yield* named(HttpClientRequest.setHeader(request, "user-agent", "own")), "own")
    }).pipe(Effect.provide(layerHttp))
  )
})
