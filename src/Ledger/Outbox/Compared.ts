/**
 * What a comparison with the accounting system settles: entries that it has, or that it must not get, are no longer
 * sent.
 */
import type { Transaction } from "kysely"
import { isAmong } from "../../Stores/Sql.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { AccountingFact } from "../Fact.ts"
import { inTurn } from "./Messages.ts"

export const settle = async (
  tx: Transaction<StoreTables>,
  entryIds: ReadonlyArray<string>,
  { by, knownAt, reason }: Pick<AccountingFact, "by" | "knownAt" | "reason">
): Promise<void> => {
  if (entryIds.length === 0) return
  await inTurn(tx)
  await tx
    .updateTable("ledger_outbox")
    .set({ state: "delivered", delivered_at: knownAt, last_error: `Compared by ${by}: ${reason}` })
    .where(isAmong(tx, "entry_id", entryIds))
    .where("state", "<>", "delivered")
    .execute()
}
