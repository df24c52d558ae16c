/**
 * An entity's fields in a list record or a signed body: text for each column, values that don't fit their column, and
 * fields without a column. Nothing is rounded or dropped.
 */
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import * as Resource from "../../src/Domain/Resource.ts"
import * as Value from "../../src/Domain/Value.ts"
import { type Found, join, type Place } from "./ConstructionPlaces.ts"

/** The same three parts as in a Change, while they are collected. */
export interface Collected {
  readonly values: Record<string, string | null>
  misfits: Record<string, string>
  extra: Record<string, string>
}

/** Most records have none of these, so this object is shared: a walk reads a million records. */
const none: Record<string, string> = {}

export const empty = (): Collected => ({ values: {}, misfits: none, extra: none })

/** False if the value doesn't fit its column, which is then null. */
export const set = (fields: Collected, column: string, type: Resource.ColumnType, value: unknown): boolean => {
  const text = Value.readValue(type, value)
  fields.values[column] = text ?? null
  return text !== undefined
}

/** Whether the column holds only a part of a value that fits, such as the day of a time. */
export const isPart = (type: Resource.ColumnType, value: unknown): boolean =>
  type === "DATE" && !Instant.isOnlyDay(value)

export const keepMisfit = (fields: Collected, column: string, value: unknown): void => {
  if (fields.misfits === none) fields.misfits = {}
  fields.misfits[column] = Json.stringify(value)
}

export const keepUnknown = (fields: Collected, name: string, value: unknown): void => {
  // The service chooses the name, which may be __proto__.
  if (fields.extra === none) fields.extra = Object.create(null) as Record<string, string>
  fields.extra[name] = Json.stringify(value)
}

/**
 * Keeps what none of the found fields has taken, the outermost first. A field that was found is taken in every place.
 */
export const keepRest = (
  fields: Collected,
  places: ReadonlyArray<Place>,
  found: ReadonlyArray<Found>,
  isEnvelope: (name: string, value: unknown) => boolean
): void => {
  // No sets: both are few, and a walk reads a million records.
  for (const place of places) {
    for (const name of Object.keys(place.fields)) {
      const value = place.fields[name]
      const path = join(place.path, name)
      if (isAmong(found, name, path)) continue
      if (places.length > 1 && places.some((other) => other.fields === value)) continue
      if (isEnvelope(name, value) || Object.hasOwn(fields.extra, name)) continue
      keepUnknown(fields, name, value)
    }
  }
}

const isAmong = (found: ReadonlyArray<Found>, name: string, path: string): boolean => {
  for (const field of found) if (field.name === name || field.path === path) return true
  return false
}

/**
 * The record without the fields at these paths, including in the items of lists; the same object if it has none of
 * them.
 */
export const without = (record: unknown, paths: ReadonlyArray<string>): unknown => paths.reduce(withoutOne, record)

const withoutOne = (value: unknown, path: string): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutOne(item, path))
  if (!Json.isObject(value)) return value
  const dot = path.indexOf(".")
  const name = Object.hasOwn(value, path) || dot < 0 ? path : path.slice(0, dot)
  if (!Object.hasOwn(value, name)) return value
  const { [name]: inner, ...rest } = value
  return name === path ? rest : { ...value, [name]: withoutOne(inner, path.slice(dot + 1)) }
}

/** The items with a replacement at these paths, where they have a value. */
export const replaced = (items: unknown, paths: ReadonlyArray<string>, by: (value: unknown) => unknown): unknown =>
  Array.isArray(items)
    ? items.map((item: unknown) => paths.reduce((each, path) => replacedOne(each, path, by), item))
    : items

const replacedOne = (value: unknown, path: string, by: (value: unknown) => unknown): unknown => {
  if (!Json.isObject(value)) return value
  const dot = path.indexOf(".")
  const name = Object.hasOwn(value, path) || dot < 0 ? path : path.slice(0, dot)
  if (!Object.hasOwn(value, name)) return value
  const inner = value[name]
  if (name !== path) return { ...value, [name]: replacedOne(inner, path.slice(dot + 1), by) }
  return inner === null ? value : { ...value, [name]: by(inner) }
}

/** The record with only what is at these paths, and what encloses it. */
export const only = (record: unknown, paths: ReadonlyArray<string>): unknown => {
  if (!Json.isObject(record)) return undefined
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]) => {
      if (paths.includes(name)) return [[name, value]]
      const inner = paths.flatMap((path) => (path.startsWith(`${name}.`) ? [path.slice(name.length + 1)] : []))
      const within = inner.length === 0 ? undefined : only(value, inner)
      return within === undefined ? [] : [[name, within]]
    })
  )
}
