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
import { isSaid, type Position } from "../Fold/Position.ts"
import { read } from "../StoredBooks.ts"

/** In words, of these books. */
export const places = async (db: Kysely<StoreTables>, books: ReadonlyArray<Books>): Promise<ReadonlyArray<string>> =>
  (await CertifiedOrder.misplaced(db, books)).map(
    (ipcId) => `IPC ${ipcId} isn't where its certificates put it among those of its project.`
  )

/** In words, at most so many. A thousand IPCs of a project at a time, in one turn at the books. */
export const preceding = (store: Store["Service"], most: number): Effect.Effect<ReadonlyArray<string>, StoreError> =>
  Effect.gen(function* () {
    const terms = yield* store.run(Agreed.newestIn)
    const projects = terms === undefined ? [] : yield* store.run((db) => CertifiedOrder.projects(db, terms))
    const strangers = yield* store.run((db) => CertifiedOrder.strangers(db, most))
    const found = strangers.map(
      (ipcId) => `IPC ${ipcId} is among the certified ones, and the books know nothing of it.`
    )
    for (const project of projects) {
      for (let last: Position | undefined; found.length < most;) {
        const from = last
        const page = yield* store.transaction((tx) => untold(tx, project, from))
        found.push(...page.found)
        if (page.last === undefined) break
        last = page.last
        yield* Effect.yieldNow
      }
    }
    return found.slice(0, most)
  })

const untold = async (tx: Transaction<StoreTables>, project: string, from: Position | undefined) => {
  await oneAtATime(tx, "ledger")
  const { last, told } = await CertifiedOrder.after(tx, project, from)
  const books = await read(
    tx,
    told.map(({ ipcId }) => ipcId)
  )
  const found = told
    .filter(({ ipcId, preceding }) => !isSaid(books.get(ipcId) ?? empty(ipcId), preceding))
    .map(({ ipcId, preceding }) => {
      const before = preceding.ipcId === null ? "it is the first of its project" : `IPC ${preceding.ipcId} precedes it`
      return `IPC ${ipcId}: its facts don't say that ${before}, with its certificates.`
    })
  return { found, last }
}
