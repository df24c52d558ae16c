/**
 * The token's life against a real authorization server: which endpoint is asked, how often, and what is on disk by
 * then.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { LoginFile } from "../../connectors/construction/ConstructionAuth/LoginFile.ts"
import { drop, get, loggedIn, passing, reasons, second, storedLogin } from "./ConstructionAuth/Tokens.ts"
import { within } from "./ConstructionAuth/Within.ts"

const thousand = Array.from({ length: 1000 }, (_, index) => index)
const all = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.map(
    Effect.forEach(thousand, () => call, { concurrency: "unbounded" }),
    (got) => new Set(got)
  )

const storedTokens = Effect.map(storedLogin, (found) => {
  assert.strictEqual(found._tag, "Active")
  return found._tag === "Active" ? found.tokens : undefined
})

const confidential = { clientId: "server-app", clientSecret: "hush+/ &=%" }

describe("a token of a login", () => {
  it.effect("is refreshed once for 1,000 concurrent calls when it has expired, and once when it was refused", () =>
    within({}, (server) =>
      Effect.gen(function* () {
        const { access } = yield* loggedIn(server)
        assert.deepStrictEqual(yield* all(get), new Set([access]))
        assert.strictEqual(server.grants.length, 0)
        yield* TestClock.adjust("1 hour")
        const [expired, ...more] = yield* all(get)
        assert.deepStrictEqual(more, [])
        assert.isTrue(server.isGood(expired ?? ""))
        assert.strictEqual(server.grants.length, 1)
        server.expire()
        const [refused] = yield* all(Effect.andThen(drop(expired ?? ""), get))
        assert.isTrue(server.isGood(refused ?? ""))
        assert.strictEqual(server.refreshes, 2)
      })
    )
  )

  it.effect("is on disk with its refresh token before it is handed out, and each refresh token is sent once", () =>
    within({ lifeSeconds: 10 }, (server) =>
      Effect.gen(function* () {
        const first = yield* loggedIn(server)
        const sent = [first.refresh]
        for (let round = 0; round < 5; round++) {
          yield* TestClock.adjust("9 seconds")
          const access = yield* get
          const tokens = yield* storedTokens
          assert.strictEqual(tokens?.access, access)
          sent.push(tokens?.refresh ?? undefined)
        }
        assert.deepStrictEqual(
          server.grants.map((form) => form.get("refresh_token")),
          sent.slice(0, 5) as Array<string>
        )
        assert.strictEqual(new Set(sent).size, 6)
      })
    )
  )

  it.effect("keeps its refresh token if the service doesn't rotate that", () =>
    within({ rotates: false }, (server) =>
      Effect.gen(function* () {
        const { refresh } = yield* loggedIn(server)
        yield* TestClock.adjust("1 hour")
        yield* get
        assert.strictEqual((yield* storedTokens)?.refresh, refresh)
      })
    )
  )

  it.effect.each([
    { lifeSeconds: 3600, renewedAfter: 3540 },
    { lifeSeconds: 600, renewedAfter: 540 },
    { lifeSeconds: 10, renewedAfter: 9 }
  ])("of $lifeSeconds s is renewed after $renewedAfter s", ({ lifeSeconds, renewedAfter }) =>
    within({ lifeSeconds }, (server) =>
      Effect.gen(function* () {
        const { access } = yield* loggedIn(server)
        yield* TestClock.adjust(renewedAfter * 1000 - 1)
        assert.strictEqual(yield* get, access)
        yield* TestClock.adjust(1)
        assert.notStrictEqual(yield* get, access)
        assert.strictEqual(server.refreshes, 1)
      })
    )
  )

  it.effect("is not lost when its caller is interrupted while the service answers", () =>
    within({}, (server) =>
      Effect.gen(function* () {
        const { access } = yield* loggedIn(server)
        yield* TestClock.adjust("1 hour")
        const asked = Promise.withResolvers<void>()
        const answered = Promise.withResolvers<void>()
        server.settings.hold = () => {
          asked.resolve()
          return answered.promise
        }
        const fiber = yield* Effect.forkChild(get)
        yield* Effect.promise(() => asked.promise)
        const interruption = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
        answered.resolve()
        yield* Fiber.join(interruption)
        assert.notStrictEqual((yield* storedTokens)?.access, access)
        assert.isTrue(server.isGood(yield* get))
        assert.strictEqual(server.refreshes, 1)
      })
    )
  )

  it.effect("is used only after it was written, however long that takes", () =>
    within({}, (server, dataDir) =>
      Effect.gen(function* () {
        const { access } = yield* loggedIn(server)
        yield* TestClock.adjust("1 hour")
        // In the place of the new file.
        const obstacle = join(dataDir, "login.new")
        mkdirSync(obstacle)
        const fiber = yield* Effect.forkChild(get)
        while ((yield* reasons).length === 0) yield* second
        assert.include((yield* reasons).join(), "can't be stored")
        for (let round = 0; round < 100; round++) yield* second
        assert.isUndefined(fiber.pollUnsafe())
        assert.strictEqual((yield* storedTokens)?.access, access)
        rmSync(obstacle, { recursive: true })
        assert.isTrue(server.isGood(yield* passing(fiber)))
        assert.strictEqual(server.refreshes, 1)
        assert.deepStrictEqual(yield* reasons, [])
      })
    )
  )
})

describe("the way to a token", () => {
  it.effect("is the login if there is one, even one that comes later, otherwise the client's secret", () =>
    within(confidential, (server) =>
      Effect.gen(function* () {
        const own = yield* get
        assert.deepStrictEqual(yield* all(get), new Set([own]))
        const { access } = yield* loggedIn(server)
        assert.strictEqual(yield* get, access)
        const file = yield* LoginFile
        yield* file.locked(file.remove)
        assert.notInclude([own, access], yield* get)
        assert.deepStrictEqual(
          server.grants.map((form) => [form.get("grant_type"), form.get("client_secret"), form.get("scope")]),
          Array.from({ length: 2 }, () => ["client_credentials", confidential.clientSecret, "projects.read"])
        )
      })
    )
  )

  it.effect("by the client's secret asks once for 1,000 concurrent calls, and ahead of expiry", () =>
    within(confidential, (server) =>
      Effect.gen(function* () {
        const [first] = yield* all(get)
        assert.strictEqual(server.grants.length, 1)
        yield* TestClock.adjust("59 minutes")
        assert.notDeepEqual(yield* all(get), new Set([first]))
        assert.strictEqual(server.grants.length, 2)
      })
    )
  )

  it.effect("is waited for without a login and a secret, and both are named", () =>
    within({}, (server) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(get)
        while ((yield* reasons).length === 0) yield* second
        assert.match((yield* reasons).join(), /siteledger login.*SITELEDGER_CLIENT_SECRET/)
        const { access } = yield* loggedIn(server)
        assert.strictEqual(yield* passing(fiber), access)
        assert.deepStrictEqual(yield* reasons, [])
        assert.strictEqual(server.grants.length, 0)
      })
    )
  )
})
