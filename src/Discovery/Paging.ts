/**
 * How a list is read page by page: judged by the names of its query parameters and by what its answer says. If both a
 * cursor and page numbers would work, a total is decisive: with one, a copy can be proven. Pure.
 */
import { at } from "./Document.ts"
import type { Envelope, Places } from "./Envelope.ts"
import { plain } from "../Domain/Names.ts"
import type { Operation, Parameter } from "./Operations.ts"
import type { Paging } from "./Review.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "))

const pageNames = set("page pagenumber pageno pagenum pageindex currentpage p")
const sizeNames = set(
  "perpage pagesize limit size maxresults top take max itemsperpage pagelimit resultsperpage first rows results maxitems maxpagesize rowsperpage pagecount num count"
)
const offsetNames = set("offset skip start startindex startat firstresult pageoffset")
const cursorNames = set(
  "cursor pagetoken nexttoken after startingafter continuationtoken continuation marker nextcursor startcursor pagecursor bookmark scrollid pageafter startafter nextpagetoken starttoken"
)
const otherNames = set("before endingbefore endbefore pagebefore prevcursor")

export interface Found {
  readonly paging: Paging
  readonly reasons: ReadonlyArray<string>
  readonly doubt: number
  /** Why it can't be read to its end. */
  readonly problem?: string
  /** Parameters that the walk fills. */
  readonly taken: ReadonlySet<string>
}

const numberAt = (schema: unknown, name: string): number | undefined => {
  const value = at(schema, name)
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

const isText = ({ shape }: Parameter): boolean => shape.kind === "scalar" && shape.type === "string"

/** `keys`: the fields that name a record. */
export const pagingOf = (operation: Operation, { places }: Envelope, keys: ReadonlyArray<string>): Found => {
  const query = operation.parameters.filter((parameter) => parameter.in === "query")
  const called = (names: ReadonlySet<string>) => query.find(({ name }) => names.has(plain(name)))
  const named = { page: called(pageNames), offset: called(offsetNames), cursor: called(cursorNames) }
  const size = query.find(
    ({ name, shape }) => sizeNames.has(plain(name)) && (shape.kind !== "scalar" || shape.type !== "boolean")
  )
  const before = called(otherNames)
  const taken = new Set(
    [...Object.values(named), size, before].flatMap((each) => (each === undefined ? [] : [each.name]))
  )
  const found = chosen(named, size, places, keys)
  return { ...found, taken }
}

type Chosen = Omit<Found, "taken">

interface Named {
  readonly page: Parameter | undefined
  readonly offset: Parameter | undefined
  readonly cursor: Parameter | undefined
}

const sized = (size: Parameter | undefined) => {
  const largest = numberAt(size?.schema, "maximum")
  return {
    ...(size === undefined ? {} : { size: size.name }),
    ...(largest === undefined || largest === 0 ? {} : { largest })
  }
}

const most = ({ largest }: { readonly largest?: number }): string =>
  largest === undefined ? "" : ` of at most ${largest}`

const chosen = (
  { cursor, offset, page }: Named,
  size: Parameter | undefined,
  places: Places,
  keys: ReadonlyArray<string>
): Chosen => {
  const sizes = sized(size)
  const isCounted = places.total !== undefined
  const next = places.next
  // A parameter that takes text is a cursor.
  const token = cursor ?? [page, offset].find((each) => each !== undefined && next !== undefined && isText(each))
  const byNumber = page !== undefined && token !== page
  if (token !== undefined && next !== undefined && !(byNumber && isCounted)) {
    return {
      paging: { style: "cursor", cursor: token.name, next, ...more(places), ...sizes },
      reasons: [`The next page's ${token.name} is at ${next}.`],
      doubt: 0
    }
  }
  if (byNumber) {
    const first = numberAt(page.schema, "minimum") === 0 || numberAt(page.schema, "default") === 0 ? 0 : 1
    return {
      paging: { style: "page", page: page.name, first, ...sizes },
      reasons: [`Pages are numbered from ${first} by ${page.name}${most(sizes)}.`],
      doubt: 0
    }
  }
  if (offset !== undefined && token !== offset) {
    return {
      paging: { style: "offset", offset: offset.name, ...sizes },
      reasons: [`Pages begin at ${offset.name}${most(sizes)}.`],
      doubt: size === undefined ? 1 : 0
    }
  }
  return withoutNumbers(token, sizes, places, keys)
}

const more = ({ more: place }: Places) => (place === undefined ? {} : { more: place })

const withoutNumbers = (
  token: Parameter | undefined,
  sizes: ReturnType<typeof sized>,
  places: Places,
  keys: ReadonlyArray<string>
): Chosen => {
  const [key] = keys
  if (token !== undefined && /after/.test(plain(token.name)) && key !== undefined && keys.length === 1) {
    return {
      paging: { style: "after", after: token.name, column: key, ...more(places), ...sizes },
      reasons: [`The next page begins after the last record's ${key} (${token.name}).`],
      doubt: places.more === undefined ? 1 : 0
    }
  }
  if (places.nextUrl !== undefined) {
    return {
      paging: { style: "link", next: places.nextUrl, ...sizes },
      reasons: [`The next page's address is at ${places.nextUrl}; it is followed only on the same origin.`],
      doubt: 0
    }
  }
  if (token !== undefined) {
    return {
      paging: { style: "none" },
      reasons: [],
      doubt: 2,
      problem: `It pages by ${token.name}, but its answer doesn't show where the next one is.`
    }
  }
  if (places.page !== undefined || (places.total !== undefined && places.size !== undefined)) {
    return {
      paging: { style: "page", page: "page", size: "per_page", first: 1 },
      reasons: ["Its answer tells of pages, but no parameter is shown: page and per_page are assumed."],
      doubt: 1
    }
  }
  const isCut = places.more !== undefined || places.next !== undefined
  return {
    paging: { style: "none" },
    reasons: isCut ? [] : ["No paging is shown: the whole list is one answer."],
    doubt: isCut ? 2 : sizes.size === undefined ? 1 : 2,
    ...(isCut ? { problem: "Its answer says that there may be more, but no parameter asks for it." } : {})
  }
}
