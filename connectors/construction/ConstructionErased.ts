/**
 * How a body is read when something is erased from it. The code that reads events determines which record it is about.
 * The fields that stay let it still say what happened to which record: its type, time and key, and those on which the
 * books rest (amounts, references of payments, addresses of certificates, the project). These stay only where they are
 * read: a nested field of the same name may be personal data. Without Effect, because the receiver's thread loads it.
 */
import { type Keeps, keepsAt } from "../../src/Domain/ErasedRecord.ts"
import * as Erasure from "../../src/Domain/Erasure.ts"
import type { Naming } from "../../src/Domain/Event.ts"
import * as Json from "../../src/Domain/Json.ts"
import * as Resource from "../../src/Domain/Resource.ts"
import * as Value from "../../src/Domain/Value.ts"
import { eventTypes, isKnownType, wires } from "./ConstructionEvents.ts"
import { type Aliases, join, lookupIn, placesIn, spellings } from "./ConstructionPlaces.ts"
import { candidatesOf, declaredType } from "./ConstructionTypes.ts"

/** How deliveries are read. */
export type Given = Pick<Naming, "aliases" | "contentsAt">

const head = ["event_type", "event", "event_timestamp"]

/** Texts that the books contain. */
const booked: ReadonlySet<string> = new Set(["project_id", "certificate_url", "payment_reference"])

export const isBooked = (entity: Resource.EntityName, column: string): boolean =>
  booked.has(column) || Resource.isMoney(Resource.byName(entity).columns[column]?.type ?? "JSON")

const spelled = (names: ReadonlyArray<string>, aliases: Aliases): ReadonlyArray<string> =>
  [...new Set(names)].flatMap((name) => spellings(name, aliases))

const keptNames = (aliases: Aliases): ReadonlyArray<string> => {
  const fields = eventTypes.flatMap(({ entity, fields: own = {} }) => [
    wires[entity].key,
    ...Object.entries({ ...wires[entity].fields, ...own }).flatMap(([column, names]) =>
      isBooked(entity, column) ? [column, ...names] : []
    )
  ])
  return spelled([...head, ...fields], aliases)
}

/** A project may be an object that has its id. */
const projectIds = (aliases: Aliases): ReadonlyArray<string> =>
  spelled(["project_id", ...eventTypes.flatMap(({ entity }) => wires[entity].fields["project_id"] ?? [])], aliases).map(
    (name) => join(name, "id")
  )

/** Each object on the way to these paths, and the top level. */
export const prefixes = (paths: ReadonlyArray<string>): ReadonlyArray<string> => [
  "",
  ...paths.flatMap((path) => path.split(".").map((_, place, parts) => parts.slice(0, place + 1).join(".")))
]

const below = (places: ReadonlyArray<string>, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  places.flatMap((place) => names.map((name) => join(place, name)))

const type = "type"

/** Fields of bodies that stay, regardless of the erased value. */
export const keptIn = ({ aliases, contentsAt }: Given): ReadonlyArray<string> =>
  below(prefixes(contentsAt), [...keptNames(aliases), ...spellings(type, aliases)])

/**
 * What stays of a record that events mention, with what else is needed from it. What proves an event's type must remain
 * visible.
 */
export const keepsIn = (
  places: ReadonlyArray<string>,
  aliases: Aliases,
  more: { readonly kept?: ReadonlyArray<string>; readonly shown?: ReadonlyArray<string> } = {}
): Keeps => {
  const types = new Set(below(places, [type]))
  const proofs = eventTypes.flatMap(({ proof }) => proof.flat())
  return keepsAt({
    kept: [...below(places, [...keptNames(aliases), ...projectIds(aliases)]), ...(more.kept ?? [])],
    shown: [...below(places, spelled(proofs, aliases)), ...(more.shown ?? [])],
    // A permit may have a type of its own.
    isKept: (path, value) => types.has(path) && isKnownType(value)
  })
}

export const bodies = ({ aliases, contentsAt }: Given): Erasure.Read => ({
  isKept: Erasure.keptAt(keptIn({ aliases, contentsAt })),
  keeps: keepsIn(prefixes(contentsAt), aliases),
  records: (value) => {
    if (!Json.isObject(value)) return []
    const places = placesIn(value, contentsAt)
    const lookup = lookupIn(places, aliases)
    const candidates = candidatesOf(declaredType(places, lookup), lookup)
    // If it may be about several, a header later names one.
    const entities = typeof candidates === "string" ? [] : new Set(candidates.map(({ entity }) => entity))
    return [...entities].flatMap((entity) => {
      const id = Value.readKey(Resource.byName(entity), lookup([wires[entity].key])?.value)
      return id === undefined ? [] : [{ table: entity, id }]
    })
  }
})
