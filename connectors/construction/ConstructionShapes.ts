/**
 * How a list of the service is read, as data: where its answer has the records and the counts, and which field of a
 * record belongs to which column. The list in the interface document (§4.1) is one of them; a review file names others.
 */
import { documented, type Envelope } from "../../config/WireFiles.ts"
import { isNamedById, resourceOf } from "../../src/Discovery/Resources.ts"
import type { Column, List } from "../../src/Discovery/Review.ts"
import { nestedOn } from "../../src/Discovery/Review/Nested.ts"
import { byName, entityNames, type Resource } from "../../src/Domain/Resource.ts"
import { wires } from "./ConstructionEvents.ts"
import { type Aliases, spellings } from "./ConstructionPlaces.ts"

type Names = ReadonlyArray<string>

/** A part of a record's key: a field of the record, or a parameter of the request, which identifies its parent. */
export type KeyPart = { readonly names: Names; readonly isHashed: boolean } | { readonly parameter: string }

/** Names and places are dotted paths, the preferred one first; a place may also be a header, as `header NAME`. */
export interface ListShape {
  readonly resource: Resource
  /** Below the base address. */
  readonly path: string
  readonly places: Envelope["list"]
  /** The number of the first page, as the service counts. */
  readonly first: 0 | 1
  readonly key: ReadonlyArray<KeyPart>
  readonly columns: ReadonlyArray<readonly [column: string, names: Names]>
  /** Columns that are filled from a parameter of the request. */
  readonly parameters: ReadonlyArray<readonly [column: string, parameter: string]>
  /** The names of fields that aren't kept. */
  readonly dropped: Names
  /** Columns that hold only a hash. */
  readonly hashed: ReadonlySet<string>
  /** By column with a list: where each of its items has values that are hashed. */
  readonly hashedWithin: ReadonlyMap<string, Names>
  /** The names of all fields of which only a hash is kept, including those of the key. */
  readonly secret: Names
  /** Nothing else fills the table: a field that a record no longer has becomes null. */
  readonly isWhole: boolean
  /** A field without a column isn't kept. */
  readonly isClosed: boolean
}

export const projectsShape = (aliases: Aliases = {}, places = documented.list): ListShape => ({
  resource: byName("projects"),
  path: "/projects",
  places,
  first: 1,
  key: [{ names: spellings(wires.projects.key, aliases), isHashed: false }],
  columns: Object.entries(wires.projects.fields).map(([column, names]) => [
    column,
    names.flatMap((name) => spellings(name, aliases))
  ]),
  parameters: [],
  dropped: [],
  hashed: new Set(),
  hashedWithin: new Map(),
  secret: [],
  isWhole: false,
  isClosed: false
})

/** From a JSON Pointer (RFC 6901). */
const dotted = (pointer: string): string =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".")

/** From a place in an answer, as in the review file. */
export const placeOf = (at: string): string => (at.startsWith("header ") ? at : dotted(at))

const place = (at: string | undefined): Names => (at === undefined ? [] : [placeOf(at)])

const fieldOf = ({ from, name }: Column): Names => [dotted(from ?? `/${name}`)]

const partOf = (column: Column): KeyPart =>
  column.parameter === undefined
    ? { names: fieldOf(column), isHashed: column.use === "hash" }
    : { parameter: column.parameter }

/** For the items of a list in a record. */
const fieldsWithin =
  (list: Column | undefined, columns: ReadonlyArray<Column>) =>
  (use: Column["use"]): ReadonlyArray<{ readonly inItem: string; readonly inRecord: string }> =>
    columns
      .filter((column) => list !== undefined && column.use === use)
      .flatMap((column) =>
        fieldOf(column).map((inItem) => ({
          inItem,
          inRecord: `${list === undefined ? "" : fieldOf(list)[0]}.${inItem}`
        }))
      )

/** For a list that is on. */
export const shapeOf = (list: List): ListShape => {
  const resource = resourceOf(list)
  const inRecord = list.columns.filter(({ parameter }) => parameter === undefined)
  const kept = inRecord.filter(({ name, use }) => use !== "drop" && !(name === "id" && isNamedById(list)))
  const byColumn = new Map(list.columns.map((column) => [column.name, column]))
  const within = nestedOn(list).map(({ column, columns }) => ({
    column,
    of: fieldsWithin(byColumn.get(column), columns)
  }))
  return {
    resource,
    path: list.read.replace(/^GET /, ""),
    places: {
      data: place(list.answer.rows),
      total: place(list.answer.total),
      page: place(list.answer.page),
      per_page: place(list.answer.size)
    },
    first: list.paging.style === "page" ? list.paging.first : 1,
    key: list.key.flatMap((name) => {
      const column = byColumn.get(name)
      return column === undefined ? [] : [partOf(column)]
    }),
    parameters: list.columns.flatMap(({ name, parameter, use }) =>
      parameter === undefined || use === "drop" ? [] : [[name, parameter] as const]
    ),
    columns: kept.map((column) => [column.name, fieldOf(column)]),
    dropped: [
      ...inRecord.filter(({ use }) => use === "drop").flatMap(fieldOf),
      ...within.flatMap(({ of }) => of("drop").map(({ inRecord: place }) => place))
    ],
    hashed: new Set(kept.flatMap(({ name, use }) => (use === "hash" ? [name] : []))),
    hashedWithin: new Map(
      within.flatMap(({ column, of }) => {
        const names = of("hash").map(({ inItem }) => inItem)
        return names.length === 0 ? [] : [[column, names] as const]
      })
    ),
    secret: [
      ...inRecord.filter(({ use }) => use === "hash").flatMap(fieldOf),
      ...within.flatMap(({ of }) => of("hash").map(({ inRecord: place }) => place))
    ],
    isWhole: !entityNames.some((name) => name === list.table),
    isClosed: list.newFields === "discard"
  }
}
