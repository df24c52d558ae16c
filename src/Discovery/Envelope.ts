/**
 * Where an answer has its rows and what it says about the whole list, judged by names and shape. The rows are an array,
 * or an array in an object that has a name usual for such arrays, stands beside a total, a cursor or the like, or is
 * the object's only content.
 *
 * Places are JSON Pointers into the answer ("" is the answer itself), or `header NAME`. Pure.
 */
import { below } from "./Document.ts"
import { plain, singular, words } from "../Domain/Names.ts"
import { type Fields, formatOf, type Shape, type Shapes } from "./Shape.ts"
import type { Operation } from "./Operations.ts"

export interface Places {
  /** The number of records in the whole list. */
  readonly total?: string
  readonly page?: string
  readonly size?: string
  /** A token for the next page. */
  readonly next?: string
  /** The address of the next page. */
  readonly nextUrl?: string
  /** Whether there is another page. */
  readonly more?: string
}

export interface Envelope {
  readonly rows: string
  readonly item: Fields
  readonly places: Places
  readonly reason: string
  /** 0 means no doubt. */
  readonly doubt: number
}

/** How strongly a name suggests that an array holds the rows. */
const rowNames: ReadonlyMap<string, number> = new Map([
  ["data", 10],
  ["items", 10],
  ["results", 10],
  ["records", 10],
  ["rows", 9],
  ["entries", 8],
  ["list", 8],
  ["value", 7],
  ["values", 8],
  ["content", 7],
  ["objects", 7],
  ["elements", 7],
  ["resources", 7],
  ["collection", 7],
  ["nodes", 6],
  ["hits", 6]
])

const names: Readonly<Record<keyof Places, ReadonlySet<string>>> = {
  total: new Set(
    "total totalcount totalitems totalresults totalrecords totalelements totalrows totalhits itemcount recordcount numfound odatacount resultcount totalentries totalsize totalobjects count".split(
      " "
    )
  ),
  page: new Set("page currentpage pagenumber pageindex number".split(" ")),
  size: new Set("perpage pagesize limit itemsperpage pagelimit size".split(" ")),
  next: new Set(
    "nextcursor nextpagetoken nexttoken nextpage nextpagecursor nextmarker cursor endcursor next after continuationtoken lastid nextpageid nextid startingafter".split(
      " "
    )
  ),
  nextUrl: new Set("next nexturl nexturi nextlink nextpageurl nextpageuri odatanextlink nextpage nexthref".split(" ")),
  more: new Set("hasmore hasnext hasnextpage more morerecords moreresults hasmorepages".split(" "))
}

/** Objects beside the rows that describe the list. */
const aboutNames =
  /^(meta|metadata|pagination|paging|page|pageinfo|pages|links|link|cursors?|resultinfo|responsemetadata|pager|info|next|nextpage|searchmetadata|listinfo)$/

const deepest = 3

interface Candidate {
  readonly pointer: string
  readonly item: Shape
  readonly score: number
  readonly beside: Fields
}

const isEmpty = (places: Places): boolean => Object.keys(places).length === 0

/** Undefined if it contains no rows. */
export const envelopeOf = (shapes: Shapes, operation: Operation): Envelope | undefined => {
  const { answer } = operation
  if ("problem" in answer) return undefined
  const { headers, shape } = answer
  if (shape.kind === "array") {
    const item = shapes.of(shape.items)
    if (item.kind !== "object") return undefined
    return { rows: "", item, places: inHeaders(headers), reason: "The answer is an array.", doubt: 0 }
  }
  if (shape.kind !== "object") return undefined
  const places = { ...inHeaders(headers), ...placesIn(shapes, shape) }
  const [best, second] = candidatesIn(shapes, shape, operation.path, isPaged(places)).toSorted(
    (a, b) => b.score - a.score
  )
  if (best === undefined || best.item.kind !== "object" || best.score < leastScore(operation.path)) return undefined
  const isSure = best.score >= surelyRows && (second === undefined || second.score < best.score)
  const shown = Object.values(places).filter((place) => place.startsWith("/"))
  return {
    rows: best.pointer,
    item: best.item,
    places,
    reason: `The rows are at ${best.pointer}${shown.length === 0 ? "" : `, beside ${shown.join(", ")}`}.`,
    doubt: isSure ? 0 : 1
  }
}

const surelyRows = 12

/**
 * A path that ends in a parameter names one thing, whose arrays are its parts. There, only an envelope with paging
 * counts as a list.
 */
const leastScore = (path: string): number => (path.endsWith("}") ? 16 : 8)

const isPaged = ({ more, next, nextUrl, total }: Places): boolean =>
  [more, next, nextUrl, total].some((place) => place !== undefined)

const candidatesIn = (shapes: Shapes, root: Fields, path: string, paged: boolean): ReadonlyArray<Candidate> => {
  const last = path.split("/").findLast((part) => part !== "" && !part.includes("{")) ?? ""
  const wanted = new Set([plain(last), ...words(last).map(singular)])
  const isRecord = ["id", "uuid"].some((name) => root.fields.has(name))
  const found: Array<Candidate> = []
  const look = (object: Fields, pointer: string, depth: number): void => {
    for (const [name, schema] of object.fields) {
      const shape = shapes.of(schema)
      if (shape.kind === "object" && depth < deepest && object.fields.size <= 12 && depth + object.fields.size < 14) {
        look(shape, below(pointer, name), depth + 1)
      }
      if (shape.kind !== "array") continue
      const item = shapes.of(shape.items)
      const isNamed = wanted.has(plain(name)) || wanted.has(singular(plain(name)))
      const score =
        (isNamed ? 10 : (rowNames.get(plain(name)) ?? 0)) +
        (paged ? 6 : 0) +
        (item.kind === "object" ? 3 : -20) +
        (arraysIn(shapes, object) === 1 && object.fields.size <= 6 ? 5 : 0) -
        (isRecord ? 15 : 0) -
        2 * depth
      found.push({ pointer: below(pointer, name), item, score, beside: object })
    }
  }
  look(root, "", 0)
  return found
}

const arraysIn = (shapes: Shapes, object: Fields): number =>
  [...object.fields.values()].filter((schema) => shapes.of(schema).kind === "array").length

/** At the top level, and in objects with a name that suggests that they describe the list. */
const placesIn = (shapes: Shapes, root: Fields): Places => {
  const found: { -readonly [Name in keyof Places]: Places[Name] } = {}
  const look = (object: Fields, pointer: string, depth: number): void => {
    for (const [name, schema] of object.fields) {
      const shape = shapes.of(schema)
      const place = below(pointer, name)
      if (
        shape.kind === "object" &&
        depth < deepest &&
        (depth > 0 || aboutNames.test(plain(name)) || isWrapper(name))
      ) {
        look(shape, place, depth + 1)
      }
      if (shape.kind !== "scalar") continue
      const role = roleOf(plain(name), place, shape.type, formatOf(shape))
      if (role !== undefined && (found[role] === undefined || isBetter(role, plain(name)))) found[role] = place
    }
  }
  look(root, "", 0)
  return found
}

/** `data: {items, total}`. */
const isWrapper = (name: string): boolean => /^(data|result|response|payload|body)$/i.test(name)

/** A count may be that of the page only. */
const isBetter = (role: keyof Places, name: string): boolean =>
  role === "total" && name !== "count" && name.startsWith("total")

const roleOf = (name: string, place: string, type: string, format: string): keyof Places | undefined => {
  if (type === "boolean") return names.more.has(name) ? "more" : undefined
  if (type === "integer" || type === "number") {
    return (["total", "page", "size", "next"] as const).find(
      (role) => names[role].has(name) && (role !== "next" || name.startsWith("next"))
    )
  }
  const isLink = /\/(_?links?)\//i.test(place) || /^ur[il]|^iri/.test(format) || /ur[il]$|link$|href$/.test(name)
  if (isLink && (names.nextUrl.has(name) || (name === "href" && /\/next\/href$/i.test(place)))) return "nextUrl"
  if (names.next.has(name) || /\/next[^/]*\/(offset|token|page_?token|cursor|after|page)$/i.test(place)) return "next"
  return names.nextUrl.has(name) ? "nextUrl" : undefined
}

const inHeaders = (headers: ReadonlyArray<string>): Places => {
  const total = headers.find((name) =>
    /^(x-)?(total(-count|-items)?|total-results|pagination-total(-count)?|count)$/i.test(name)
  )
  const link = headers.find((name) => /^link$/i.test(name))
  const next = headers.find((name) => /^(x-)?next-(page-)?(cursor|token)$/i.test(name))
  return {
    ...(total === undefined ? {} : { total: `header ${total}` }),
    ...(link === undefined ? {} : { nextUrl: `header ${link}` }),
    ...(next === undefined ? {} : { next: `header ${next}` })
  }
}

export const hasNoPlaces = ({ places }: Envelope): boolean => isEmpty(places)
