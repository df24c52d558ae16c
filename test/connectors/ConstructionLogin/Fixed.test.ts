/** A login with a redirect URI that the service knows, or a fixed port: who may come back, and where. */
import { once } from "node:events"
import { createServer } from "node:net"
import { networkInterfaces } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { logIn } from "../../../connectors/construction/ConstructionLogin.ts"
import { freePort } from "../../RunningWorker.ts"
import type { AuthServer } from "../ConstructionAuth/AuthServer.ts"
import { environment, get, type Parts, passing, tokens } from "../ConstructionAuth/Tokens.ts"
import { within } from "../ConstructionAuth/Within.ts"
import { consented, statusFrom, visit } from "./Browser.ts"

/** With this redirect URI configured. */
const fixed = <A, E>(uri: string, body: (server: AuthServer) => Effect.Effect<A, E, Parts>) =>
  within({}, (server, dataDir) =>
    Effect.provide(body(server), tokens({ ...environment(server, dataDir), SITELEDGER_REDIRECT_URI: uri }))
  )

/** A login whose address has been shown. */
const begun = Effect.fnUntraced(function* (port?: number) {
  const shown = yield* Deferred.make<string>()
  const fiber = yield* Effect.forkChild(logIn((url) => Deferred.succeed(shown, url), port))
  return { fiber, url: new URL(yield* Deferred.await(shown)) }
})

const port = Effect.promise(freePort)

describe("a login with --port", () => {
  it.effect("is sent back to that port", () =>
    within({}, (server) =>
      Effect.gen(function* () {
        const wanted = yield* port
        const { fiber, url } = yield* begun(wanted)
        assert.strictEqual(url.searchParams.get("redirect_uri"), `http://127.0.0.1:${wanted}/callback`)
        assert.strictEqual((yield* visit(yield* consented(url))).status, 200)
        yield* passing(fiber)
        assert.isTrue(server.isGood(yield* get))
      })
    )
  )

  it.effect("that is taken fails with one sentence", () =>
    within({}, () =>
      Effect.gen(function* () {
        const wanted = yield* port
        const other = createServer().listen(wanted, "127.0.0.1")
        yield* Effect.promise(() => once(other, "listening"))
        const { message } = yield* Effect.flip(logIn(() => Effect.void, wanted))
        assert.match(message, new RegExp(`can't come back to this machine: .*EADDRINUSE.*${wanted}`))
        other.close()
      })
    )
  )
})

describe("a login with SITELEDGER_REDIRECT_URI", () => {
  it.effect("on loopback listens there, and only there", () =>
    Effect.gen(function* () {
      const wanted = yield* port
      const uri = `http://127.0.0.1:${wanted}/back/here`
      yield* fixed(uri, (server) =>
        Effect.gen(function* () {
          const { fiber, url } = yield* begun()
          assert.strictEqual(url.searchParams.get("redirect_uri"), uri)
          const redirect = yield* consented(url)
          const elsewhere = new URL(redirect)
          elsewhere.pathname = "/callback"
          assert.strictEqual((yield* visit(elsewhere)).status, 404)
          assert.strictEqual(yield* statusFrom(redirect, { host: `localhost:${wanted}` }), 404)
          assert.strictEqual((yield* visit(redirect)).status, 200)
          yield* passing(fiber)
          assert.strictEqual(server.grants[0]?.get("redirect_uri"), uri)
        })
      )
    })
  )

  it.effect("is compared by the service as text, so it is sent as it was written", () =>
    Effect.gen(function* () {
      const wanted = yield* port
      yield* fixed(`http://LOCALHOST:${wanted}`, () =>
        Effect.gen(function* () {
          const { fiber, url } = yield* begun()
          assert.strictEqual(url.searchParams.get("redirect_uri"), `http://LOCALHOST:${wanted}`)
          const redirect = yield* consented(url)
          redirect.hostname = "127.0.0.1"
          assert.strictEqual(yield* statusFrom(redirect, {}), 404)
          assert.strictEqual(yield* statusFrom(redirect, { host: `LocalHost:${wanted}` }), 200)
          yield* passing(fiber)
        })
      )
    })
  )

  it.effect("behind a proxy takes exactly its host, on loopback", () =>
    fixed("https://login.example.com/siteledger/callback", (server) =>
      Effect.gen(function* () {
        const wanted = yield* port
        const { fiber, url } = yield* begun(wanted)
        const redirect = yield* consented(url)
        assert.strictEqual(redirect.origin, "https://login.example.com")
        const forwarded = new URL(redirect.pathname + redirect.search, `http://127.0.0.1:${wanted}`)
        for (const host of [
          `127.0.0.1:${wanted}`,
          "example.com",
          `login.example.com:${wanted}`,
          "a.login.example.com"
        ]) {
          assert.strictEqual(yield* statusFrom(forwarded, { host }), 404, host)
        }
        const outer = Object.values(networkInterfaces())
          .flatMap((each) => each ?? [])
          .filter(({ family, internal }) => family === "IPv4" && !internal)
        for (const { address } of outer) {
          const there = new URL(forwarded)
          there.hostname = address
          const answer = yield* Effect.promise(() => fetch(there).catch(() => "refused"))
          assert.strictEqual(answer, "refused")
        }
        assert.strictEqual(yield* statusFrom(forwarded, { host: "login.example.com" }), 200)
        yield* passing(fiber)
        assert.strictEqual(server.grants.length, 1)
      })
    )
  )

  it.effect("behind a proxy needs to know the port that it forwards to", () =>
    fixed("https://login.example.com/callback", () =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(logIn(() => Effect.void))
        assert.match(message, /SITELEDGER_REDIRECT_URI.*--port.*--paste/)
      })
    )
  )
})
