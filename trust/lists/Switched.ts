/**
 * The lists that a person would switch on in the review file: about a dozen, one for each way in which a list is read,
 * plus their parents. The file is read as it is documented, not by the product's own code.
 */
import { readFileSync, writeFileSync } from "node:fs"
import type { Dice } from "../../sandbox/Seed.ts"
import { shuffled } from "../Goal.ts"

export interface Column {
  readonly name: string
  readonly type: string
  readonly use: "keep" | "hash" | "drop"
  readonly from?: string
  readonly parameter?: string
}

export interface List {
  readonly read: string
  readonly kind: string
  readonly table: string
  readonly key: ReadonlyArray<string>
  readonly confidence: string
  readonly needs?: ReadonlyArray<string>
  readonly scope: ReadonlyArray<string>
  readonly sameAs?: string
  readonly parent?: { readonly table: string }
  readonly paging: { readonly style: string }
  readonly answer: { readonly total?: string }
  readonly refresh: { readonly every: string; readonly changed?: { readonly whole: string } }
  readonly columns: ReadonlyArray<Column>
}

const every = "1 second"
const whole = "2 seconds"
const most = 16

/** The way in which the list is read. */
const wayOf = ({ answer, paging, parent, refresh }: List): string =>
  [paging.style, answer.total !== undefined, parent === undefined, refresh.changed !== undefined].join(" ")

/** The truth of siteledger's own resources is elsewhere, and they are tested elsewhere. */
const own = new Set(["projects", "ipcs", "vos", "ncrs", "hse_incidents", "permits", "transmittals"])

const isUsable = ({ confidence, kind, needs = [], table }: List): boolean =>
  !own.has(table) && kind !== "not syncable" && confidence !== "low" && needs.length === 0

const withParents = (list: List, lists: ReadonlyArray<List>): ReadonlyArray<List> => {
  const parent = lists.find(({ table }) => table === list.parent?.table)
  return parent === undefined ? [list] : [...withParents(parent, lists), list]
}

export interface Switched {
  /** The lists that are on, without the projects, which always are. */
  readonly lists: ReadonlyArray<List>
  /** Lists that show the same records as this one. */
  readonly sameAs: (list: List) => ReadonlyArray<List>
}

/** Switches them on in the file. */
export const switchOn = (file: string, dice: Dice): Switched => {
  const review = JSON.parse(readFileSync(file, "utf8")) as { readonly lists: ReadonlyArray<List> }
  const chosen = new Set<List>()
  const ways = new Set<string>()
  for (const list of shuffled(dice, review.lists.filter(isUsable))) {
    if (ways.has(wayOf(list)) || chosen.size >= most) continue
    ways.add(wayOf(list))
    for (const each of withParents(list, review.lists)) chosen.add(each)
  }
  const lists = review.lists.map((list) => {
    const { changed } = list.refresh
    const refresh = { every, ...(changed === undefined ? {} : { changed: { ...changed, whole } }) }
    return { ...list, on: chosen.has(list) || list.table === "projects", refresh }
  })
  writeFileSync(file, JSON.stringify({ ...review, lists }))
  return {
    lists: [...chosen].filter(({ table }) => !own.has(table)),
    sameAs: (list) => lists.filter(({ sameAs, table }) => table === list.sameAs || sameAs === list.table)
  }
}
