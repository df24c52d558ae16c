/**
 * The requests for pages of a list in the review file, and for its single records: the path, the values that a person
 * has configured, and the page. Pure.
 */
import { Duration, Result } from "effect"
import * as Parse from "../../config/Parse.ts"
import type { List } from "../../src/Discovery/Review.ts"
import type { Instant } from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import { filtering } from "./ConstructionChanged.ts"
import type { Asked } from "./ConstructionPages.ts"
import { find } from "./ConstructionPlaces.ts"
import { Cut } from "./ConstructionRecords.ts"
import type { ListShape } from "./ConstructionShapes.ts"

type Texts = Readonly<Record<string, string>>

export interface Request {
  /** Below the base address; may end with its own query. */
  readonly path: string
  readonly query: Texts
  readonly headers: Texts
}

const given = (values: List["query"] = {}): Texts =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))

const pathOf = ({ read }: List): string => read.replace(/^GET /, "")

/** `granted`: how many records a page has, once that is known. `since`: only what changed since then. */
export const of = (list: List, asked: Asked, granted = asked.perPage, since?: Instant): Request => {
  const filter = filterOf(list, since)
  return {
    path: pathOf(list),
    query: { ...given(list.query), ...filter.query, ...paged(list.paging, asked, granted) },
    headers: { ...given(list.headers), ...filter.headers }
  }
}

const filterOf = ({ refresh: { changed } }: List, since: Instant | undefined): ReturnType<typeof filtering> =>
  changed === undefined || since === undefined ? { query: {}, headers: {} } : filtering(changed, since)

/** Whether pages are numbered and the answer has a total, so that pages can be requested concurrently. */
export const isNumbered = ({ answer, paging, parent }: List): boolean =>
  (paging.style === "page" || paging.style === "offset") && answer.total !== undefined && parent === undefined

/** No more than the document allows; no size at all if the list has no parameter for it. */
export const asked = ({ paging }: List, page: number, perPage: number | undefined): Asked => {
  if (paging.style === "none" || paging.size === undefined || perPage === undefined) return { page, perPage: undefined }
  return { page, perPage: Math.min(perPage, paging.largest ?? perPage) }
}

const paged = (paging: List["paging"], { page, perPage }: Asked, granted = 0): Texts => {
  if (paging.style === "none") return {}
  const { size } = paging
  const sized = size === undefined || perPage === undefined ? {} : { [size]: String(perPage) }
  switch (paging.style) {
    case "page":
      return { ...sized, [paging.page]: String(page - 1 + paging.first) }
    case "offset":
      return { ...sized, [paging.offset]: String((page - 1) * granted) }
    default:
      return sized
  }
}

interface Where {
  /** How many records the first page had. */
  readonly granted: number | undefined
  /** A cursor, the value of the last record, or an address. */
  readonly from: string | undefined
  /** The values that identify the parent. */
  readonly parameters: Texts
  readonly since: Instant | undefined
}

/** Undefined if a value is missing or isn't valid in a path. */
export const following = (list: List, asked: Asked, where: Where): Request | undefined => {
  const { from, granted, parameters, since } = where
  const { paging } = list
  const { headers, path, query } = of(list, asked, granted, since)
  // The address contains everything that the query had.
  if (paging.style === "link" && from !== undefined) return { path: from, query: {}, headers }
  const names = Object.keys(list.parent?.parameters ?? {})
  const inPath = names.filter((name) => path.includes(`{${name}}`))
  if (names.some((name) => parameters[name] === undefined)) return undefined
  const filled = inPath.reduce<string | undefined>((text, name) => withValue(text, name, parameters[name] ?? ""), path)
  if (filled === undefined) return undefined
  const inQuery = names.filter((name) => !inPath.includes(name))
  const named = Object.fromEntries(inQuery.map((name) => [name, parameters[name] ?? ""]))
  return { path: filled, query: { ...query, ...named, ...followed(paging, from) }, headers }
}

const followed = (paging: List["paging"], from: string | undefined): Texts => {
  if (from === undefined) return {}
  if (paging.style === "cursor") return { [paging.cursor]: from }
  return paging.style === "after" ? { [paging.after]: from } : {}
}

/** A value of only dots would lead elsewhere. */
const withValue = (path: string | undefined, name: string, value: string): string | undefined =>
  path === undefined || /^\.{0,2}$/.test(value) ? undefined : path.replaceAll(`{${name}}`, encodeURIComponent(value))

/** For one record, by `detail`, whose path has one parameter. Undefined if the id isn't valid in a path. */
export const single = (list: List, id: string): Request | undefined => {
  const path = (list.detail ?? "").replace(/^GET /, "")
  const filled = withValue(path, /\{([^{}]*)\}/.exec(path)?.[1] ?? "", id)
  return filled === undefined ? undefined : { path: filled, query: {}, headers: given(list.headers) }
}

/** A column's value in a record, in the form in which the service sent it and accepts it. */
export const sentValue = (record: unknown, { columns, key }: ListShape, column: string): unknown => {
  const value = record instanceof Cut ? record.value : record
  if (!Json.isObject(value)) return undefined
  const names =
    columns.find(([name]) => name === column)?.[1] ?? key.flatMap((part) => ("names" in part ? part.names : []))
  return find([{ path: "", fields: value }], names)?.value
}

/**
 * How often the list is walked, and how often as a whole. A child list is always walked completely: asking below a
 * parent what changed costs one request, and usually so does the list itself.
 */
export const refreshed = (
  { parent, refresh: { changed, every } }: List,
  otherwise: Duration.Duration
): { readonly every: Duration.Duration; readonly whole?: Duration.Duration } => {
  const lasting = (text: string) => Result.getOrElse(Parse.duration(text), () => otherwise)
  if (changed === undefined || parent !== undefined) return { every: lasting(every) }
  return { every: lasting(every), whole: lasting(changed.whole) }
}
