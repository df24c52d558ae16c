/**
 * Whether the order of certified IPCs is the one that the facts give, and whether each IPC with cumulative certificates
 * was told what precedes it.
 */
import type { Kysely } from "kysely"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { Standing } from "../CertifiedOrder.ts"
import * as CertifiedOrder from "../CertifiedOrder.ts"
import { positionIn } from "../CertifiedOrder/Neighbours.ts"
import type { Terms } from "../Fact.ts"
import { certifiedAs } from "../Fold/CertifiedAs.ts"
import type { Books } from "../Fold/Known.ts"
import { isSaid, isSame, positionOf, precedingOf } from "../Fold/Position.ts"

/** In words, for books that follow from the facts. `terms`: the newest. */
export const misplaced = (
  books: Books,
  standing: Standing | undefined,
  terms: Terms | undefined
): ReadonlyArray<string> => {
  const { ipcId } = books
  const byFacts = positionOf(books)
  const position = standing === undefined ? undefined : positionIn(standing.own, byFacts?.certificates)
  const found = isSame(position, byFacts)
    ? none
    : [`IPC ${ipcId} isn't where its certificates put it among those of its project.`]
  if (position === undefined || terms === undefined) return found
  if (certifiedAs(position.projectId, terms) !== "cumulative") return found
  const before = standing?.before
  const preceding = precedingOf(before && positionIn(before, books.preceding?.said.certificates), position)
  if (isSaid(books, preceding)) return found
  const what = preceding.ipcId === null ? "it is the first of its project" : `IPC ${preceding.ipcId} precedes it`
  return [...found, `IPC ${ipcId}: its facts don't say that ${what}, with its certificates.`]
}

const none: ReadonlyArray<string> = []

/** In words; at most `most`. */
export const strangers = async (db: Kysely<StoreTables>, most: number): Promise<ReadonlyArray<string>> =>
  (await CertifiedOrder.strangers(db, most)).map(
    (ipcId) => `IPC ${ipcId} is among the certified ones, and the books know nothing of it.`
  )
