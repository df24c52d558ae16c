/**
 * A list whose pages are found one after the other: by a cursor, by the last record, by a link, or by numbers without a total;
 * and a list below each row of a parent. Where the walk is stands in one text, from which another worker can go on.
 *
 * A link is followed only below the base address, where the token may go. A parent whose list isn't there (404) is passed
 * over, and said: what was seen then isn't taken for the whole.
 */
import { Clock, Effect, Schema } from "effect"
import type { List } from "../../src/Discovery/Review.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import type { Lane } from "../../src/Walk/Pace.ts"
import type { Parent, Parents } from "../../src/Walk/Parents.ts"
import { type SerialList, type SerialPage, SourceError } from "../../src/Walk/Source.ts"
import { changesOf, type Given } from "./ConstructionChanges.ts"
import { type RawList, totalOf } from "./ConstructionPages.ts"
import { NotAsPromised } from "./ConstructionClient.ts"
import * as Requests from "./ConstructionRequests.ts"
import { type ListShape, placeOf } from "./ConstructionShapes.ts"

/** Where a walk is. */
const Bookmark = Schema.Struct({
  /** Its key, and what fills the parameters. */
  parent: Schema.optionalKey(
    Schema.Struct({ key: Schema.String, values: Schema.Record(Schema.String, Schema.String) })
  ),
  /** The number of the page, from 1. */
  page: Schema.Int,
  /** How many records the first page had. */
  size: Schema.optionalKey(Schema.Int),
  /** A cursor, the value of the last record, or an address. */
  from: Schema.optionalKey(Schema.String)
})
export type Bookmark = typeof Bookmark.Type

const BookmarkText = Schema.fromJsonString(Bookmark)
const written = (bookmark: Bookmark): string => JSON.stringify(bookmark)

/** Asks for a page; the answer may be refused by `read`. */
export type Ask = <A>(
  lane: Lane,
  request: Requests.Request,
  read: (list: RawList) => Effect.Effect<A, NotAsPromised>
) => Effect.Effect<A, SourceError>

interface Reading {
  readonly list: List
  readonly shape: ListShape
  readonly ask: Ask
  /** Of a child list. */
  readonly parents: Parents | undefined
  /** The path of the base address, without a slash at its end, and its origin. */
  readonly base: URL
  readonly pageSize: number
  readonly hashOf: (text: string) => string
}

export const serial = (reading: Reading): Pick<SerialList, "follow" | "isCounted" | "parent"> => {
  const { list } = reading
  return {
    isCounted: list.answer.total !== undefined,
    ...(list.parent === undefined ? {} : { parent: list.parent.table }),
    follow: (from, lane) =>
      Effect.gen(function* () {
        const bookmark = from === undefined ? yield* firstOf(reading, undefined) : yield* bookmarkIn(from)
        if (bookmark === undefined) return yield* nothing
        const { link, next } = yield* pageAt(reading, bookmark, lane)
        const later = next ?? (bookmark.parent && (yield* firstOf(reading, bookmark.parent.key)))
        return { ...link, next: later && written(later) }
      })
  }
}

const bookmarkIn = (text: string) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(BookmarkText)(text),
    () =>
      new SourceError({ reason: "OtherPage", message: "An earlier version left the walk at a place that isn't known." })
  )

const nothing: Effect.Effect<SerialPage> = Effect.map(Clock.currentTimeMillis, (now) => ({
  changes: [],
  bad: [],
  records: 0,
  total: 0,
  observedMicros: now * 1000,
  receivedAt: Instant.fromMillis(now),
  next: undefined
}))

/** The first page of the list, or of the list of the parent after this one. */
const firstOf = (
  { list, parents }: Reading,
  after: string | undefined
): Effect.Effect<Bookmark | undefined, SourceError> =>
  parents === undefined
    ? Effect.succeed({ page: 1 })
    : Effect.map(parents.after(after), (parent) =>
        parent === undefined ? undefined : { page: 1, parent: { key: parent.key, values: filled(list, parent) } }
      )

/** By parameter. */
const filled = ({ parent }: List, { values }: Parent): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(parent?.parameters ?? {}).flatMap(([parameter, column]) => {
      const value = values[column]
      return value == null ? [] : [[parameter, value]]
    })
  )

interface Paged {
  readonly link: Omit<SerialPage, "next">
  readonly next: Bookmark | undefined
}

const pageAt = (reading: Reading, bookmark: Bookmark, lane: Lane): Effect.Effect<Paged, SourceError> =>
  Effect.gen(function* () {
    const { ask, hashOf, list, pageSize, shape } = reading
    const parameters = bookmark.parent?.values ?? {}
    const asked = Requests.asked(list, bookmark.page, bookmark.size ?? pageSize)
    const request = Requests.following(list, asked, { from: bookmark.from, granted: bookmark.size, parameters })
    if (request === undefined) return yield* passedOver(reading, bookmark)
    return yield* ask(lane, request, (raw) =>
      Effect.gen(function* () {
        const total = yield* totalOf(raw, shape)
        const next = yield* nextIn(reading, bookmark, raw, total)
        const { at: _at, ...page } = raw
        const given: Given = { parameters, hashOf }
        return { link: { ...changesOf(page, shape, given), total: bookmark.page === 1 ? total : 0 }, next }
      })
    ).pipe(
      Effect.catchIf(
        ({ isAbsent }) => isAbsent === true && bookmark.parent !== undefined,
        () => passedOver(reading, bookmark)
      )
    )
  })

/** The list below this parent isn't there. */
const passedOver = ({ list }: Reading, { parent }: Bookmark) =>
  Effect.map(nothing, (link): Paged => ({
    link: { ...link, disturbance: `${list.read} isn't there for ${parent?.key ?? ""} of ${list.parent?.table ?? ""}.` },
    next: undefined
  }))

const text = (value: unknown): string | undefined =>
  (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : undefined

/** Undefined: this was the last page. */
const nextIn = (
  { base, list, shape }: Reading,
  bookmark: Bookmark,
  raw: RawList,
  total: number
): Effect.Effect<Bookmark | undefined, NotAsPromised> => {
  const { paging } = list
  const { page, parent } = bookmark
  const then = (more: Partial<Bookmark>): Bookmark => ({ ...(parent && { parent }), page: page + 1, ...more })
  // An answer that doesn't say it isn't taken for the last one.
  const isOver = "more" in paging && paging.more !== undefined && raw.at(placeOf(paging.more)) === false
  switch (paging.style) {
    case "none":
      return Effect.undefined
    case "page":
    case "offset": {
      // A service may give fewer than it was asked for, so the first page says how many a page has.
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

/** Of a Link header (RFC 8288). */
const nextOf = (header: string): string | undefined =>
  [...header.matchAll(/<([^>]*)>([^<]*)/g)].find(([, , parameters = ""]) =>
    /;\s*rel\s*=\s*"?(?:[^";]*\s)?next(?=[\s";,]|$)/i.test(parameters)
  )?.[1]
