/**
 * The epoch of the books: 1, and one more whenever they are restored, moved or repaired. Another store may have
 * continued from the same backup, so a sequence number alone could stand for two entries. Together with the epoch it
 * never does.
 */
import type { Kysely, Transaction } from "kysely"
import { readMeta, writeMeta } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"

/** In the Store's meta. */
export const key = "ledger_epoch"

/** From the value in the meta. */
export const read = (value: string | undefined): number => Number(value ?? 1)

export const epochOf = async (db: Kysely<StoreTables>): Promise<number> => read(await readMeta(db, key))

/** The next one, from the value in the meta. */
export const after = (value: string | undefined): number => read(value) + 1

/**
 * Raises the epoch above its value here and in any store that is known to have continued from the same books. Returns
 * it.
 */
export const raise = async (tx: Transaction<StoreTables>, elsewhere = 0): Promise<number> => {
  const epoch = Math.max(await epochOf(tx), elsewhere) + 1
  await writeMeta(tx, key, String(epoch))
  return epoch
}
