/** Webhook secrets at rest: sealed, and opened by the next start that has their key. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { dataDir, filesWith, live, loseKey } from "./SecretsWorld.ts"

describe("a secret", () => {
  it.effect("is sealed on disk: its text is in no file of the data directory", () =>
    Effect.gen(function* () {
      const path = yield* dataDir
      const world = yield* live(path)
      const { fingerprint } = yield* world.secrets.add(Redacted.make("whsec_MARKED"))
      assert.deepStrictEqual(filesWith(path, "whsec_MARKED"), [])
      assert.include(filesWith(path, fingerprint), "store.sqlite-wal")
      yield* world.stop
      assert.deepStrictEqual(filesWith(path, "whsec_MARKED"), [])
    }).pipe(Effect.scoped)
  )
})

describe("a secret whose key is lost", () => {
  it.effect("is not valid; the reason says what to do, and the key makes it valid again", () =>
    Effect.gen(function* () {
      const path = yield* dataDir
      const first = yield* live(path)
      const { fingerprint } = yield* first.secrets.add(Redacted.make("whsec_by_hand"))
      yield* first.stop
      const key = readFileSync(join(path, "key"))
      yield* loseKey(path)
      const second = yield* live(path)
      assert.deepStrictEqual(second.keyring.valid(), [])
      const [reason = "", ...others] = yield* second.reasons
      assert.deepStrictEqual(others, [])
      assert.match(reason, new RegExp(`can't be opened \\(${fingerprint}\\).*SITELEDGER_KEY.*retire`))
      assert.deepInclude((yield* second.secrets.list)[0], { fingerprint, state: "unreadable" })
      assert.deepInclude(yield* second.secrets.status, { valid: 0, unreadable: 1 })
      yield* second.stop

      writeFileSync(join(path, "key"), key)
      const third = yield* live(path)
      assert.strictEqual(third.keyring.valid().length, 1)
      assert.deepStrictEqual(yield* third.reasons, [])
      yield* third.stop
    }).pipe(Effect.scoped)
  )

  it.effect("is no longer reported when a person retires it", () =>
    Effect.gen(function* () {
      const path = yield* dataDir
      const first = yield* live(path)
      const { fingerprint } = yield* first.secrets.add(Redacted.make("whsec_by_hand"))
      yield* first.stop
      yield* loseKey(path)
      const second = yield* live(path)
      yield* second.secrets.retire(fingerprint, { after: Duration.zero, isForced: false })
      assert.deepStrictEqual(yield* second.reasons, [])
      yield* second.stop
      const third = yield* live(path)
      assert.deepStrictEqual(yield* third.reasons, [])
      yield* third.stop
    }).pipe(Effect.scoped)
  )
})
