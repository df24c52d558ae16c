/** A store with a log of its rows, and the vault that it is backed up to: a folder. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert } from "@effect/vitest"
import { Effect, Redacted, Semaphore } from "effect"
import * as Follow from "../../../src/Operate/Backup/Follow.ts"
import * as Lineage from "../../../src/Operate/Backup/Lineage.ts"
import * as Vault from "../../../src/Operate/Backup/Vault.ts"
import * as Restore from "../../../src/Operate/Backup/Restore.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { temporaryFolder } from "../../Folders.ts"
import { delivery } from "../../Stores/Postgres/World.ts"
import { change } from "../../Stores/RowLog/World.ts"

export const key = Redacted.make("ab".repeat(32))

export const vaultAt = (folder: string, by = key) => Vault.open({ address: { kind: "folder", path: folder }, key: by })

/** With its store open. */
export const within = <A, E>(dataDir: string, body: Effect.Effect<A, E, Store>) =>
  Effect.scoped(
    Effect.provide(body, Sqlite.layerAt(join(dataDir, "store.sqlite"), { isLogged: true }), { local: true })
  )

export const receive = (...bodies: ReadonlyArray<string>) =>
  Effect.flatMap(Store, ({ deliveries }) =>
    Effect.promise(async () => {
      for (const body of bodies) await deliveries.receive([delivery(body)])
    })
  )

/** Rows are logged within a second: until all that have changed are. */
export const logged = Effect.gen(function* () {
  const store = yield* Store
  while (true) {
    const left = yield* store.run((db) => db.selectFrom("row_changes").select("id").limit(1).execute())
    const { rows } = yield* (store.following ?? (yield* Effect.die("nothing is logged"))).ends
    const facts = yield* store.run((db) => db.selectFrom("ledger_facts").select("number").execute())
    if (left.length === 0 && rows.last > facts.length) return
    yield* Effect.sleep("20 millis")
  }
})

export const follower = Effect.fnUntraced(function* (vault: Vault.Vault, writer = "a") {
  const store = yield* Store
  const following = store.following ?? (yield* Effect.die("nothing is logged"))
  const tidying = yield* Semaphore.make(1)
  return { vault, store, following, writer, tidying } satisfies Follow.Follower
})

/** A lineage of this process, and as many turns as wanted. */
export const begun = Effect.fnUntraced(function* (vault: Vault.Vault, writer?: string) {
  const own = yield* follower(vault, writer)
  const lineage = yield* Lineage.begin(vault, own.store, own.following)
  return { ...own, lineage, turn: Follow.turn(own, lineage) }
})

/** All at once: begins, and brings the vault up to date. */
export const backedUp = (folder: string, writer?: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const begins = yield* begun(yield* vaultAt(folder), writer)
      yield* begins.turn
      return begins.lineage
    })
  )

export const restoredTo = (folder: string, file: string, by = key) =>
  Effect.scoped(
    Effect.gen(function* () {
      const vault = yield* vaultAt(folder, by)
      const tip = yield* Restore.tipAt(vault)
      return { ...(yield* Restore.into(vault, tip, file)), tip }
    })
  )

/** Rows of a file, as text. */
export const rowsIn = (file: string, sql: string): string => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return JSON.stringify(database.prepare(sql).all())
  } finally {
    database.close()
  }
}

const irreplaceable = [
  "select * from webhook_secrets order by id",
  "select * from ledger_facts order by number",
  "select value from meta where key = 'ledger_epoch'"
]
export const bodies =
  "select sequence, cast(body as text) as body, deliveries, headers, secret from inbox order by sequence"

export const assertSame = (one: string, other: string, queries: ReadonlyArray<string> = irreplaceable): void => {
  for (const sql of queries) assert.strictEqual(rowsIn(one, sql), rowsIn(other, sql), sql)
}

/** Of the backup, in the order of their names. */
export const chunksOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".chunk"))
    .toSorted()
    .map((name) => join(folder, name))

export const world = () => {
  const at = temporaryFolder()
  return {
    dataDir: join(at, "data"),
    folder: join(at, "backup"),
    file: join(at, "made"),
    store: join(at, "data/store.sqlite")
  }
}

/** Some deliveries, one of them twice, and rows that are added, changed and deleted. */
export const life = Effect.gen(function* () {
  yield* receive("one", "two", "one", "three")
  yield* change(1)
  yield* logged
})

export const failing = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)
