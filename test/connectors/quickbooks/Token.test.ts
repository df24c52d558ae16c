/**
 * The tokens' life: one refresh at a time, each new refresh token on disk before its access token is used, and few
 * requests while a person has to help.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as TokenKept from "../../../connectors/quickbooks/QuickBooksTokenKept.ts"
import { sql } from "kysely"
import { Seal } from "../../../src/Runtime/Seal.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { client, mark, realmId, type StandIn, type Trouble } from "./StandIn.ts"
import { firstToken, message, once, other, reasonOf, sealKey, taken, turn, within } from "./World.ts"
import { Log } from "../../Logged.ts"

/** What the store gives after a start. */
const kept = (store: Store["Service"]) =>
  TokenKept.make({ clientId: client.id, realmId, refreshToken: Redacted.make(firstToken) }).pipe(
    Effect.flatMap(({ newest }) => newest),
    Effect.provideService(Store, store),
    Effect.provide(Seal.layerWith(sealKey))
  )

const inMeta = (store: Store["Service"]) =>
  store.run((db) => db.selectFrom("meta").select("value").where("key", "=", TokenKept.key).executeTakeFirstOrThrow())

const spent = (quickBooks: StandIn) =>
  quickBooks.came
    .filter(({ what }) => what === "POST tokens")
    .map(({ body }) => new URLSearchParams(body).get("refresh_token"))

const together = { concurrency: "unbounded" } as const

describe("an access token", () => {
  it.effect("is got once for all posts that need it", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        const many = Array.from({ length: 20 }, (_, nth) => other(nth))
        const verdicts = yield* Effect.forEach(many, post, together)
        assert.deepStrictEqual(
          verdicts,
          many.map(() => taken)
        )
        assert.deepStrictEqual([quickBooks.grants, quickBooks.entries.length], [1, 20])
        yield* TestClock.adjust("2 minutes")
        quickBooks.expire()
        const more = Array.from({ length: 20 }, (_, nth) => other(100 + nth))
        assert.deepStrictEqual(
          yield* Effect.forEach(more, post, together),
          more.map(() => taken)
        )
        assert.deepStrictEqual([quickBooks.grants, quickBooks.entries.length], [2, 40])
      })
    )
  )

  it.effect("that ends between two requests is replaced, and the entry is posted once", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        yield* post(other(2))
        yield* TestClock.adjust("2 minutes")
        const expiry = once("POST journalentry", undefined)
        let isOver = false
        quickBooks.trouble = (request) => {
          if (request.what === "POST journalentry" && !isOver) quickBooks.expire()
          isOver ||= request.what === "POST journalentry"
          return expiry(request)
        }
        assert.deepStrictEqual(yield* post(message()), taken)
        assert.deepStrictEqual([quickBooks.grants, quickBooks.entries.length], [2, 2])
      })
    )
  )

  it.effect("is replaced before its hour is over", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        yield* post(message())
        yield* TestClock.adjust("58 minutes")
        yield* post(other(2))
        assert.strictEqual(quickBooks.grants, 1)
        yield* TestClock.adjust("1 minute")
        quickBooks.came.splice(0)
        assert.deepStrictEqual(yield* post(other(3)), taken)
        assert.strictEqual(quickBooks.came[0]?.what, "POST tokens")
      })
    )
  )

  it.effect("that QuickBooks refuses as soon as it is given isn't got again for a minute", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        quickBooks.trouble = ({ what }) => (what === "GET query" ? { status: 401, body: "" } : undefined)
        for (const each of [message(), other(2), other(3)]) {
          const verdict = yield* post(each)
          assert.strictEqual(verdict._tag, "Unavailable")
          assert.match(reasonOf(verdict), /no access \(401\).*SITELEDGER_QUICKBOOKS_REFRESH_TOKEN/)
        }
        assert.strictEqual(quickBooks.grants, 1)
      })
    )
  )
})

describe("a new refresh token", () => {
  it.effect("is in the store, sealed, before the access token is used", () =>
    within(({ quickBooks, started, store }) =>
      Effect.gen(function* () {
        const arrived = Promise.withResolvers<void>()
        quickBooks.trouble = ({ what }) => {
          if (what === "POST tokens") return undefined
          arrived.resolve()
          return new Promise<Trouble>(() => undefined)
        }
        const fiber = yield* Effect.forkChild((yield* started())(message()), { startImmediately: true })
        yield* Effect.promise(() => arrived.promise)
        // As if the process died here.
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* kept(store), quickBooks.refresh)
        const { value } = yield* inMeta(store)
        assert.match(value, /^sealed1\./)
        assert.notInclude(value, mark)
        quickBooks.trouble = () => undefined
        assert.deepStrictEqual(yield* (yield* started())(message()), taken)
        assert.lengthOf(quickBooks.entries, 1)
      })
    )
  )

  it.effect("that can't be stored waits in memory, and nothing is asked for with its access token", () =>
    within(({ quickBooks, started, store }) =>
      Effect.gen(function* () {
        const obstacle = "create trigger full before insert on meta begin select raise(abort, 'the disk is full'); end"
        yield* store.run((db) => sql.raw(obstacle).execute(db))
        const post = yield* started()
        for (const each of [message(), other(2)]) {
          const verdict = yield* post(each)
          assert.strictEqual(verdict._tag, "Unavailable")
          assert.match(reasonOf(verdict), /newest refresh token can't be kept.*the disk is full/)
        }
        assert.deepStrictEqual(new Set(quickBooks.came.map(({ what }) => what)), new Set(["POST tokens"]))
        yield* store.run((db) => sql`drop trigger full`.execute(db))
        assert.deepStrictEqual(yield* post(message()), taken)
        assert.strictEqual(quickBooks.grants, 1)
        assert.strictEqual(yield* kept(store), quickBooks.refresh)
      })
    )
  )

  it.effect("from a person takes the place of the kept one, and is followed up after a restart", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        yield* (yield* started())(message())
        const given = `${mark}-refresh-by-hand`
        const refreshToken = Redacted.make(given)
        quickBooks.refresh = given
        quickBooks.expire()
        assert.deepStrictEqual(yield* (yield* started({ refreshToken }))(other(2)), taken)
        const rotated = quickBooks.refresh
        assert.deepStrictEqual(yield* (yield* started({ refreshToken }))(other(3)), taken)
        assert.deepStrictEqual(spent(quickBooks), [firstToken, given, rotated])
      })
    )
  )

  it.effect("is replaced by the configured one where what is kept was sealed with another key or is damaged", () =>
    within(({ quickBooks, started, store }) =>
      Effect.gen(function* () {
        const row = { key: TokenKept.key, value: "sealed1.rubbish" }
        yield* store.run((db) => db.insertInto("meta").values(row).execute())
        const log = new Log()
        const posted = Effect.flatMap(started(), (post) => post(message()))
        assert.deepStrictEqual(yield* Effect.provide(posted, log.layer), taken)
        assert.match(String(log.saw("token.unreadable")["why"]), /sealed with another key/)
        assert.deepStrictEqual(spent(quickBooks), [firstToken])
      })
    )
  )
})

describe("a refusal of the refresh token", () => {
  it.effect("asks a person for a new one, and is repeated once a minute at most", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        quickBooks.refresh = `${mark}-refresh-of-another`
        const post = yield* started()
        const many = Array.from({ length: 20 }, (_, nth) => other(nth))
        for (const verdict of yield* Effect.forEach(many, post, together)) {
          assert.strictEqual(verdict._tag, "Unavailable")
          assert.match(reasonOf(verdict), /\(invalid_grant\)\. A person must.*SITELEDGER_QUICKBOOKS_REFRESH_TOKEN/)
        }
        assert.strictEqual(quickBooks.count("POST tokens"), 1)
        yield* TestClock.adjust("59 seconds")
        yield* post(message())
        assert.strictEqual(quickBooks.count("POST tokens"), 1)
        yield* TestClock.adjust("1 second")
        quickBooks.refresh = firstToken
        assert.deepStrictEqual(yield* post(message()), taken)
      })
    )
  )

  it.effect.each([
    { status: 401, body: '{"error":"invalid_client"}', says: /CLIENT_ID and SITELEDGER_QUICKBOOKS_CLIENT_SECRET/ },
    { status: 400, body: `{"error":"${mark}<b>"}`, says: /gave no token \(400\)\.$/ },
    { status: 400, body: '{"error":"unsupported_grant_type"}', says: /\(400, unsupported_grant_type\)\.$/ },
    { status: 200, body: '{"access_token":"two words"}', says: /gave no token \(200\)\.$/ },
    { status: 503, body: "", says: /gave no token \(503\)\.$/ }
  ])("with $status $body says what to check", ({ body, says, status }) =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        quickBooks.trouble = ({ what }) => (what === "POST tokens" ? { status, body } : undefined)
        const verdict = yield* (yield* started())(message())
        assert.strictEqual(verdict._tag, "Unavailable")
        assert.match(reasonOf(verdict), says)
        assert.notInclude(reasonOf(verdict), mark)
      })
    )
  )
})

describe("an answer with tokens", () => {
  it.effect("that takes too long is given up, and asked for again after a pause", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started()
        quickBooks.trouble = once("POST tokens", { status: 200, body: "", wire: "hang" })
        const fiber = yield* Effect.forkChild(post(message()), { startImmediately: true })
        while (quickBooks.count("POST tokens") === 0) yield* turn
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* Fiber.join(fiber))._tag, "Unavailable")
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* post(message()), taken)
      })
    )
  )
})
