/**
 * Whether the chain of the books holds, and whether they continue those of which someone has kept the head.
 */
import type { Kysely } from "kysely"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import * as Chain from "../Chain.ts"

/** An entry by its number, and its link: `42:9f86d0…`, as accounting and each export have it. */
export interface Head {
  readonly sequence: number
  readonly chain: string
}

export const headOf = ({ chain, sequence }: Head): string => `${sequence}:${chain}`

/** Undefined if it isn't one. */
export const parseHead = (text: string): Head | undefined => {
  const [, sequence, chain] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? []
  return sequence === undefined || chain === undefined ? undefined : { sequence: Number(sequence), chain }
}

export interface Chained {
  /** Of the newest entry; null if no entry has a link. */
  readonly head: string | null
  /** In words. */
  readonly differences: ReadonlyArray<string>
  /** The books aren't those of the head that was given; undefined: they are, or none was. */
  readonly others: string | undefined
}

export const chained = async (db: Kysely<StoreTables>, since: Head | undefined, most: number): Promise<Chained> => {
  const differences: Array<string> = []
  let [before, head] = [Chain.start, null as string | null]
  let found = since === undefined ? "" : `The books have no entry ${since.sequence}, which they had.`
  const follow = (each: Chain.LinkedRows): void => {
    const { entries, fact } = each
    const { chain, number } = fact
    const expected = Chain.next(before, each)
    if (chain !== null && chain !== expected) differences.push(broken(number))
    // From here on the chain may hold again: only what was changed is named.
    before = chain ?? expected
    for (const entry of entries) {
      if (entry.chain !== chain) differences.push(`Entry ${entry.sequence} isn't linked to its fact, ${number}.`)
      const isOf = entry.sequence === since?.sequence
      if (isOf) found = entry.chain === since?.chain ? "" : other(since)
      if (entry.chain !== null) head = headOf({ sequence: entry.sequence, chain: entry.chain })
    }
  }
  for await (const some of Chain.linked(db)) for (const each of some) follow(each)
  return { head, differences: differences.slice(0, most), others: found === "" ? undefined : found }
}

const broken = (number: number): string =>
  `The chain breaks at fact ${number}: after it was stored, the fact, what it brought or the one before it was changed.`

const other = ({ sequence }: Head): string =>
  `The books up to entry ${sequence} aren't those of the head that you gave: they were changed since.`
