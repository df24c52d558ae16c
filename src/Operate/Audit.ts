/**
 * What an auditor checks: the books against their facts (`Ledger/Verify`), the facts against the signed bodies, and the
 * copy in the warehouse against the books.
 */
import { Effect } from "effect"
import { Copies } from "../Ledger/Copies.ts"
import { Ledger } from "../Ledger/Ledger.ts"
import { mostDifferences } from "../Ledger/Verify.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { readMeta, Store, type StoreError, writeMeta } from "../Stores/Store.ts"
import { Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"
import { type Copy, differing, rowsOf } from "./Audit/Copied.ts"
import { signed } from "./Audit/Signed.ts"

const reasonKey = "audit"
const metaKey = "audit_found"

/** The first hundred differences, in words. Until the next audit, any of them is a critical reason, also after a restart. */
export const audit = Effect.gen(function* () {
  const { differences: ofBooks, ...counts } = yield* (yield* Ledger).verify
  const { bodies, differences: ofBodies } = yield* signed(mostDifferences)
  const differences = [...ofBooks, ...ofBodies, ...(yield* inWarehouse)].slice(0, mostDifferences)
  const found = sentenceOf(differences)
  yield* (yield* Store).transaction((tx) => writeMeta(tx, metaKey, found))
  yield* tell(found)
  return { ...counts, bodies, differences }
})

/** What the last audit found. */
export const remembered = Effect.gen(function* () {
  yield* tell((yield* (yield* Store).run((db) => readMeta(db, metaKey))) ?? "")
})

const tell = (found: string) =>
  Effect.flatMap(Reasons, (reasons) =>
    found === "" ? reasons.clear(reasonKey) : reasons.set(reasonKey, found, "critical")
  )

/** Empty if there are none. */
const sentenceOf = ([first, ...others]: ReadonlyArray<string>): string => {
  if (first === undefined) return ""
  const count = others.length === 0 ? "" : ` and ${others.length} more (\`siteledger ledger verify\` names them)`
  return `The books don't agree with what was signed and stored. ${first}${count}`
}

const inWarehouse = Effect.gen(function* () {
  const warehouse = yield* Warehouse
  // It shows the books themselves.
  if ((yield* warehouse.books) === undefined) return []
  const { catchUp: refresh } = yield* Copies
  yield* refresh
  const copy: Copy<StoreError | WarehouseError, never> = {
    name: "The warehouse",
    query: (text) => warehouse.query(rowsOf(text)),
    refresh
  }
  return yield* differing(copy, mostDifferences)
})
