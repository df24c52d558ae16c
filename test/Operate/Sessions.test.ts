/**
 * Sessions of the dashboard, on both engines: a code begins one, once and soon; each is known only by its hash, and
 * ends with time, with its token, or when the person signs out.
 */
import { hash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Settings from "../../config/Settings.ts"
import { Sessions } from "../../src/Operate/Dashboard/Sessions.ts"
import * as Principals from "../../src/Operate/Principals.ts"
import { Store } from "../../src/Stores/Store.ts"
import { engines } from "../Stores/StoreEngines.ts"
import { machine } from "../SetClock.ts"

const settingsWith = (given: Readonly<Record<string, string>>) =>
  Layer.provide(Settings.layer, ConfigProvider.layer(ConfigProvider.fromEnvRecord(given)))

const adminToken = (token: string) => settingsWith({ SITELEDGER_ADMIN_TOKEN: token })

const rows = Effect.flatMap(Store, (store) => store.run((db) => db.selectFrom("sessions").selectAll().execute()))

/** A worker on the same Store. */
const worker = (settings: Layer.Layer<Settings.Settings, unknown>) =>
  Effect.map(Layer.build(Layer.provide(Layer.fresh(Sessions.layer), settings)), (context) => context)

for (const { isSkipped, name, place } of engines) {
  const test = <E>(what: string, body: Effect.Effect<void, E, Store>) =>
    it.live(what, () => Effect.scoped(Effect.flatMap(place, ({ layer }) => Effect.provide(body, layer))))

  describe.skipIf(isSkipped)(`sessions in ${name}`, () => {
    test(
      "are 256 random bits of which the store has the hash alone, and another worker knows them",
      Effect.scoped(
        Effect.gen(function* () {
          const { begin, find } = yield* Sessions.use(Effect.succeed).pipe(
            Effect.provide(yield* worker(settingsWith({})))
          )
          const { secret } = yield* begin("os:root")
          assert.strictEqual(Buffer.from(secret, "base64url").byteLength, 32)
          assert.notStrictEqual(secret, (yield* begin("os:root")).secret)
          assert.deepInclude(yield* find(secret), { principal: "os:root", isAdmin: true })
          assert.notInclude(JSON.stringify(yield* rows), secret)
          assert.include(
            (yield* rows).map((row) => row.session_sha256),
            hash("sha256", secret)
          )
          const other = yield* Sessions.use(Effect.succeed).pipe(Effect.provide(yield* worker(settingsWith({}))))
          assert.deepInclude(yield* other.find(secret), { principal: "os:root" })
          for (const wrong of ["", `${secret}A`, secret.toUpperCase(), hash("sha256", secret)]) {
            assert.isUndefined(yield* find(wrong))
          }
          yield* other.end(secret)
          assert.isUndefined(yield* find(secret))
        })
      )
    )

    test(
      "end with the token that they rest on",
      Effect.scoped(
        Effect.gen(function* () {
          const { begin, find } = yield* Sessions.use(Effect.succeed).pipe(
            Effect.provide(yield* worker(adminToken("the-first-admin-token-0123456789")))
          )
          yield* Principals.add("ada", ["decide"])
          const [before, admin] = [yield* begin("ada"), yield* begin("admin")]
          assert.deepStrictEqual(yield* find(before.secret), { principal: "ada", roles: ["decide"], isAdmin: false })
          assert.deepInclude(yield* find(admin.secret), { principal: "admin", isAdmin: true })
          yield* Principals.rotate("ada", ["read"])
          assert.isUndefined(yield* find(before.secret))
          const after = yield* begin("ada")
          assert.deepInclude(yield* find(after.secret), { roles: ["read"] })
          yield* Principals.revoke("ada")
          assert.isUndefined(yield* find(after.secret))
          assert.isUndefined(yield* find((yield* begin("ada")).secret))
          assert.isUndefined(yield* find((yield* begin("never-was")).secret))
          for (const settings of [settingsWith({}), adminToken("another-admin-token-0123456789ab")]) {
            const restarted = yield* Sessions.use(Effect.succeed).pipe(Effect.provide(yield* worker(settings)))
            assert.isUndefined(yield* restarted.find(admin.secret))
          }
        })
      )
    )
  })
}

const [sqlite] = engines

describe("time", () => {
  it.effect("ends a code after two minutes, or once it was used, and a session after twelve hours", () =>
    Effect.gen(function* () {
      const { layer } = yield* sqlite!.place
      const { jump, on } = yield* machine
      const body = Effect.gen(function* () {
        const sessions = yield* Sessions
        const [used, old] = [yield* sessions.code("ada"), yield* sessions.code("ada")]
        jump(119_000)
        assert.strictEqual(yield* sessions.redeem(used.secret), "ada")
        assert.isUndefined(yield* sessions.redeem(used.secret))
        jump(1000)
        assert.isUndefined(yield* sessions.redeem(old.secret))
        assert.isUndefined(yield* sessions.redeem(""))
        const { secret } = yield* sessions.begin("os:root")
        jump(12 * 3_600_000 - 1)
        assert.isDefined(yield* sessions.find(secret))
        jump(1)
        assert.isUndefined(yield* sessions.find(secret))
        yield* sessions.begin("os:root")
        assert.strictEqual((yield* rows).length, 1)
      })
      yield* on(Effect.provide(body, Layer.provideMerge(Sessions.layer, Layer.merge(layer, settingsWith({})))))
      yield* TestClock.adjust(0)
    }).pipe(Effect.scoped)
  )
})
