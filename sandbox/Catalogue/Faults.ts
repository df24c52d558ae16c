/**
 * What one resource of the catalogue does wrong on demand: its records don't fit its schema, its list is refused, or
 * one of its records has gone. Each fault is off until it is set, and can be set at any time. Faults don't outlive the
 * process.
 */
import * as Json from "../../src/Domain/Json.ts"
import type { Fields } from "./Shelf.ts"
import { textHash } from "./Spelling.ts"

const meanings = {
  "other-type": "The first field of each record has another type than the schema says.",
  "new-field": "Each record has a field more than its schema says, `unannounced`: a whole number.",
  "no-field": "Records don't have their first field.",
  "no-id": "Records have no id.",
  "object-id": "Each id is an object with the id in it.",
  refused: "The list is refused, with every token, as if the scope were missing.",
  gone: "The first record is still listed, but it and everything below it answer 404."
} as const

export type FaultName = keyof typeof meanings

export const isFaultName = (name: string): name is FaultName => Object.hasOwn(meanings, name)
export const names: ReadonlyArray<FaultName> = Object.keys(meanings).filter(isFaultName)
export const describe = (name: FaultName): string => meanings[name]

/** Projects can fail too: many records belong to them, and one of them can be gone. */
export const mayFail = (resources: ReadonlyArray<string>, name: string): boolean =>
  name === "projects" || resources.includes(name)

export interface Faults {
  /** Undefined: nothing is wrong with the resource. */
  readonly of: (resource: string) => FaultName | undefined
  readonly set: (resource: string, fault: FaultName | undefined) => void
}

export const make = (initial: Readonly<Record<string, FaultName>>): Faults => {
  const set = new Map(Object.entries(initial))
  return {
    of: (resource) => set.get(resource),
    set: (resource, fault) => {
      if (fault === undefined) set.delete(resource)
      else set.set(resource, fault)
    }
  }
}

const ofOtherType = (value: unknown): unknown => (typeof value === "string" ? 7 : Json.stringify(value))

/** `id`: the name of the id field; `first`: the name of the first other field. */
export const spoilt = (fault: FaultName | undefined, record: Fields, id: string, first: string): Fields => {
  switch (fault) {
    case "other-type":
      return { ...record, [first]: ofOtherType(record[first] ?? null) }
    case "object-id":
      return { ...record, [id]: { value: record[id] } }
    case "new-field":
      return { ...record, unannounced: textHash(Json.stringify(record[id] ?? null)) % 1000 }
    case "no-field":
      return without(record, first)
    case "no-id":
      return without(record, id)
    default:
      return record
  }
}

const without = (record: Fields, field: string): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== field))
