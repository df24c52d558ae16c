/**
 * A page of a list (interface document §2.2, §4.1), with its records as the service sent them. A page that isn't in the
 * expected shape (HTML, truncated, another shape) is refused as a whole.
 */
import { hash } from "node:crypto"
import { Clock, Effect } from "effect"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import * as JsonPointer from "../../src/Domain/JsonPointer.ts"
import type { Page } from "../../src/Walk/Source.ts"
import { type Answer, NotAsPromised } from "./ConstructionClient.ts"
import { at } from "./ConstructionPlaces.ts"
import { cut, firstAt, type Forms } from "./ConstructionRecords.ts"
import { type ListShape, projectsShape } from "./ConstructionShapes.ts"

/** A page as it came, with or without counts. */
export interface RawList extends Pick<Page, "observedMicros" | "receivedAt"> {
  readonly records: ReadonlyArray<unknown>
  /** Hex, of the whole body: breaks ties between versions. */
  readonly sha256: string
  /** The value at a place of the answer, other than the records. */
  readonly at: (place: string) => unknown
}

/** A page with its counts. */
export interface RawPage extends Omit<RawList, "at">, Pick<Page, "page" | "perPage" | "total"> {}

/** How much older than its request a page may be: clock skew and replica lag. */
const marginMs = 5_000

const documented = projectsShape()

const notAsPromised = ({ path }: ListShape, what: string) =>
  Effect.fail(new NotAsPromised({ message: `GET ${path} answered ${what}.` }))

/** More than any service has, and the most that the Store's columns hold. */
const mostCounted = 2 ** 31 - 1

const isCount = (value: unknown, least: number): value is number =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= mostCounted

const notJson = (text: string): string => {
  if (text.trim() === "") return "without a body"
  if (/^\s*</.test(text)) return "with HTML, perhaps the login or error page of a proxy"
  return "with something that isn't JSON or is truncated"
}

/** What a request asked for: used if the answer doesn't repeat it. */
export interface Asked {
  readonly page: number
  readonly perPage: number | undefined
}

/** Reads the records. With `forms`, most of them are a Cut. */
export const readList = (answer: Answer, shape: ListShape, forms?: Forms): Effect.Effect<RawList, NotAsPromised> => {
  const { data } = shape.places
  const pieces = forms && cut(answer.body?.windows() ?? [answer.text], data, forms)
  const body = pieces === undefined ? Json.parse(answer.text) : pieces.body
  if (body === undefined) return notAsPromised(shape, notJson(answer.text))
  const records = pieces?.records ?? recordsIn(body, data)
  if (!Array.isArray(records)) return notAsPromised(shape, `without ${neededIn(shape)}`)
  return Effect.succeed({
    records: records as ReadonlyArray<unknown>,
    at: (place) => valueAt(body, answer, place),
    ...seenIn(answer)
  })
}

/** Reads one record; none if there is no object at its place. */
export const readOne = (
  answer: Answer,
  path: string,
  place: string
): Effect.Effect<Omit<RawList, "at">, NotAsPromised> => {
  const body = Json.parse(answer.text)
  if (body === undefined)
    return Effect.fail(new NotAsPromised({ message: `GET ${path} answered ${notJson(answer.text)}.` }))
  const record = JsonPointer.at(body, place)
  return Effect.succeed({ records: Json.isObject(record) ? [record] : [], ...seenIn(answer) })
}

const seenIn = (answer: Answer): Pick<RawList, "observedMicros" | "receivedAt" | "sha256"> => ({
  observedMicros: Math.max(0, (observedMs(answer) - marginMs) * 1000),
  receivedAt: Instant.fromMillis(answer.endedMs),
  sha256: answer.body?.sha256 ?? hash("sha256", answer.text)
})

/** Reads the records and the three counts, with numbers as they were written. With `forms`, most records are a Cut. */
export const readPage = (
  answer: Answer,
  shape = documented,
  { asked, forms }: { readonly asked?: Asked; readonly forms?: Forms } = {}
): Effect.Effect<RawPage, NotAsPromised> =>
  Effect.flatMap(readList(answer, shape, forms), ({ at: valueIn, ...list }) => {
    const { page: pages, per_page: sizes, total: totals } = shape.places
    const total = countAt(valueIn, totals)
    const page = pageIn(shape, countAt(valueIn, pages)) ?? (pages.length === 0 ? asked?.page : undefined)
    const perPage = countAt(valueIn, sizes) ?? (sizes.length === 0 ? sizeOf(list, asked) : undefined)
    if ([total, page, perPage].includes(undefined)) return notAsPromised(shape, `without ${neededIn(shape)}`)
    if (!isCount(total, 0) || !isCount(page, 0) || !isCount(perPage, 1)) {
      return notAsPromised(shape, "with counts that aren't integers up to 2,147,483,647")
    }
    return Effect.succeed({ ...list, total, page, perPage })
  })

/** The total of a list, if the service counts it. */
export const totalOf = ({ at: valueIn }: RawList, shape: ListShape): Effect.Effect<number, NotAsPromised> => {
  const { total: totals } = shape.places
  const total = totals.length === 0 ? 0 : countAt(valueIn, totals)
  return isCount(total, 0) ? Effect.succeed(total) : notAsPromised(shape, "without a total that is a whole number")
}

const neededIn = (shape: ListShape): string => {
  if (shape.path === documented.path) {
    return "`data` and `pagination` (SITELEDGER_ENVELOPE says where else they are)"
  }
  const { data, page, per_page, total } = shape.places
  const all = [...data, ...total, ...page, ...per_page].map((place) => (place === "" ? "an array" : `\`${place}\``))
  return `${all.join(", ")}, as its list in the review file says`
}

/** Counted from 1. */
const pageIn = ({ first }: ListShape, page: unknown): unknown => (typeof page === "number" ? page + 1 - first : page)

/** For an answer that doesn't show it. */
const sizeOf = ({ records }: Pick<RawList, "records">, asked: Asked | undefined): number =>
  asked?.perPage ?? Math.max(1, records.length)

/** "" is the answer itself. */
const recordsIn = (body: unknown, places: ReadonlyArray<string>): unknown =>
  places.includes("") && Array.isArray(body) ? body : firstAt(body, places)

const valueAt = (body: unknown, { headers }: Answer, place: string): unknown => {
  const header = /^header (.+)$/.exec(place)?.[1]
  return header === undefined ? at(body, place) : headers?.[header.toLowerCase()]
}

/** Only a header has it as text: a text in the body isn't a count. */
const countAt = (valueIn: RawList["at"], places: ReadonlyArray<string>): unknown => {
  for (const place of places) {
    const found = valueIn(place)
    if (place.startsWith("header ") && /^\d{1,10}$/.test(String(found))) return Number(found)
    if (found !== undefined) return found
  }
  return undefined
}

/** The result for an answer that says that nothing changed. */
export const unchanged = Effect.map(Clock.currentTimeMillis, (now) => ({
  changes: [],
  bad: [],
  records: 0,
  observedMicros: Math.max(0, now - marginMs) * 1000,
  receivedAt: Instant.fromMillis(now)
}))

/** The start of the request by the service's clock; by ours if it sends no Date. */
const observedMs = ({ startedMs, endedMs, serviceMs }: Answer): number =>
  serviceMs === undefined ? startedMs : serviceMs - (endedMs - startedMs)
