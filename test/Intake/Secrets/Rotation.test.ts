/** Several secrets at once: added, retired, still used, and what a person sees of them. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { dataDir, live, reasonsOf } from "./SecretsWorld.ts"

const now = { after: Duration.zero, isForced: false }
const tomorrow = { after: Duration.hours(24), isForced: false }

const two = Effect.gen(function* () {
  const path = yield* dataDir
  const world = yield* live(path)
  const old = yield* world.secrets.add(Redacted.make("whsec_old"))
  const fresh = yield* world.secrets.add(Redacted.make("whsec_new"))
  const secret = (fingerprint: string) => {
    const found = world.keyring.valid().find((each) => each.fingerprint === fingerprint)
    return found ?? assert.fail(`${fingerprint} isn't valid`)
  }
  return { path, world, old, fresh, secret }
})

const valid = (world: {
  readonly keyring: { readonly valid: () => ReadonlyArray<{ readonly fingerprint: string }> }
}) => world.keyring.valid().map(({ fingerprint }) => fingerprint)

describe("a secret made by hand", () => {
  it.effect("is valid at once, besides the others, and after a restart; adding it twice changes nothing", () =>
    Effect.gen(function* () {
      const { fresh, old, path, world } = yield* two
      assert.deepStrictEqual(valid(world), [old.fingerprint, fresh.fingerprint])
      assert.match(old.fingerprint, /^[0-9a-f]{8}$/)
      assert.deepInclude(old, { source: "by hand", state: "valid", expiresAt: null, lastUsedAt: null })
      assert.deepStrictEqual(yield* world.secrets.add(Redacted.make("whsec_old")), old)
      yield* world.stop
      const next = yield* live(path)
      assert.deepStrictEqual(valid(next), [old.fingerprint, fresh.fingerprint])
      yield* next.stop
    }).pipe(Effect.scoped)
  )

  it.effect("from the environment is listed under its variable, and can't be retired", () =>
    Effect.gen(function* () {
      const { old, world } = yield* two
      world.secrets.lend(Redacted.make("whsec_lent"))
      const [lent] = yield* world.secrets.list
      assert.deepInclude(lent, { source: "SITELEDGER_WEBHOOK_SECRET", state: "valid" })
      const error = yield* Effect.flip(world.secrets.retire(lent?.fingerprint ?? "", now))
      assert.match(error.message, /remove it there/)
      assert.include((yield* Effect.flip(world.secrets.retire("00000000", now))).message, old.fingerprint)
      yield* world.stop
    }).pipe(Effect.scoped)
  )
})

describe("retiring", () => {
  it.effect("ends a secret at once, also for the next start", () =>
    Effect.gen(function* () {
      const { fresh, old, path, world } = yield* two
      yield* world.secrets.retire(old.fingerprint, now)
      assert.deepStrictEqual(valid(world), [fresh.fingerprint])
      yield* world.stop
      const next = yield* live(path)
      assert.deepStrictEqual(valid(next), [fresh.fingerprint])
      assert.deepInclude((yield* next.secrets.list)[0], { fingerprint: old.fingerprint, state: "retired" })
      yield* next.stop
    }).pipe(Effect.scoped)
  )

  it.effect("after a delay ends it then, not before", () =>
    Effect.gen(function* () {
      const { fresh, old, path, world } = yield* two
      const [retired] = yield* world.secrets.retire(old.fingerprint, tomorrow)
      assert.deepInclude(retired, { state: "ending", expiresAt: "2026-11-21T02:00:00.000000Z" })
      yield* TestClock.adjust("23 hours")
      yield* world.stop
      const next = yield* live(path)
      yield* TestClock.adjust(Duration.millis(3_600_000 - 1))
      assert.deepStrictEqual(valid(next), [old.fingerprint, fresh.fingerprint])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(valid(next), [fresh.fingerprint])
      yield* next.stop
    }).pipe(Effect.scoped)
  )

  it.effect("ends nothing for good while the clock is wrongly set ahead", () =>
    Effect.gen(function* () {
      const { fresh, old, world } = yield* two
      yield* world.secrets.retire(old.fingerprint, tomorrow)
      yield* TestClock.adjust("2 days")
      assert.deepStrictEqual(valid(world), [fresh.fingerprint])
      yield* TestClock.adjust("-2 days")
      assert.deepStrictEqual(valid(world), [old.fingerprint, fresh.fingerprint])
      yield* world.stop
    }).pipe(Effect.scoped)
  )

  it.effect("refuses the last one that stays valid, unless forced", () =>
    Effect.gen(function* () {
      const { fresh, old, world } = yield* two
      yield* world.secrets.retire(old.fingerprint, tomorrow)
      const error = yield* Effect.flip(world.secrets.retire(fresh.fingerprint, now))
      assert.match(error.message, /last webhook secret that stays valid.*--force/)
      assert.deepStrictEqual(valid(world), [old.fingerprint, fresh.fingerprint])
      yield* world.secrets.retire(fresh.fingerprint, { ...now, isForced: true })
      assert.deepStrictEqual(valid(world), [old.fingerprint])
      yield* world.stop
    }).pipe(Effect.scoped)
  )
})

describe("a retired secret", () => {
  it.effect("is a reason with fingerprint and end while it is used, until an hour later", () =>
    Effect.gen(function* () {
      const { fresh, old, path, secret, world } = yield* two
      world.keyring.used(secret(old.fingerprint))
      yield* TestClock.adjust("1 minute")
      yield* world.secrets.retire(old.fingerprint, tomorrow)
      assert.deepStrictEqual(yield* world.reasons, [], "it was used before it was to end")
      yield* TestClock.adjust("1 second")
      world.keyring.used(secret(fresh.fingerprint))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* world.reasons, [])
      world.keyring.used(secret(old.fingerprint))
      const [reason = ""] = yield* reasonsOf(world, 1)
      assert.match(reason, new RegExp(`${old.fingerprint}, which ends at 2026-11-21T02:01:00.000000Z`))
      assert.deepStrictEqual(yield* world.secrets.status, { valid: 2, ending: 1, unreadable: 0, signedByEnding: 1 })
      yield* world.stop

      const next = yield* live(path)
      assert.deepStrictEqual(yield* next.reasons, [reason], "also after a restart")
      yield* TestClock.adjust("59 minutes")
      assert.deepStrictEqual(yield* next.reasons, [reason])
      yield* TestClock.adjust("2 minutes")
      yield* reasonsOf(next, 0)
      yield* next.stop
    }).pipe(Effect.scoped)
  )

  it.effect("is no longer a reason once it has expired", () =>
    Effect.gen(function* () {
      const { old, secret, world } = yield* two
      yield* world.secrets.retire(old.fingerprint, tomorrow)
      yield* TestClock.adjust("1 second")
      world.keyring.used(secret(old.fingerprint))
      yield* reasonsOf(world, 1)
      yield* world.secrets.retire(old.fingerprint, now)
      assert.deepStrictEqual(yield* world.reasons, [])
      yield* world.stop
    }).pipe(Effect.scoped)
  )
})

describe("the last use", () => {
  it.effect("is listed at once, and stored once a minute and at the end", () =>
    Effect.gen(function* () {
      const { old, path, secret, world } = yield* two
      const written = world.store.run((db) => db.selectFrom("webhook_secrets").select("last_used_at").execute())
      const first = Effect.map(written, ([row]) => row?.last_used_at)
      yield* TestClock.adjust("30 seconds")
      world.keyring.used(secret(old.fingerprint))
      assert.strictEqual((yield* world.secrets.list)[0]?.lastUsedAt, "2026-11-20T02:00:30.000000Z")
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* first, null)
      yield* TestClock.adjust("1 second")
      while ((yield* first) === null) yield* Effect.yieldNow
      assert.strictEqual(yield* first, "2026-11-20T02:00:30.000000Z")
      world.keyring.used(secret(old.fingerprint))
      yield* world.stop
      const next = yield* live(path)
      assert.strictEqual((yield* next.secrets.list)[0]?.lastUsedAt, "2026-11-20T02:01:00.000000Z")
      yield* next.stop
    }).pipe(Effect.scoped)
  )
})
