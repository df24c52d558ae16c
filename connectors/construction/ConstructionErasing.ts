/**
 * How the service's answers are read when something is erased from them: which records of which lists they show, and
 * what stays so that they can still be read. For bodies see `ConstructionErased`.
 */
import { Effect, Layer } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import { SwitchedOn } from "../../src/Discovery/Resources.ts"
import type { List } from "../../src/Discovery/Review.ts"
import { anyOf, emptied, type Keeps, keepsAt } from "../../src/Domain/ErasedRecord.ts"
import * as Erasure from "../../src/Domain/Erasure.ts"
import * as JsonPointer from "../../src/Domain/JsonPointer.ts"
import { entityNames, type EntityName, resources } from "../../src/Domain/Resource.ts"
import { urlOf } from "../../src/Runtime/Module.ts"
import * as Erasures from "../../src/Stores/Erasures.ts"
import { type ErasedOf, idIn, saysId } from "./ConstructionChanges.ts"
import { bodies, type Given, isBooked, keepsIn } from "./ConstructionErased.ts"
import { wires } from "./ConstructionEvents.ts"
import { join, spellings } from "./ConstructionPlaces.ts"
import { type ListShape, placeOf, projectsShape, shapeOf } from "./ConstructionShapes.ts"

/** What determines how the service is read. */
export interface Read extends Given {
  /** Where an answer of the list that the interface document shows has its records. */
  readonly recordsAt: ReadonlyArray<string>
}

/** Whether events are about this table. */
export const hasEvents = (table: string): table is Exclude<EntityName, "projects"> =>
  table !== "projects" && (entityNames as ReadonlyArray<string>).includes(table)

/** Columns that siteledger derives from events: the status, and when each stage was reached. */
export const isMade = (entity: EntityName, column: string): boolean =>
  column === "status" ||
  (resources[entity].stages as ReadonlyArray<{ readonly at: string }>).some(({ at }) => at === column)

/**
 * Columns that are needed to know what an answer is about or to request the lists below a row, and columns on which the
 * books rest.
 */
export const neededIn = ({ columns, key, lookUp, table }: List, all: ReadonlyArray<List>): ReadonlySet<string> => {
  const { amount = "", at = "", currency = "", project = "", url = "" } = lookUp?.certificate ?? {}
  const asking = all.flatMap(({ parent }) => (parent?.table === table ? Object.values(parent.parameters) : []))
  const asked = columns.flatMap(({ name, parameter }) => (parameter === undefined ? [] : [name]))
  const told = hasEvents(table)
    ? columns.flatMap(({ name }) => (isBooked(table, name) || isMade(table, name) ? [name] : []))
    : []
  return new Set([...key, amount, at, currency, project, url, lookUp?.paid ?? "", ...asking, ...asked, ...told])
}

/** Places in a record, as dotted paths. */
const placesOf = (list: List, all: ReadonlyArray<List>): ReadonlyArray<string> => {
  const needed = neededIn(list, all)
  return list.columns.flatMap(({ from, name, parameter }) =>
    needed.has(name) && parameter === undefined ? [placeOf(from ?? `/${name}`)] : []
  )
}

const inAnswers = ({ aliases, recordsAt }: Read, lists: ReadonlyArray<List>): ReadonlyArray<string> => [
  ...recordsAt.flatMap((place) => spellings(wires.projects.key, aliases).map((name) => join(place, name))),
  ...lists.flatMap((list) => {
    const places = [list.answer.rows, list.lookUp?.record ?? ""].map(placeOf)
    return places.flatMap((place) => placesOf(list, lists).map((path) => join(place, path)))
  })
]

interface Shown {
  readonly table: string
  /** Undefined if no list shows its records. */
  readonly list: List | undefined
  readonly shape: ListShape | undefined
}

/** `at`: where the answer has the record. */
const keepsOf = ({ aliases }: Given, all: ReadonlyArray<List>, { list, shape, table }: Shown, at = ""): Keeps => {
  const names = (shape?.key ?? []).flatMap((part) => ("names" in part ? part.names : []))
  const paths = [...names, ...(list === undefined ? [] : placesOf(list, all))]
  const hashed = (shape?.columns ?? []).flatMap(([column, those]) => (shape?.hashed.has(column) === true ? those : []))
  const more = { kept: paths.map((path) => join(at, path)), shown: hashed.map((path) => join(at, path)) }
  return hasEvents(table) ? keepsIn([at], aliases, more) : keepsAt(more)
}

const named = (table: string, id: string | undefined): ReadonlyArray<Erasure.Named> =>
  id === undefined ? [] : [{ table, id }]

const distinct = ([first, ...others]: readonly [Given, ...ReadonlyArray<Given>]): [Given, ...Array<Given>] => {
  const only = ({ aliases, contentsAt }: Given): Given => ({ aliases, contentsAt })
  const given = only(first)
  const all = new Map([given, ...others.map(only)].map((each) => [JSON.stringify(each), each]))
  all.delete(JSON.stringify(given))
  return [given, ...all.values()]
}

const shownIn = ({ aliases }: Given, lists: ReadonlyArray<List>, table: string): Shown => {
  const list = lists.find((each) => each.table === table)
  const shape = list === undefined ? (table === "projects" ? projectsShape(aliases) : undefined) : shapeOf(list)
  return { table, list, shape }
}

/** `before`: how deliveries have been read since the books began; the books rest on these readings. */
export const reads = (read: Read, lists: ReadonlyArray<List>, before: ReadonlyArray<Given> = []): Erasures.Reading => {
  const [given, ...former] = distinct([read, ...before])
  const known = new Map<string, Erasure.Read>()
  const recordOf = (table: string): Erasure.Read => {
    const shown = shownIn(given, lists, table)
    return {
      ...Erasure.plain,
      keeps: anyOf([given, ...former].map((each) => keepsOf(each, lists, shown))),
      records: (value) => (shown.shape === undefined ? [] : named(table, idIn(shown.shape, value))),
      isUnnamed: shown.shape !== undefined && !saysId(shown.shape)
    }
  }
  return {
    bodies: Erasure.readAs([given, ...former].map(bodies)),
    answers: Erasure.keptAt(inAnswers(read, lists)),
    records: (table) => known.get(table) ?? known.set(table, recordOf(table)).get(table) ?? Erasure.plain,
    apart: { module: urlOf(new URL("./ConstructionErased.ts", import.meta.url)).href, given }
  }
}

/** How to read an answer that shows one record of a list. */
export const single = (lists: ReadonlyArray<List>, list: List, given: Given): Erasure.Read => {
  const { record = "" } = list.lookUp ?? {}
  const shown = { table: list.table, list, shape: shapeOf(list) }
  return {
    ...Erasure.plain,
    keeps: keepsOf(given, lists, shown, placeOf(record)),
    records: (value) => named(list.table, idIn(shown.shape, JsonPointer.at(value, record)))
  }
}

/** The erased records of a list; undefined if there are none. */
export const erasedOf = ({ all, reads: { records } }: Erasures.Erasing, table: string): ErasedOf | undefined => {
  const redact = Erasure.redactor(all.filter((rule) => Erasure.isOfRecord(rule) && rule.table === table))
  const { keeps } = records(table)
  return redact && { has: (id) => redact.isErased({ table, id }), left: (record) => emptied(record, keeps) }
}

/** For a worker. */
export const layer = Layer.effect(
  Erasures.Erasing,
  Effect.gen(function* () {
    const { envelope, fieldAliases: aliases } = yield* ServiceSettings
    const read = { aliases, contentsAt: envelope.delivery, recordsAt: envelope.list.data }
    return yield* Erasures.erasing(reads(read, yield* SwitchedOn))
  })
)
