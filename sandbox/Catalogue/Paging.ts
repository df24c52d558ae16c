/**
 * The ways in which a list is paged: the parameters that ask for a page, the facts that an answer states about it, and
 * how both are computed. A size above the largest is lowered to it. A page past the end is empty.
 *
 * Page numbers and offsets count places, so removing records during a walk moves other records. A cursor is the number
 * of the last record shown, so it stays right.
 *
 * Pure.
 */
import type { Schema } from "./Kinds.ts"
import type { Paging } from "./Table.ts"

export type ParameterName = "page" | "per_page" | "limit" | "cursor" | "offset"

export interface Parameter {
  readonly schema: Schema
  readonly description: string
}

const sized = "A larger number than the service allows is lowered."

export const parameters: Readonly<Record<ParameterName, Parameter>> = {
  page: { schema: { type: "integer", minimum: 1, default: 1 }, description: "Which page, from 1." },
  per_page: { schema: { type: "integer", minimum: 1 }, description: `Records per page. ${sized}` },
  limit: { schema: { type: "integer", minimum: 1 }, description: `The most records to return. ${sized}` },
  cursor: { schema: { type: "string" }, description: "Where to go on: from the answer before." },
  offset: { schema: { type: "integer", minimum: 0, default: 0 }, description: "How many records to skip." }
}

export interface Asked {
  /** By name; they are checked to be whole numbers. */
  readonly numbers: Readonly<Partial<Record<ParameterName, number>>>
  readonly cursor: string | undefined
  readonly size: { readonly standard: number; readonly most: number }
}

export interface Shown {
  readonly records: ReadonlyArray<number>
  /** The facts that the answer states about the page, by name. */
  readonly facts: Readonly<Record<string, unknown>>
  /** The parameters of the next page, which replace those of this one; undefined: this is the last page. */
  readonly next: Readonly<Record<string, string>> | undefined
}

export interface Style {
  readonly parameters: ReadonlyArray<ParameterName>
  /** JSON Schemas of the facts beside the records. */
  readonly facts: Readonly<Record<string, Schema>>
  /** The next page is named by a `Link` header. */
  readonly hasLink: boolean
  /** `all`: the numbers of the list's records, ascending. Undefined: the cursor isn't valid. */
  readonly show: (all: ReadonlyArray<number>, asked: Asked) => Shown | undefined
}

const whole = { type: "integer", minimum: 0 }

const cursorOf = (last: number): string => Buffer.from(`after:${last}`).toString("base64url")

const lastOf = (cursor: string | undefined): number | undefined => {
  if (cursor === undefined) return -1
  const [, digits] = /^after:(\d{1,9})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? []
  return digits === undefined ? undefined : Number(digits)
}

const sizeOf = ({ numbers, size }: Asked): number =>
  Math.min(numbers.per_page ?? numbers.limit ?? size.standard, size.most)

const numbered = (all: ReadonlyArray<number>, asked: Asked) => {
  const [page, size] = [asked.numbers.page ?? 1, sizeOf(asked)]
  const records = all.slice((page - 1) * size, page * size)
  const next = page * size < all.length ? { page: String(page + 1), per_page: String(size) } : undefined
  return { page, size, records, next }
}

const afterCursor = (all: ReadonlyArray<number>, asked: Asked) => {
  const last = lastOf(asked.cursor)
  if (last === undefined) return undefined
  const size = sizeOf(asked)
  const rest = all.filter((number) => number > last)
  const records = rest.slice(0, size)
  const cursor = rest.length > size ? cursorOf(records.at(-1) ?? last) : undefined
  return { records, cursor, next: cursor === undefined ? undefined : { cursor, limit: String(size) } }
}

export const styles: Readonly<Record<Paging, Style>> = {
  page: {
    parameters: ["page", "per_page"],
    facts: { total: whole, page: whole, per_page: whole },
    hasLink: false,
    show: (all, asked) => {
      const { next, page, records, size } = numbered(all, asked)
      return { records, next, facts: { total: all.length, page, per_page: size } }
    }
  },
  more: {
    parameters: ["page", "per_page"],
    facts: { page: whole, has_more: { type: "boolean" } },
    hasLink: false,
    show: (all, asked) => {
      const { next, page, records } = numbered(all, asked)
      return { records, next, facts: { page, has_more: next !== undefined } }
    }
  },
  cursor: {
    parameters: ["cursor", "limit"],
    facts: { next_cursor: { type: ["string", "null"] } },
    hasLink: false,
    show: (all, asked) => {
      const shown = afterCursor(all, asked)
      return shown && { ...shown, facts: { next_cursor: shown.cursor ?? null } }
    }
  },
  link: {
    parameters: ["page", "per_page"],
    facts: {},
    hasLink: true,
    show: (all, asked) => ({ ...numbered(all, asked), facts: {} })
  },
  offset: {
    parameters: ["offset", "limit"],
    facts: { offset: whole, limit: whole, total: whole },
    hasLink: false,
    show: (all, asked) => {
      const [offset, limit] = [asked.numbers.offset ?? 0, sizeOf(asked)]
      const records = all.slice(offset, offset + limit)
      const after = offset + records.length
      const next = after < all.length ? { offset: String(after), limit: String(limit) } : undefined
      return { records, next, facts: { offset, limit, total: all.length } }
    }
  },
  whole: {
    parameters: [],
    facts: {},
    hasLink: false,
    show: (all) => ({ records: all, facts: {}, next: undefined })
  }
}
