/**
 * The chain of the books: its head, whether the books continue those whose head someone has kept, and whether the chain
 * holds when followed from the first fact to the last. Following is needed only if facts have no links of their own;
 * otherwise see `Links`.
 */
import type { Kysely } from "kysely"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import * as Chain from "../Chain.ts"

type Db = Kysely<StoreTables>

/** An entry's number and its link: `42:9f86d0…`, as accounting and each export have it. */
export interface Head {
  readonly sequence: number
  readonly chain: string
}

export const headOf = ({ chain, sequence }: Head): string => `${sequence}:${chain}`

/** Undefined if the text isn't a head. */
export const parseHead = (text: string): Head | undefined => {
  const [, sequence, chain] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? []
  return sequence === undefined || chain === undefined ? undefined : { sequence: Number(sequence), chain }
}

/** The head at the newest entry; null if no entry has a link. */
export const newestHead = async (db: Db): Promise<string | null> => {
  const newest = await db
    .selectFrom("ledger_entries")
    .select(["sequence", "chain"])
    .where("chain", "is not", null)
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst()
  return newest?.chain == null ? null : headOf({ sequence: Number(newest.sequence), chain: newest.chain })
}

/** In words, if these aren't the books of this head. */
export const others = async (db: Db, since: Head): Promise<string | undefined> => {
  const { chain, sequence } = since
  const entry = await db
    .selectFrom("ledger_entries")
    .select("chain")
    .where("sequence", "=", sequence)
    .executeTakeFirst()
  if (entry === undefined) return `The books have no entry ${sequence}, which they had.`
  return entry.chain === chain
    ? undefined
    : `The books up to entry ${sequence} aren't those of the head that you gave: they were changed since.`
}

/** In words; at most `most`. */
export const chained = async (db: Db, most: number): Promise<ReadonlyArray<string>> => {
  const differences: Array<string> = []
  let before = Chain.start
  const follow = (each: Chain.LinkedRows): void => {
    const { entries, fact } = each
    const { chain, number } = fact
    const expected = Chain.next(before, each)
    if (chain !== null && chain !== expected) differences.push(broken(number))
    // From here on the chain may hold again, so that only what was changed is named.
    before = chain ?? expected
    for (const entry of entries) if (entry.chain !== chain) differences.push(unlinked(entry))
  }
  for await (const some of Chain.linked(db)) for (const each of some) follow(each)
  return differences.slice(0, most)
}

export const broken = (number: number): string =>
  `The chain breaks at fact ${number}: after it was stored, the fact, what it brought or the one before it was changed.`

export const unlinked = ({ fact, sequence }: Pick<StoreTables["ledger_entries"], "fact" | "sequence">): string =>
  `Entry ${sequence} isn't linked to its fact, ${fact}.`
