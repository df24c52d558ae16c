/**
 * Guesses from a sample, for `siteledger doctor --payload`: which of its names mean ours, and where its contents are.
 * Pure, and only shown to a person: nothing is ever read by a guess.
 *
 * Two names mean the same if they consist of the same words in any order, spelling and form (`amountCertified`,
 * `certified_amount`), or if one has all words of the other and at least two.
 */
import type { Envelope } from "../../config/WireFiles.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Json from "../../src/Domain/Json.ts"
import { eventTypes, isKnownType, wires } from "./ConstructionEvents.ts"
import { type Aliases, join, placesIn } from "./ConstructionPlaces.ts"

type Paths = ReadonlyArray<string>

/** What the two files should say in addition to what they already say. */
export interface Suggestion {
  readonly aliases: Aliases
  readonly envelope: { readonly delivery?: Paths; readonly list?: Partial<Envelope["list"]>; readonly creation?: Paths }
}

interface Leaf {
  readonly path: string
  readonly name: string
  readonly value: unknown
}

const deepest = 6
const most = 2000

/** Every field of every object, outermost first; arrays aren't searched. */
const leavesOf = (body: unknown): ReadonlyArray<Leaf> => {
  const leaves: Array<Leaf> = []
  let level = [{ path: "", value: body }]
  for (let depth = 0; depth < deepest && leaves.length < most; depth++) {
    const next: typeof level = []
    for (const { path, value } of level) {
      if (!Json.isObject(value)) continue
      for (const [name, inner] of Object.entries(value)) {
        leaves.push({ path: join(path, name), name, value: inner })
        next.push({ path: join(path, name), value: inner })
      }
    }
    level = next
  }
  return leaves
}

const stem = (word: string): string => word.replace(/(ted|ed|s)$/, "")

/** A name's words in their basic form, sorted. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "")
    .map(stem)
    .toSorted()

const isSame = (a: string, b: string): boolean => {
  const [few, many] = [wordsOf(a), wordsOf(b)].toSorted((x, y) => x.length - y.length) as [Paths, Paths]
  const isPart = few.every((word) => many.includes(word))
  return isPart && (few.length === many.length || few.length > 1)
}

/** Names of ours that a delivery may contain, but that are too common to be recognised anywhere. */
const common = new Set(["name", "status", "type", "id", "amount"])
const ours = [
  ...new Set([
    ...Object.values(wires).flatMap(({ fields, key }) => [key, ...Object.values(fields).flat()]),
    ...eventTypes.flatMap(({ fields = {} }) => Object.values(fields).flat())
  ])
].filter((name) => !common.has(name))

const keys = [...new Set(Object.values(wires).map(({ key }) => key))].filter((key) => key !== "id")

/** An object under the entity's name with its own `id`: `{"ncr": {"id": 5}}`. */
const keyOf = ({ name, path }: Leaf): string | undefined =>
  /\bid$/.test(path) && name === "id"
    ? keys.find((key) => isSame(key, `${path.split(".").at(-2) ?? ""}_id`) && path.includes("."))
    : undefined

const timeNames = /time|date|stamp|occurred|happened|created|sent|_at$|At$|^at$/

/** The field that most likely says when the event happened. */
const timeOf = (leaves: ReadonlyArray<Leaf>): Leaf | undefined => {
  const times = leaves.filter(({ name, value }) => timeNames.test(name) && Instant.readMicros(value) !== undefined)
  return times.find(({ name }) => /occurred|happened|event|stamp/i.test(name)) ?? times[0]
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf(".")))

/**
 * What would make a delivery readable, as far as names show it. `has`: whether a name of ours has already been found.
 */
export const ofDelivery = (body: unknown, has: (name: string) => boolean, contentsAt: Paths): Suggestion => {
  const leaves = leavesOf(body)
  const isKnownPlace = placesOf(body, contentsAt)
  const aliases: Record<string, Array<string>> = {}
  const delivery = new Set<string>()
  const missing = ours.filter((name) => !has(name))
  const keyed = leaves.find((leaf) => keyOf(leaf) !== undefined && missing.includes(keyOf(leaf) ?? ""))
  if (keyed !== undefined) {
    aliases[keyOf(keyed) ?? ""] = [keyed.path]
    if (!isKnownPlace(parentOf(keyed.path))) delivery.add(parentOf(keyed.path))
  }
  for (const { name, path, value } of leaves) {
    if (Json.isObject(value)) continue
    const exact = missing.find((each) => each === name)
    const match = exact ?? missing.find((each) => aliases[each] === undefined && isSame(each, name))
    if (match === undefined) continue
    if (match !== name) aliases[match] = [name]
    if (!isKnownPlace(parentOf(path))) delivery.add(parentOf(path))
  }
  if (!has("event_timestamp")) {
    const time = timeOf(leaves)
    if (time !== undefined && time.name === "event_timestamp") delivery.add(parentOf(time.path))
    else if (time !== undefined) aliases["event_timestamp"] = [time.path]
  }
  const type = leaves.find(({ value }) => isKnownType(value))
  if (
    type !== undefined &&
    !has("event_type") &&
    !has("event") &&
    !(type.name === "type" && isKnownPlace(parentOf(type.path)))
  ) {
    aliases["event_type"] = [type.path]
  }
  return { aliases, envelope: delivery.size === 0 ? {} : { delivery: [...delivery] } }
}

const placesOf = (body: unknown, contentsAt: Paths) => {
  const known = new Set(placesIn(body, contentsAt).map(({ path }) => path))
  return (path: string): boolean => known.has(path)
}

const isInteger = ({ value }: Leaf): boolean => Number.isSafeInteger(value)

/** Undefined if it contains no list of records. */
export const ofList = (body: unknown): Suggestion | undefined => {
  const leaves = leavesOf(body)
  const records = leaves.find(({ value }) => Array.isArray(value) && value.length > 0 && value.every(Json.isObject))
  const counts = leaves.filter(isInteger)
  const total = counts.find(({ name }) => /total|count/i.test(name))
  const size = counts.find((leaf) => leaf !== total && /size|limit|per_?page/i.test(leaf.name))
  const page = counts.find((leaf) => leaf !== total && leaf !== size && /page|number|current|index/i.test(leaf.name))
  if (records === undefined || total === undefined) return undefined
  const list = { data: records, total, page, per_page: size }
  const first = (records.value as ReadonlyArray<unknown>)[0]
  const inRecord = leavesOf(first)
  const alias = (name: string, words: RegExp) => {
    const own = inRecord.some((leaf) => leaf.path === name)
    const other = own ? undefined : inRecord.find((leaf) => words.test(leaf.name) && !Json.isObject(leaf.value))
    return other === undefined ? [] : [[name, [other.path]] as const]
  }
  return {
    aliases: Object.fromEntries([
      ...alias("id", /(^|_)(id|number|no)$/i),
      ...alias("name", /name|title/i),
      ...alias("status", /status|state|phase/i)
    ]),
    envelope: {
      list: Object.fromEntries(
        Object.entries(list).flatMap(([name, leaf]) => (leaf === undefined ? [] : [[name, [leaf.path]]]))
      )
    }
  }
}

/** Undefined if nothing in it looks like a subscription's secret. */
export const ofCreation = (body: unknown): Suggestion | undefined => {
  const secret = leavesOf(body).find(
    ({ name, value }) => /secret|signing_?key/i.test(name) && typeof value === "string"
  )
  if (secret === undefined) return undefined
  const parent = parentOf(secret.path)
  return {
    aliases: secret.name === "secret" ? {} : { secret: [secret.name] },
    envelope: parent === "" ? {} : { creation: [parent] }
  }
}
