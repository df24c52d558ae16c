/**
 * Updates a review file to what a document now offers: what a person wrote stays; new parts are added, switched off;
 * and what is gone is marked and stays until a person deletes it. Pure.
 */
import { addressOf } from "../Operations.ts"
import { costsOf } from "../Cost.ts"
import { free } from "../../Domain/Names.ts"
import type { Column, List, Review } from "../Review.ts"

export interface Revised {
  readonly review: Review
  /** As sentences: what is new, what is gone, and where the file and the document differ. */
  readonly changes: ReadonlyArray<string>
}

/** `found`: what the document offers. The plan is the current one. */
export const revise = (written: Review, found: Review): Revised => {
  const before = new Map(written.lists.map((list) => [addressOf(list.read), list]))
  const now = new Map(found.lists.map((list) => [addressOf(list.read), list]))
  const changes: Array<string> = []
  const taken = written.lists.flatMap(({ nested = [], table }) => [table, ...nested.map((each) => each.table)])
  const renaming = renamings(found, before, new Set(taken))
  const kept = written.lists.map((list) => {
    const fresh = now.get(addressOf(list.read))
    return fresh === undefined ? goneFrom(list, changes) : keptWith(list, renaming.of(fresh), changes)
  })
  const added = found.lists
    .filter(({ read }) => !before.has(addressOf(read)))
    .map((list) => {
      const named = renaming.of(list)
      changes.push(`new: ${named.read}, off, as ${named.table}.`)
      return { ...named, on: false }
    })
  const lists = [...kept, ...added]
  const costs = costsOf(lists, found.plan)
  return {
    review: { ...found, lists: lists.map((list) => ({ ...list, walk: costs.get(list.table) ?? list.walk })) },
    changes
  }
}

/** Lists as they are found, but with the names of tables and of parents' columns from the file. */
const renamings = (found: Review, before: ReadonlyMap<string, List>, taken: Set<string>) => {
  const tables = new Map<string, string>()
  const columns = new Map<string, ReadonlyMap<string, string>>()
  for (const { columns: fresh, read, table } of found.lists) {
    const kept = before.get(addressOf(read))
    const name = kept?.table ?? free(table, taken)
    taken.add(name)
    tables.set(table, name)
    const bySource = new Map((kept?.columns ?? fresh).map((column) => [sourceOf(column), column.name]))
    columns.set(table, new Map(fresh.map((column) => [column.name, bySource.get(sourceOf(column)) ?? column.name])))
  }
  const tableOf = (name: string): string => tables.get(name) ?? name
  const of = (list: List): List => {
    const { parent, sameAs, table } = list
    const above = parent === undefined ? undefined : columns.get(parent.table)
    const filled = Object.entries(parent?.parameters ?? {}).map(([name, column]) => [
      name,
      above?.get(column) ?? column
    ])
    const nested = list.nested?.map((each) => {
      const name = free(each.table, taken)
      taken.add(name)
      return { ...each, table: name }
    })
    return {
      ...list,
      ...(nested === undefined ? {} : { nested }),
      table: tableOf(table),
      ...(parent === undefined
        ? {}
        : {
            parent: { table: tableOf(parent.table), parameters: Object.fromEntries(filled) as Record<string, string> }
          }),
      ...(sameAs === undefined ? {} : { sameAs: tableOf(sameAs) })
    }
  }
  return { of }
}

const goneFrom = (list: List, changes: Array<string>): List => {
  changes.push(`gone: ${list.read}${list.on ? ", which is on" : ""} (${list.table}).`)
  return { ...list, gone: true }
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Where a person's choice and the document may differ, and both should be known. */
const compared = ["key", "parent", "answer", "paging", "scope"] as const

const keptWith = (list: List, fresh: List, changes: Array<string>): List => {
  for (const part of compared) {
    if (!same(list[part], fresh[part])) {
      changes.push(`differs: ${list.read} has another ${part} in the document; the file's stays.`)
    }
  }
  const { gone: _gone, needs: _needs, problems: _problems, ...kept } = list
  return {
    ...kept,
    kind: fresh.kind,
    confidence: fresh.confidence,
    reasons: fresh.reasons,
    ...(fresh.problems === undefined ? {} : { problems: fresh.problems }),
    ...(fresh.needs === undefined ? {} : { needs: fresh.needs }),
    columns: columnsWith(list, fresh, changes),
    ...nestedWith(list, fresh, changes)
  }
}

/** Matched by the column that has the list, regardless of how the file names the table. */
const nestedWith = (list: List, fresh: List, changes: Array<string>): Pick<List, "nested"> => {
  const bySource = new Map(list.columns.map((column) => [sourceOf(column), column.name]))
  const found = new Map(
    (fresh.nested ?? []).map((nested) => {
      const column = fresh.columns.find(({ name }) => name === nested.column)
      const name = (column && bySource.get(sourceOf(column))) ?? nested.column
      return [name, { ...nested, column: name }]
    })
  )
  const kept = (list.nested ?? []).map((nested) => {
    const now = found.get(nested.column)
    const [before, after] = [nested, now].map((each) => ({
      read: `${list.read} ${nested.table}`,
      columns: each?.columns ?? []
    }))
    return now === undefined ? nested : { ...nested, columns: columnsWith(before!, after!, changes) }
  })
  const known = new Set(kept.map(({ column }) => column))
  const added = [...found.values()].filter(({ column }) => !known.has(column))
  for (const { column, table } of added) changes.push(`new: ${list.read} has a list in ${column}, off, as ${table}.`)
  const nested = [...kept, ...added]
  return nested.length === 0 ? {} : { nested }
}

const sourceOf = ({ from, name, parameter }: Column): string =>
  parameter === undefined ? (from ?? `/${name}`) : `parameter ${parameter}`

type OfColumns = Pick<List, "columns" | "read">

const columnsWith = (list: OfColumns, fresh: OfColumns, changes: Array<string>): ReadonlyArray<Column> => {
  const now = new Map(fresh.columns.map((column) => [sourceOf(column), column]))
  const before = new Set(list.columns.map(sourceOf))
  const names = new Set(list.columns.map(({ name }) => name))
  const kept = list.columns.map((column): Column => {
    const { gone, ...rest } = column
    const found = now.get(sourceOf(column))
    if (found === undefined) {
      if (gone !== true) changes.push(`gone: ${list.read} has no ${column.name} any more.`)
      return { ...rest, gone: true }
    }
    if (found.type !== column.type) {
      changes.push(
        `differs: ${list.read} has ${column.name} as ${column.type} in the file, ${found.type} in the document; the file's stays.`
      )
    }
    return rest
  })
  const added = fresh.columns
    .filter((column) => !before.has(sourceOf(column)))
    .map((column): Column => {
      const name = free(column.name, names)
      names.add(name)
      changes.push(`new: ${list.read} has ${name} ${column.type}.`)
      const isMoved = name !== column.name && column.parameter === undefined
      return { ...column, name, ...(isMoved ? { from: column.from ?? `/${column.name}` } : {}) }
    })
  return [...kept, ...added]
}
