/**
 * What an auditor checks: the books against their facts (`Ledger/Verify`), the facts against the signed bodies, and the
 * copies against the books: those in the warehouse and for analysts, and the journal of the newest export.
 */
import { type Cause, Effect, Option } from "effect"
import { AnalystCopy } from "../Lake/AnalystCopy.ts"
import { Lake } from "../Lake/Lake.ts"
import { Copies } from "../Ledger/Copies.ts"
import { mostDifferences } from "../Ledger/Verify.ts"
import { type Head, others as othersIn } from "../Ledger/Verify/Chained.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { readMeta, Store, type StoreError, writeMeta } from "../Stores/Store.ts"
import { Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"
import { Ahead } from "./Audit/Ahead.ts"
import { type Copy, differing, rowsOf } from "./Audit/Copied.ts"
import { inExport } from "./Audit/Journal.ts"
import { signed } from "./Audit/Signed.ts"
import { begin } from "./Audit/Taking.ts"

const reasonKey = "audit"
const metaKey = "audit_found"

/**
 * The first hundred differences, in words. Until the next audit, any difference is a critical reason, even after a
 * restart.
 */
export const audit = Effect.fn("audit")(function* (since?: Head) {
  const [{ bodies, differences: ofBodies, verified }, ofCopies] = yield* Effect.all([inBodies, inCopies], {
    concurrency: 2
  })
  const { differences: ofBooks, ...counts } = verified
  const others = yield* unlike(since)
  const differences = [...ofBooks, ...ofBodies, ...ofCopies].slice(0, mostDifferences)
  const found = sentenceOf(differences)
  yield* (yield* Store).transaction((tx) => writeMeta(tx, metaKey, found))
  yield* tell(found)
  // The given head may be mistyped, or from before a restore, so by itself this is no reason for alarm.
  return { ...counts, bodies, differences: others === undefined ? differences : [others, ...differences] }
})

/** Together with the books. */
const inBodies = Effect.gen(function* () {
  const ahead = yield* Effect.serviceOption(Ahead)
  if (Option.isSome(ahead)) return yield* ahead.value
  return yield* Effect.scoped(Effect.flatMap(begin, (begun) => signed(begun, mostDifferences)))
})

/** Undefined if the books are those of `since`. */
const unlike = Effect.fnUntraced(function* (since: Head | undefined) {
  return since === undefined ? undefined : yield* (yield* Store).run((db) => othersIn(db, since))
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

const inCopies = Effect.gen(function* () {
  // Without a worker there is no lake, and no copy that is being maintained.
  const [analysts, lake] = yield* Effect.all([Effect.serviceOption(AnalystCopy), Effect.serviceOption(Lake)])
  return [
    ...(yield* inWarehouse),
    ...(Option.isSome(analysts) ? yield* inAnalystCopy(analysts.value) : []),
    ...(Option.isSome(lake) ? yield* Effect.provideService(inExport, Lake, lake.value) : [])
  ]
})

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

const inAnalystCopy = Effect.fnUntraced(function* ({ query, status }: AnalystCopy["Service"]) {
  if ((yield* status).at === null) return []
  const copy: Copy<Cause.UnknownError, never> = {
    name: "The copy for analysts",
    query: (text) => Effect.map(query(rowsOf(text)), (rows) => rows ?? []),
    refresh: undefined
  }
  return yield* differing(copy, mostDifferences)
})
