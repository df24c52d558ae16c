/**
 * Whether the order of certified IPCs is the one that the facts give, and whether each IPC whose certificates are cumulative was
 * told what precedes it.
 */
import { Effect } from "effect"
import type { Kysely, Transaction } from "kysely"
import { oneAtATime } from "../../Stores/Sql.ts"
import type { Store, StoreError } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import * as Agreed from "../Agreed.ts"
import * as CertifiedOrder from "../CertifiedOrder.ts"
import { type Books, empty } from "../Fold/Known.ts"
import { isSaid } from "../Fold/Position.ts"
import { read } from "../StoredBooks.ts"

/** In words, of these books. */
export const places = async (db: Kysely<StoreTables>, books: ReadonlyArray<Books>): Promise<ReadonlyArray<string>> =>
  (await CertifiedOrder.misplaced(db, books)).map(
    (ipcId) => `IPC ${ipcId} isn't where its certificates put it among those of its project.`
  )

/** In words, at most so many. A project at a time, in its turn at the books. */
export const preceding = (store: Store["Service"], most: number): Effect.Effect<ReadonlyArray<string>, StoreError> =>
  Effect.gen(function* () {
    const terms = yield* store.run(Agreed.newestIn)
    const projects = terms === undefined ? [] : yield* store.run((db) => CertifiedOrder.projects(db, terms))
    const strangers = yield* store.run((db) => CertifiedOrder.strangers(db, most))
    const found = strangers.map(
      (ipcId) => `IPC ${ipcId} is among the certified ones, and the books know nothing of it.`
    )
    for (const project of projects) {
      if (found.length >= most) break
      found.push(...(yield* store.transaction((tx) => untold(tx, project))))
    }
    return found.slice(0, most)
  })

const untold = async (tx: Transaction<StoreTables>, project: string): Promise<ReadonlyArray<string>> => {
  await oneAtATime(tx, "ledger")
  const found: Array<string> = []
  for await (const told of CertifiedOrder.inProject(tx, project)) {
    const books = await read(
      tx,
      told.map(({ ipcId }) => ipcId)
    )
    for (const { ipcId, preceding } of told) {
      if (isSaid(books.get(ipcId) ?? empty(ipcId), preceding)) continue
      const before = preceding.ipcId === null ? "it is the first of its project" : `IPC ${preceding.ipcId} precedes it`
      found.push(`IPC ${ipcId}: its facts don't say that ${before}, with its certificates.`)
    }
  }
  return found
}
