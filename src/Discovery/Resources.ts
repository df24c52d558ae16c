/**
 * The lists of a review file that are on, as resources of the warehouse: a table for each, or more columns for a table
 * that every warehouse has. Pure, except for the references through which a worker gets them.
 */
import { Context } from "effect"
import {
  byName,
  type Column as TableColumn,
  commonColumns,
  entityNames,
  type Resource,
  tableColumns
} from "../Domain/Resource.ts"
import type { Column, List, Review } from "./Review.ts"
import { nestedOf } from "./Review/Nested.ts"

/** The lists that a worker walks besides the one that the interface document shows. */
export const SwitchedOn = Context.Reference<ReadonlyArray<List>>("siteledger/SwitchedOn", { defaultValue: () => [] })

export const switchedOn = ({ lists }: Review): ReadonlyArray<List> => lists.filter(({ on }) => on)

/** Its records are named by one column, called `id`. */
export const isNamedById = ({ key }: List): boolean => key.length === 1 && key[0] === "id"

const placeOf = ({ from, name, parameter }: Column): string =>
  parameter === undefined ? `the field ${from ?? `/${name}`}` : `the parameter ${parameter} of the request`

const described = (column: Column): Omit<TableColumn, "name"> => ({
  type: column.use === "hash" ? "VARCHAR" : column.type,
  says: column.use === "hash" ? `A keyed hash of ${placeOf(column)}.` : `The value of ${placeOf(column)}.`,
  since: 1
})

const columnsBut = (list: List, isTaken: (name: string) => boolean): Resource["columns"] =>
  Object.fromEntries(
    list.columns
      .filter(({ name, use }) => use !== "drop" && !isTaken(name))
      .map((column) => [column.name, described(column)])
  )

/** By top-level field of a record. */
const fieldsOf = ({ columns }: List): NonNullable<Resource["fields"]> =>
  new Map(
    columns.flatMap(({ from, name, parameter, use }) => {
      const [, field = "", inner] = (from ?? `/${name}`).split("/")
      if (parameter !== undefined || inner !== undefined || name === "id") return []
      const unescaped = field.replaceAll("~1", "/").replaceAll("~0", "~")
      // A hash is computed from the page's value, so the plain value isn't stored.
      return [[unescaped, use === "keep" ? name : null]]
    })
  )

export const resourceOf = (list: List): Resource => {
  const nested = nestedOf(list)
  return { ...withoutNested(list), ...(nested.length === 0 ? {} : { nested }) }
}

const withoutNested = (list: List): Resource => {
  const known = entityNames.find((name) => name === list.table)
  if (known !== undefined) {
    const resource = byName(known)
    const names = new Set(tableColumns(resource).map(({ name }) => name))
    return { ...resource, columns: { ...resource.columns, ...columnsBut(list, (name) => names.has(name)) } }
  }
  const isOwn = (name: string) => Object.hasOwn(commonColumns, name)
  const shared = {
    name: list.table,
    says: `What ${list.read} lists.`,
    stages: [],
    fields: fieldsOf(list),
    isWhole: true as const,
    ...((list.newFields ?? "evolve") === "evolve" ? { learns: true as const } : {})
  }
  if (!isNamedById(list)) {
    return { ...shared, key: "VARCHAR", keyColumn: "_key", columns: columnsBut(list, isOwn) }
  }
  const id = list.columns.find(({ name }) => name === "id")
  const columns = columnsBut(list, (name) => name === "id" || isOwn(name))
  return { ...shared, key: id?.type === "BIGINT" && id.use !== "hash" ? "BIGINT" : "VARCHAR", columns }
}
