/** A service that redirects: the client doesn't follow, so neither the secret nor a token goes anywhere else. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { connect, type ServiceError } from "../../../connectors/construction/Client.ts"

/** Answers the token request with `token`, and everything else with a redirect to `elsewhere`. */
const listening = async (answer: (path: string) => { readonly status: number; readonly text?: string }, to = "") => {
  const asked: Array<string> = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume()
    const { status, text = "" } = answer(request.url ?? "")
    response.writeHead(status, { location: to, "content-type": "application/json" }).end(text)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, "close")
  }
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, origin, [Symbol.asyncDispose]: close }
}

const token = { status: 200, text: JSON.stringify({ access_token: "token", expires_in: 3600 }) }

describe("a client whose service redirects", () => {
  for (const status of [301, 302, 303, 307, 308]) {
    it(`with ${status} sends nothing after it and says what to check`, async () => {
      await using elsewhere = await listening(() => token)
      for (const redirects of ["/oauth/token", "/v1/projects"]) {
        await using service = await listening(
          (path) => (path.startsWith(redirects) ? { status } : token),
          `${elsewhere.origin}/oauth/token`
        )
        const client = connect({
          baseUrl: `${service.origin}/v1`,
          authUrl: service.origin,
          clientId: "client",
          clientSecret: "a secret of the client",
          giveUpAfter: "5 seconds"
        })
        const error = await client.projectPage(1).then(
          () => assert.fail("It succeeds."),
          (failure: ServiceError) => failure
        )
        assert.deepStrictEqual(elsewhere.asked, [])
        assert.strictEqual(error.reason, "Refused")
        assert.match(
          error.message,
          new RegExp(`${status}.*check ${redirects === "/oauth/token" ? "authUrl" : "baseUrl"}`)
        )
        await client.close()
      }
    })
  }
})
