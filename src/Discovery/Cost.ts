/**
 * What a walk of each list costs, in requests and in minutes of the plan, and therefore how often to walk it. A
 * document doesn't say how many records there are: until a person or a walk does, a number is assumed. Pure.
 */
import type { List, Paging } from "./Review.ts"

export const assumed = { list: 1000, child: 10 }

export interface Plan {
  readonly requestsPerMinute: number
  /** Records requested per page, if the document sets no limit. */
  readonly pageSize: number
}

type Costed = Pick<List, "paging" | "parent" | "records" | "table">

const sizeOf = (paging: Paging, { pageSize }: Plan): number => {
  if (paging.style === "none") return Number.POSITIVE_INFINITY
  const { largest = pageSize, size } = paging
  return size === undefined ? Math.min(largest, usualSize) : Math.min(largest, pageSize)
}

/** Without a parameter for it, the service decides how large a page is. */
const usualSize = 50

/** By table. */
export const costsOf = (lists: ReadonlyArray<Costed>, plan: Plan): ReadonlyMap<string, List["walk"]> => {
  const byTable = new Map(lists.map((list) => [list.table, list]))
  const found = new Map<string, List["walk"]>()
  const costOf = (list: Costed, depth: number): List["walk"] => {
    const known = found.get(list.table)
    if (known !== undefined) return known
    const above = list.parent === undefined ? undefined : byTable.get(list.parent.table)
    const parents = above === undefined || depth > 20 ? 1 : costOf(above, depth + 1).records
    const count = list.records ?? (list.parent === undefined ? assumed.list : parents * assumed.child)
    const each = Math.ceil(count / Math.max(1, parents) / sizeOf(list.paging, plan))
    const requests = Math.min(Number.MAX_SAFE_INTEGER, parents * Math.max(1, each))
    const walk = { records: Math.min(count, Number.MAX_SAFE_INTEGER), requests, minutes: minutesOf(requests, plan) }
    found.set(list.table, walk)
    return walk
  }
  for (const list of lists) costOf(list, 0)
  return found
}

const minutesOf = (requests: number, { requestsPerMinute }: Plan): number => {
  const minutes = requests / requestsPerMinute
  return Number(minutes.toPrecision(2))
}

const choices: ReadonlyArray<readonly [words: string, minutes: number]> = [
  ["1 hour", 60],
  ["6 hours", 360],
  ["1 day", 1440],
  ["1 week", 10_080]
]

/** A walk takes at most a tenth of the time between two walks. */
export const everyOf = ({ minutes }: Pick<List["walk"], "minutes">): string =>
  (choices.find(([, between]) => minutes * 10 <= between) ?? choices.at(-1))?.[0] ?? "1 week"
