/**
 * Holds with their amounts: the columns, and what they hold for those that were open before, by their facts. In either
 * engine's Store.
 */
import { type Kysely, sql } from "kysely"
import type { Migration } from "kysely/migration"
import type { StoreTables } from "../Stores/StoreTables.ts"
import * as Agreed from "./Agreed.ts"
import * as Books from "./Books.ts"
import * as Rows from "./Rows.ts"
import { folded } from "./Verify.ts"

export const migration: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const column of ["amount", "currency"]) {
      await sql`alter table ledger_holds add column ${sql.ref(column)} text`.execute(db)
    }
    await fill(db as Kysely<StoreTables>)
  }
}

const fill = async (db: Kysely<StoreTables>): Promise<void> => {
  const open = await db.selectFrom("ledger_holds").select("ipc_id").distinct().execute()
  const terms = await Agreed.agreed(db)
  for (const { ipc_id: ipcId } of open) {
    const facts = (await Books.factsOf(db, [ipcId])).get(ipcId) ?? []
    for (const hold of folded(ipcId, facts, terms).holds.values()) {
      const { amount, currency } = Rows.holdRow(hold)
      await db.updateTable("ledger_holds").set({ amount, currency }).where("hold_id", "=", hold.holdId).execute()
    }
  }
}
