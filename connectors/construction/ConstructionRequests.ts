/**
 * The requests for pages of a list of the review file: its path, what a person has it send, and the page. Pure.
 */
import { Duration, Result } from "effect"
import * as Parse from "../../config/Parse.ts"
import type { List } from "../../src/Discovery/Review.ts"
import type { Asked } from "./ConstructionPages.ts"

export interface Request {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

const given = (values: List["query"] = {}): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))

export const of = (list: List, asked: Asked): Request => ({
  path: list.read.replace(/^GET /, ""),
  query: { ...given(list.query), ...paged(list.paging, asked) },
  headers: given(list.headers)
})

/** Whether pages are numbered and the answer has a total, so that they can be asked for at once. */
export const isNumbered = ({ answer, paging }: Pick<List, "answer" | "paging">): boolean =>
  (paging.style === "page" || paging.style === "offset") && answer.total !== undefined

/** No more than the document allows; no size at all if the list can't be asked for one. */
export const asked = ({ paging }: List, page: number, perPage: number | undefined): Asked => {
  if (paging.style === "none" || paging.size === undefined || perPage === undefined) return { page, perPage: undefined }
  return { page, perPage: Math.min(perPage, paging.largest ?? perPage) }
}

const paged = (paging: List["paging"], { page, perPage }: Asked): Readonly<Record<string, string>> => {
  if (paging.style === "none") return {}
  const { size } = paging
  const sized = size === undefined || perPage === undefined ? {} : { [size]: String(perPage) }
  switch (paging.style) {
    case "page":
      return { ...sized, [paging.page]: String(page - 1 + paging.first) }
    case "offset":
      return { ...sized, [paging.offset]: String((page - 1) * (perPage ?? 0)) }
    default:
      return sized
  }
}

/** How often the list is walked. */
export const every = ({ refresh }: List, otherwise: Duration.Duration): Duration.Duration =>
  Result.getOrElse(Parse.duration(refresh.every), () => otherwise)
