/** A store with a log of its rows, in a folder; and changes of them. */
import { join } from "node:path"
import { Effect } from "effect"
import { Store, writeMeta } from "../../../src/Stores/Store.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"

export const logged = <A, E>(path: string, body: Effect.Effect<A, E, Store>) =>
  Effect.scoped(Effect.provide(body, Sqlite.layerAt(join(path, "store.sqlite"), { isLogged: true }), { local: true }))

export const run = <A>(query: Parameters<Store["Service"]["run"]>[0]) =>
  Effect.flatMap(Store, (store) => store.run(query) as Effect.Effect<A, never>)

const secret = (id: number) => ({
  id,
  subscription_id: null,
  sealed: `sealed ${id}`,
  fingerprint: `f${id}`,
  added_at: "2026-11-20T02:00:00.000000Z",
  retired_at: null,
  expires_at: null,
  last_used_at: null
})

export const fact = (number: number) => ({
  number,
  ipc_id: "9007199254740993",
  kind: "payment",
  known_at: "2026-11-20T02:00:00.000000Z",
  content: `{"amount":"${number}.10"}`
})

/** Rows that are added, changed and deleted. */
export const change = (from: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    yield* store.transaction(async (tx) => {
      await tx
        .insertInto("webhook_secrets")
        .values([secret(from), secret(from + 1)])
        .execute()
      await tx
        .insertInto("ledger_facts")
        .values([fact(from), fact(from + 1)])
        .execute()
      await tx
        .updateTable("webhook_secrets")
        .set({ retired_at: "2026-11-21T00:00:00.000000Z" })
        .where("id", "=", from + 1)
        .execute()
      await tx.deleteFrom("webhook_secrets").where("id", "=", from).execute()
      await writeMeta(tx, "ledger_epoch", String(from))
    })
  })
