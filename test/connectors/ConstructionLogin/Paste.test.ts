/** A login by a pasted address: what is accepted, and what is refused with one sentence that repeats nothing of it. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { logInByPaste } from "../../../connectors/construction/ConstructionLogin/Paste.ts"
import { mark } from "../ConstructionAuth/AuthServer.ts"
import { environment, get, loggedIn, passing, tokens } from "../ConstructionAuth/Tokens.ts"
import { within } from "../ConstructionAuth/Within.ts"
import { consented, visit } from "./Browser.ts"

/** A login whose address has been shown. */
const begun = Effect.gen(function* () {
  const shown = yield* Deferred.make<string>()
  const pasted = yield* Deferred.make<string>()
  const login = logInByPaste((url) => Deferred.succeed(shown, url), Deferred.await(pasted))
  const fiber = yield* Effect.forkChild(login)
  const url = new URL(yield* Deferred.await(shown))
  const callback = url.searchParams.get("redirect_uri") ?? ""
  return { fiber, url, callback, paste: (text: string) => Deferred.succeed(pasted, text) }
})

describe("a pasted address", () => {
  it.effect.each(["%s", "  %s\t", '"%s"', "<%s>"])("as %s logs in, and nothing listens where it leads", (form) =>
    within({}, (server) =>
      Effect.gen(function* () {
        const { callback, fiber, paste, url } = yield* begun
        assert.match(callback, /^http:\/\/127\.0\.0\.1:\d{5}\/callback$/)
        const redirect = (yield* consented(url)).href
        const reached = yield* Effect.result(Effect.tryPromise(() => fetch(redirect)))
        assert.strictEqual(reached._tag, "Failure")
        yield* paste(form.replace("%s", redirect))
        const { login, missing } = yield* passing(fiber)
        assert.deepStrictEqual([login.scopes, missing], [["projects.read"], []])
        assert.isTrue(server.isGood(yield* get))
        assert.match(server.grants[0]?.get("code_verifier") ?? "", /^[\w-]{43}$/)
      })
    )
  )

  it.effect("is at SITELEDGER_REDIRECT_URI if that is set", () =>
    within({}, (server, dataDir) =>
      Effect.gen(function* () {
        const { callback, fiber, paste, url } = yield* begun
        assert.strictEqual(callback, "https://login.example.com/back")
        yield* paste((yield* consented(url)).href)
        yield* passing(fiber)
        assert.strictEqual(server.grants[0]?.get("redirect_uri"), callback)
      }).pipe(
        Effect.provide(
          tokens({ ...environment(server, dataDir), SITELEDGER_REDIRECT_URI: "https://login.example.com/back" })
        )
      )
    )
  )

  interface Wrong {
    readonly what: string
    readonly of: (callback: string, state: string, url: URL) => string
    readonly sentence: RegExp
  }
  const wrongs: ReadonlyArray<Wrong> = [
    {
      what: "that is a code alone",
      of: () => `${mark}-code`,
      sentence: /whole address.*a code alone isn't accepted.*state/
    },
    { what: "that is a code with a colon", of: () => `${mark}:code`, sentence: /a code alone isn't accepted/ },
    { what: "that is empty", of: () => " ", sentence: /Nothing was pasted/ },
    { what: "of the consent's page", of: (_callback, _state, url) => url.href, sentence: /didn't end at this address/ },
    {
      what: "of another host",
      of: (_callback, state) => `https://evil.example.com/callback?code=${mark}&state=${state}`,
      sentence: /didn't end at this address/
    },
    { what: "without a state", of: (callback) => `${callback}?code=${mark}`, sentence: /another login \(its state/ },
    {
      what: "of another login",
      of: (callback, state) => `${callback}?code=${mark}&state=${[...state].toReversed().join("")}`,
      sentence: /another login \(its state/
    },
    {
      what: "from another issuer",
      of: (callback, state) => `${callback}?code=${mark}&state=${state}&iss=https%3A%2F%2Fevil.example.com`,
      sentence: /By its iss/
    },
    {
      what: "that names its state twice",
      of: (callback, state) => `${callback}?code=${mark}&state=${state}&state=${mark}`,
      sentence: /twice/
    },
    { what: "without a code", of: (callback, state) => `${callback}?state=${state}`, sentence: /no code/ },
    {
      what: "that denies",
      of: (callback, state) => `${callback}?error=access_denied&error_description=${mark}&state=${state}`,
      sentence: /Access was denied/
    }
  ]
  it.effect.each(wrongs)("$what is refused, and an earlier login stays", ({ of, sentence }) =>
    within({}, (server) =>
      Effect.gen(function* () {
        const { access } = yield* loggedIn(server)
        const { callback, fiber, paste, url } = yield* begun
        yield* paste(of(callback, url.searchParams.get("state") ?? "", url))
        const { message } = yield* Effect.flip(passing(fiber))
        assert.match(message, sentence)
        assert.notInclude(message, mark)
        assert.strictEqual(server.grants.length, 0)
        assert.strictEqual(yield* get, access)
      })
    )
  )

  it.effect("with a forged code is refused by the service", () =>
    within({}, () =>
      Effect.gen(function* () {
        const { callback, fiber, paste, url } = yield* begun
        yield* paste(`${callback}?code=${mark}&state=${url.searchParams.get("state")}`)
        assert.match((yield* Effect.flip(passing(fiber))).message, /invalid_grant.*log in again/)
      })
    )
  )

  it.effect("is waited for 10 minutes", () =>
    within({}, () =>
      Effect.gen(function* () {
        const { fiber, url } = yield* begun
        yield* visit(url)
        yield* TestClock.adjust("9 minutes")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 minute")
        assert.match((yield* Effect.flip(passing(fiber))).message, /within 10m/)
      })
    )
  )
})
