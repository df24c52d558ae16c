/**
 * Where a field is in a list record, a signed body or an answer: in which object, under which name.
 *
 * The interface document shows neither the envelope nor all names (§6): configuration adds to both (`SITELEDGER_ENVELOPE`,
 * `SITELEDGER_FIELD_ALIASES`), and both may be dotted paths.
 */
import * as Json from "../../src/Domain/Json.ts"
import { documentAliases, isKnownType } from "./ConstructionEvents.ts"

export type Body = Readonly<Record<string, unknown>>
export type Aliases = Readonly<Record<string, ReadonlyArray<string>>>

/** An object in which fields are looked for. */
export interface Place {
  /** Dotted; empty for the body itself. */
  readonly path: string
  readonly fields: Body
}

/** The value at a dotted path; a name that itself contains dots takes precedence. */
export const at = (value: unknown, path: string): unknown => {
  if (!Json.isObject(value)) return undefined
  if (Object.hasOwn(value, path)) return value[path]
  const dot = path.indexOf(".")
  return dot < 0 ? undefined : at(own(value, path.slice(0, dot)), path.slice(dot + 1))
}

/** True if the path may lead into the object with this name. */
export const isWithin = (path: string, name: string): boolean => path.startsWith(`${name}.`)

const own = (value: Body, name: string): unknown => (Object.hasOwn(value, name) ? value[name] : undefined)

export const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)

/** The body, and each object on the way to these paths, outermost first. */
export const placesIn = (body: unknown, paths: ReadonlyArray<string>): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  const add = (path: string, fields: unknown): boolean => {
    if (!Json.isObject(fields)) return false
    if (!places.some((place) => place.fields === fields)) places.push({ path, fields })
    return true
  }
  add("", body)
  for (const path of paths) {
    let [way, fields] = ["", body]
    for (const name of path.split(".")) {
      ;[way, fields] = [join(way, name), at(fields, name)]
      if (!add(way, fields)) break
    }
  }
  return places
}

export interface Found {
  /** The name that was looked for. */
  readonly name: string
  /** From the top level. */
  readonly path: string
  readonly value: unknown
}

export type Lookup = (names: ReadonlyArray<string>) => Found | undefined

/** All names of a field, the preferred one first. */
export const spellings = (name: string, aliases: Aliases): ReadonlyArray<string> => [
  name,
  ...(aliases[name] ?? []),
  ...(documentAliases[name] ?? [])
]

/** By aliases and name: the same few names are looked for in every body. */
const known = new WeakMap<Aliases, Map<string, ReadonlyArray<string>>>()

export const lookupIn = (places: ReadonlyArray<Place>, aliases: Aliases): Lookup => {
  const ofAliases = known.get(aliases) ?? new Map<string, ReadonlyArray<string>>()
  known.set(aliases, ofAliases)
  const spelled = (name: string): ReadonlyArray<string> => {
    const all = ofAliases.get(name)
    if (all !== undefined) return all
    const made = spellings(name, aliases)
    ofAliases.set(name, made)
    return made
  }
  return (names) => find(places, names.length === 1 ? spelled(names[0]!) : names.flatMap(spelled))
}

/** The first of these names that is found; each is looked for in all places before the next. */
export const find = (places: ReadonlyArray<Place>, names: ReadonlyArray<string>): Found | undefined => {
  let empty: Found | undefined
  for (const name of names) {
    for (const { fields, path } of places) {
      // A place is known to be an object: `at` would check that for each name, and most bodies lack most names.
      const value = Object.hasOwn(fields, name) ? fields[name] : name.includes(".") ? at(fields, name) : undefined
      // `type` may be the event's type here, with a permit's own type nested further down.
      if (value === undefined || (name === "type" && isKnownType(value))) continue
      // A null counts only if no other spelling or place has a value.
      if (value !== null) return { name, path: join(path, name), value }
      empty ??= { name, path: join(path, name), value }
    }
  }
  return empty
}
