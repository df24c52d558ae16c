/**
 * A list whose pages are found one after the other: by a cursor, by the last record, by a link, or by numbers without a
 * total; also the lists below the rows of a parent. The position of a walk is one text, from which another worker can
 * continue.
 *
 * A link is followed only below the base address, where the token may be sent.
 */
import { Effect, Schema } from "effect"
import type { List } from "../../src/Discovery/Review.ts"
import type * as Instant from "../../src/Domain/Instant.ts"
import type { Lane } from "../../src/Walk/Pace.ts"
import { type ChildList, type Parent, type SerialList, type SerialPage, SourceError } from "../../src/Walk/Source.ts"
import { changesOf, type Given } from "./ConstructionChanges.ts"
import { isUnchanged } from "./ConstructionAnswer.ts"
import { type RawList, totalOf, unchanged } from "./ConstructionPages.ts"
import { NotAsPromised } from "./ConstructionClient.ts"
import * as Requests from "./ConstructionRequests.ts"
import { type ListShape, placeOf } from "./ConstructionShapes.ts"

/** The position of a walk. */
const Bookmark = Schema.Struct({
  /** The number of the page, counted from 1. */
  page: Schema.Int,
  /** How many records the first page had. */
  size: Schema.optionalKey(Schema.Int),
  /** A cursor, the value of the last record, or an address. */
  from: Schema.optionalKey(Schema.String)
})
export type Bookmark = typeof Bookmark.Type

const BookmarkText = Schema.fromJsonString(Bookmark)
const written = (bookmark: Bookmark): string => JSON.stringify(bookmark)

/** Requests a page; `read` may refuse the answer. */
export type Ask = <A>(
  lane: Lane,
  request: Requests.Request,
  read: (list: RawList) => Effect.Effect<A, NotAsPromised>
) => Effect.Effect<A, SourceError>

interface Reading {
  readonly list: List
  readonly shape: ListShape
  readonly ask: Ask
  /** The path of the base address, without a trailing slash, and its origin. */
  readonly base: URL
  readonly pageSize: number
  readonly hashOf: (text: string) => string
  readonly erased?: Given["erased"]
}

type Parameters = Readonly<Record<string, string>>

export const serial = (reading: Reading): Pick<SerialList, "follow" | "isCounted"> => ({
  isCounted: reading.list.answer.total !== undefined,
  follow: (from, lane, since) => pageFrom(reading, { parameters: {}, from, since }, lane)
})

export const below = (
  reading: Reading,
  { parameters, table }: NonNullable<List["parent"]>
): Pick<ChildList, "followBelow" | "isCounted" | "parent"> => ({
  isCounted: reading.list.answer.total !== undefined,
  parent: { table, columns: [...new Set(Object.values(parameters))] },
  followBelow: (parent, from, lane) =>
    pageFrom(reading, { parameters: filled(parameters, parent), from, since: undefined }, lane)
})

const bookmarkIn = (text: string) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(BookmarkText)(text),
    () =>
      new SourceError({ reason: "OtherPage", message: "An earlier version left the walk at a place that isn't known." })
  )

/** By parameter. */
const filled = (parameters: Parameters, { values }: Parent): Parameters =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([parameter, column]) => {
      const value = values[column]
      return value == null ? [] : [[parameter, value]]
    })
  )

interface Wanted {
  readonly parameters: Parameters
  readonly from: string | undefined
  readonly since: Instant.Instant | undefined
}

const pageFrom = (
  reading: Reading,
  { from, parameters, since }: Wanted,
  lane: Lane
): Effect.Effect<SerialPage, SourceError> =>
  Effect.gen(function* () {
    const { ask, erased, hashOf, list, pageSize, shape } = reading
    const bookmark = from === undefined ? { page: 1 } : yield* bookmarkIn(from)
    const asked = Requests.asked(list, bookmark.page, bookmark.size ?? pageSize)
    const where = { from: bookmark.from, granted: bookmark.size, parameters, since }
    const request = Requests.following(list, asked, where)
    if (request === undefined) return yield* notThere(list)
    return yield* ask(lane, request, (raw) =>
      Effect.gen(function* () {
        const total = yield* totalOf(raw, shape)
        const next = yield* nextIn(reading, bookmark, raw, total)
        const { at: _at, ...page } = raw
        const given: Given = { parameters, hashOf, erased }
        const changes = changesOf(page, shape, given)
        return { ...changes, total: bookmark.page === 1 ? total : 0, next: next && written(next) }
      })
    )
  }).pipe(Effect.catchIf(isUnchanged, () => Effect.map(unchanged, (page) => ({ ...page, total: 0, next: undefined }))))

/** A value that isn't valid in a path identifies nothing. */
const notThere = ({ read }: List) =>
  new SourceError({
    reason: "Refused",
    isAbsent: true,
    message: `${read} can't be asked for where a value is missing, or can't stand in a path.`
  })

const text = (value: unknown): string | undefined =>
  (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : undefined

/** Undefined if this was the last page. */
const nextIn = (
  { base, list, shape }: Reading,
  bookmark: Bookmark,
  raw: RawList,
  total: number
): Effect.Effect<Bookmark | undefined, NotAsPromised> => {
  const { paging } = list
  const { page } = bookmark
  const then = (more: Partial<Bookmark>): Bookmark => ({ page: page + 1, ...more })
  // An answer that doesn't say so isn't taken for the last one.
  const isOver = "more" in paging && paging.more !== undefined && raw.at(placeOf(paging.more)) === false
  switch (paging.style) {
    case "none":
      return Effect.undefined
    case "page":
    case "offset": {
      // A service may grant fewer than requested, so the first page determines the page size.
      const size = bookmark.size ?? raw.records.length
      const isLast = list.answer.total === undefined ? raw.records.length < size : page * size >= total
      return Effect.succeed(raw.records.length === 0 || isLast ? undefined : then({ size }))
    }
    case "cursor": {
      const from = isOver ? undefined : text(raw.at(placeOf(paging.next)))
      return Effect.succeed(from === undefined ? undefined : then({ from }))
    }
    case "after": {
      const from = isOver ? undefined : text(Requests.sentValue(raw.records.at(-1), shape, paging.column))
      return Effect.succeed(from === undefined ? undefined : then({ from }))
    }
    case "link":
      return Effect.map(linkIn(base, list, raw.at(placeOf(paging.next))), (from) =>
        from === undefined ? undefined : then({ from })
      )
  }
}

/** An address below the base, from its path on. */
const linkIn = (
  base: URL,
  { paging, read }: List,
  value: unknown
): Effect.Effect<string | undefined, NotAsPromised> => {
  if (typeof value !== "string" || value === "") return Effect.undefined
  const isHeader = paging.style === "link" && paging.next.startsWith("header ")
  const address = isHeader ? nextOf(value) : value
  if (address === undefined) return Effect.undefined
  const url = URL.parse(address, `${base.href.replace(/\/$/, "")}/`)
  const below = base.pathname.replace(/\/$/, "")
  if (url?.origin !== base.origin || !url.pathname.startsWith(`${below}/`)) {
    return Effect.fail(
      new NotAsPromised({ message: `${read} names a next page at another address, which isn't followed.` })
    )
  }
  return Effect.succeed(`${url.pathname.slice(below.length)}${url.search}`)
}

/** From a Link header (RFC 8288). */
const nextOf = (header: string): string | undefined =>
  [...header.matchAll(/<([^>]*)>([^<]*)/g)].find(([, , parameters = ""]) =>
    /;\s*rel\s*=\s*"?(?:[^";]*\s)?next(?=[\s";,]|$)/i.test(parameters)
  )?.[1]
