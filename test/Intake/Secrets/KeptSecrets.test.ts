/** Webhook secrets at rest: sealed, opened by the next start, and never in the clear, whatever was there. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted } from "effect"
import { Kysely } from "kysely"
import { Migrator } from "kysely/migration"
import { dialect, openFile, storePath } from "../../../src/Stores/Sqlite/Store.ts"
import { migrations } from "../../../src/Stores/Sqlite/Migrations.ts"
import type { StoreTables } from "../../../src/Stores/StoreTables.ts"
import { dataDir, filesWith, live, loseKey } from "./SecretsWorld.ts"

const text = (key: { readonly export: () => unknown }): string => String(key.export())

/** As the release before sealed secrets left it: secrets in the clear, and traces of them in pages that were rewritten. */
const olderStore = (path: string, secrets: ReadonlyArray<string | null>) =>
  Effect.promise(async () => {
    const database = openFile(storePath(path))
    const db = new Kysely<StoreTables>({ dialect: dialect(database) })
    const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateTo(
      "0003_ids"
    )
    if (error !== undefined) throw error
    const insert = database.prepare("insert into subscriptions (url, events, secret, created_at) values (?, ?, ?, ?)")
    const events = JSON.stringify(Array.from({ length: 15 }, (_, index) => `some.event.type.${index}`))
    for (const secret of secrets) insert.run("https://x.example/h", events, secret, "2026-11-19T02:00:00.000000Z")
    // Rows that grow move to other pages and leave their bytes behind.
    for (const padding of [4000, 20, 3000, 10]) {
      database.prepare("update subscriptions set events = ?").run(events.padEnd(padding))
    }
    database.prepare("delete from subscriptions where id % 7 = 0").run()
    await db.destroy()
  })

describe("secrets that an older version kept in the clear", () => {
  it.effect("are sealed by the first start; no byte of them is left in the file or its log", () =>
    Effect.gen(function* () {
      const path = yield* dataDir
      const plain = Array.from({ length: 20 }, (_, index) => `whsec_MARKED_${index}`)
      yield* olderStore(path, [...plain, null])
      assert.deepStrictEqual(filesWith(path, "whsec_MARKED"), ["store.sqlite"])
      const world = yield* live(path)
      assert.deepStrictEqual(filesWith(path, "whsec_MARKED"), [])
      const kept = plain.filter((_, index) => (index + 1) % 7 !== 0)
      assert.deepStrictEqual(
        world.keyring.valid().map(({ key, subscriptionId }) => [text(key), subscriptionId]),
        kept.map((secret) => [secret, plain.indexOf(secret) + 1])
      )
      yield* world.stop
      const next = yield* live(path)
      assert.deepStrictEqual(
        next.keyring.valid().map(({ key }) => text(key)),
        kept
      )
      yield* next.stop
    }).pipe(Effect.scoped)
  )

  it.effect("are wiped by the next start when the first one died in between", () =>
    Effect.gen(function* () {
      const path = yield* dataDir
      yield* olderStore(path, ["whsec_MARKED"])
      const world = yield* live(path)
      // The trace that a death between sealing and wiping leaves.
      yield* world.store.run((db) =>
        db.insertInto("meta").values({ key: "plain_secrets_to_scrub", value: "due" }).execute()
      )
      const notes = {
        url: "whsec_MARKED",
        events: "",
        secret: null,
        created_at: "",
        verified_at: null,
        retired_at: null
      }
      yield* world.store.run((db) => db.insertInto("subscriptions").values(notes).execute())
      yield* world.store.run((db) => db.deleteFrom("subscriptions").where("url", "=", notes.url).execute())
      yield* world.stop
      assert.include(readFileSync(join(path, "store.sqlite"), "latin1"), "whsec_MARKED")
      const next = yield* live(path)
      assert.deepStrictEqual(filesWith(path, "whsec_MARKED"), [])
      yield* next.stop
    }).pipe(Effect.scoped)
  )
})

describe("a secret whose key is lost", () => {
  it.effect("is not valid; it is named with what to do, and opens again with its key", () =>
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

  it.effect("is over when a person retires it", () =>
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
