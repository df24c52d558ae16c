/**
 * How a list of the service is read, as data: where its answer has the records and the counts, and which field of a record
 * is which column. The list that the interface document shows (§4.1) is one of them; a review file names others.
 */
import { documented, type Envelope } from "../../config/WireFiles.ts"
import { isNamedById, resourceOf } from "../../src/Discovery/Resources.ts"
import type { Column, List } from "../../src/Discovery/Review.ts"
import { byName, type Resource } from "../../src/Domain/Resource.ts"
import { wires } from "./ConstructionEvents.ts"
import { type Aliases, spellings } from "./ConstructionPlaces.ts"

type Names = ReadonlyArray<string>

/** Names and places are dotted paths, the preferred first; a count may also be in a header, as `header NAME`. */
export interface ListShape {
  readonly resource: Resource
  /** Below the base address. */
  readonly path: string
  readonly places: Envelope["list"]
  /** The number of the first page, as the service counts them. */
  readonly first: 0 | 1
  /** Of each part of a record's key. */
  readonly key: ReadonlyArray<Names>
  readonly columns: ReadonlyArray<readonly [column: string, names: Names]>
  /** Of fields that aren't kept. */
  readonly dropped: Names
  /** Columns that hold only a hash. */
  readonly hashed: ReadonlySet<string>
}

export const projectsShape = (aliases: Aliases = {}, places = documented.list): ListShape => ({
  resource: byName("projects"),
  path: "/projects",
  places,
  first: 1,
  key: [spellings(wires.projects.key, aliases)],
  columns: Object.entries(wires.projects.fields).map(([column, names]) => [
    column,
    names.flatMap((name) => spellings(name, aliases))
  ]),
  dropped: [],
  hashed: new Set()
})

/** Of a JSON Pointer (RFC 6901). */
const dotted = (pointer: string): string =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".")

const place = (at: string | undefined): Names => (at === undefined ? [] : [at.startsWith("header ") ? at : dotted(at)])

const fieldOf = ({ from, name }: Column): Names => [dotted(from ?? `/${name}`)]

/** Of a list that is on. */
export const shapeOf = (list: List): ListShape => {
  const resource = resourceOf(list)
  const inRecord = list.columns.filter(({ parameter }) => parameter === undefined)
  const kept = inRecord.filter(({ name, use }) => use !== "drop" && !(name === "id" && isNamedById(list)))
  const byColumn = new Map(list.columns.map((column) => [column.name, column]))
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
      return column === undefined ? [] : [fieldOf(column)]
    }),
    columns: kept.map((column) => [column.name, fieldOf(column)]),
    dropped: inRecord.filter(({ use }) => use === "drop").flatMap(fieldOf),
    hashed: new Set(kept.flatMap(({ name, use }) => (use === "hash" ? [name] : [])))
  }
}
