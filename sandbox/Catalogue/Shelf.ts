/**
 * The records of one resource, in memory. The seed makes the initial records from their number alone. The shelf holds
 * only the lists of numbers, made on first use, and the records that were inserted, changed or removed since. A record
 * is reachable as long as its parent is.
 *
 * Nothing outlives the process.
 */
import { DateTime } from "effect"
import * as Seed from "../Seed.ts"
import * as Ids from "./Ids.ts"
import type { Property } from "./Properties.ts"
import type { RecordType } from "./RecordType.ts"
import { textHash } from "./Spelling.ts"
import type { Resource } from "./Table.ts"

/** The resource that other records belong to. */
export interface Parents {
  /** How many there are at the start. */
  readonly count: number
  readonly has: (number: number) => boolean
  /** The id as it stands in JSON, and as it stands in a path; also for records that aren't reachable. */
  readonly idOf: (number: number) => unknown
  readonly idText: (number: number) => string
  /** `parent`: undefined matches any parent. The result is undefined if there is no such record. */
  readonly find: (parent: number | undefined, id: string) => number | undefined
  readonly parentOf: (number: number) => number
  /** The reachable records, in order; without a parent: those of all parents. */
  readonly numbers: (parent: number | undefined) => ReadonlyArray<number>
}

export type Fields = Readonly<Record<string, unknown>>

export interface Shelf extends Parents {
  readonly record: (number: number) => Fields
  readonly updatedAt: (number: number) => number
  /** `given`: fields that replace the random ones. Returns the record's number. */
  readonly insert: (parent: number, given: Fields, nowMillis: number) => number
  readonly change: (number: number, given: Fields, nowMillis: number) => void
  readonly remove: (number: number) => void
}

export interface Parts {
  readonly seed: number
  readonly resource: Resource
  readonly type: RecordType
  readonly parents: Parents | undefined
  /** How many records there are at the start. */
  readonly count: number
}

/** 2025-01-01, in milliseconds. */
const begin = 1_735_689_600_000
const day = 86_400_000
const daysMade = 300
/** 2026-01-01: later changes are later than every initial record, by any clock. */
const earliest = 1_767_225_600_000

/** The parent's number where there are no parents. */
export const alone = -1
const nested = 4

/** The numbers of the parents, of the records within their parents, and of the records by parent. */
const arranged = ({ count, parents, resource, seed }: Parts) => {
  const parentOf: Array<number> = []
  const localOf: Array<number> = []
  const byParent = new Map<number, Array<number>>()
  const add = (parent: number): number => {
    const siblings = byParent.get(parent) ?? []
    byParent.set(parent, siblings)
    siblings.push(parentOf.length)
    localOf.push(siblings.length)
    return parentOf.push(parent) - 1
  }
  const own = Seed.hash(seed, Seed.Purpose.parent, textHash(resource.name))
  // The first parents have the most records.
  const chosen = (number: number) =>
    Math.floor((parents?.count ?? 0) * Seed.share(own, Seed.Purpose.parent, number) ** 2)
  const total = parents?.count === 0 ? 0 : count
  for (let number = 0; number < total; number++) add(parents === undefined ? alone : chosen(number))
  return { parentOf, localOf, byParent, add }
}

const fieldsOf = (seed: number, own: ReadonlyArray<Property>, number: number, times: number): Fields =>
  Object.fromEntries(
    own.flatMap(({ name, value }, field) => {
      // A change changes every third field, so most stay.
      const change = times - ((((times - field) % 3) + 3) % 3)
      const made = value(Seed.dice(seed, Math.max(0, change) * own.length + field, number), nested)
      return made === undefined ? [] : [[name, made]]
    })
  )

/** What has happened to the records since the start. `madeAt`: when an initial record was made. */
const makePast = (madeAt: (number: number) => number) => {
  const inserted = new Map<number, number>()
  const changes = new Map<number, { readonly times: number; readonly atMillis: number; readonly given: Fields }>()
  const removed = new Set<number>()
  const createdAt = (number: number) => inserted.get(number) ?? madeAt(number)
  const updatedAt = (number: number) =>
    changes.get(number)?.atMillis ?? createdAt(number) + (inserted.has(number) ? 0 : (number % 40) * day)
  return {
    createdAt,
    updatedAt,
    isRemoved: (number: number) => removed.has(number),
    of: (number: number) => changes.get(number) ?? { times: 0, given: {} },
    insert: (number: number, given: Fields, nowMillis: number) => {
      const atMillis = Math.max(nowMillis, earliest)
      inserted.set(number, atMillis)
      changes.set(number, { times: 0, atMillis, given })
    },
    change: (number: number, given: Fields, nowMillis: number) => {
      const { given: before, times } = changes.get(number) ?? { times: 0, given: {} }
      const atMillis = Math.max(nowMillis, earliest, updatedAt(number) + 1)
      changes.set(number, { times: times + 1, atMillis, given: { ...before, ...given } })
    },
    remove: (number: number): void => void removed.add(number)
  }
}

const iso = (millis: number) => DateTime.formatIso(DateTime.makeUnsafe(millis))

export const make = (parts: Parts): Shelf => {
  const { parents, resource, seed, type } = parts
  const own = Seed.hash(seed, Seed.Purpose.record, textHash(resource.name))
  const past = makePast((number) => begin + Math.floor(Seed.share(own, Seed.Purpose.record, number) * daysMade * day))
  let known: ReturnType<typeof arranged> | undefined
  const shelf = () => (known ??= arranged(parts))

  const parentOf = (number: number) => shelf().parentOf[number] ?? alone
  const has = (number: number): boolean => {
    const parent = shelf().parentOf[number]
    return parent !== undefined && !past.isRemoved(number) && (parents === undefined || parents.has(parent))
  }
  const numbers = (parent: number | undefined): ReadonlyArray<number> => {
    const { byParent, parentOf } = shelf()
    return (parent === undefined ? [...parentOf.keys()] : (byParent.get(parent) ?? [])).filter(has)
  }
  const idText = (number: number) => Ids.textOf(seed, resource, number, shelf().localOf[number] ?? 0)
  const idOf = (number: number) => Ids.valueOf(resource, idText(number))
  const find = (parent: number | undefined, id: string): number | undefined => {
    const isLocal = resource.id.kind === "local"
    const number = isLocal ? numbers(parent).find((each) => idText(each) === id) : Ids.numberOf(seed, resource, id)
    if (number === undefined || !has(number) || idText(number) !== id) return undefined
    return parent === undefined || parentOf(number) === parent ? number : undefined
  }
  const record = (number: number): Fields => {
    const { given, times } = past.of(number)
    const { parentField, times: named } = type
    return {
      [resource.id.name]: idOf(number),
      ...(parentField === undefined ? {} : { [parentField]: parents?.idOf(parentOf(number)) }),
      ...fieldsOf(own, type.own, number, times),
      ...given,
      ...(named && { [named.created]: iso(past.createdAt(number)), [named.updated]: iso(past.updatedAt(number)) })
    }
  }
  const insert = (parent: number, given: Fields, nowMillis: number): number => {
    const number = shelf().add(parent)
    past.insert(number, given, nowMillis)
    return number
  }
  const { change, remove, updatedAt } = past
  return { count: parts.count, has, idOf, idText, find, numbers, parentOf, updatedAt, record, insert, change, remove }
}
