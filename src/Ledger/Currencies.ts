/**
 * The configured currencies of projects, for analysts. They are copied into the warehouse at every start, because the
 * service's records carry none and sums must not mix them.
 *
 * They come from the newest terms in the Store, so a rebuilt or moved warehouse gets the same ones again. Written only
 * if they differ.
 */
import { Effect } from "effect"
import { byName } from "../Domain/Resource.ts"
import { readKey } from "../Domain/Value.ts"
import { oneAtATime } from "../Stores/Sql.ts"
import { Store } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import type { CurrencyRow } from "../Stores/WarehouseTables.ts"
import { newestTerms } from "./Agreed.ts"
import type { Terms } from "./Fact.ts"

export const rowsOf = ({
  currencies,
  currency
}: Pick<Terms, "currencies" | "currency">): ReadonlyArray<CurrencyRow> => [
  ...(currency === null ? [] : [{ id: "default", project_id: null, currency }]),
  ...Object.entries(currencies)
    // Only ids in canonical form name a project: `007` names none.
    .filter(([id]) => readKey(byName("projects"), id) === id)
    .map(([id, own]) => ({ id, project_id: id, currency: own }))
]

const inOrder = (rows: ReadonlyArray<CurrencyRow>): string =>
  rows
    .map(({ currency, id }) => `${id}=${currency}`)
    .toSorted()
    .join()

/** Until a worker has started, nothing is known. If workers start together, the newest terms win. */
export const copy = Effect.gen(function* () {
  const store = yield* Store
  const warehouse = yield* Warehouse
  const replace = Effect.gen(function* () {
    yield* store.transaction((tx) => oneAtATime(tx, "ledger"))
    const terms = yield* newestTerms(store)
    if (terms === undefined) return
    const currencies = rowsOf(terms)
    const had = yield* warehouse.query((db) => db.selectFrom("construction.project_currencies").selectAll().execute())
    if (inOrder(had) !== inOrder(currencies)) yield* warehouse.write({ changes: [], events: [], currencies })
  })
  yield* store.atomically(replace)
})
