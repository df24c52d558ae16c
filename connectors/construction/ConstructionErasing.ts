/**
 * What an erasure leaves in a body or an answer of the service, so that it still says what happened to which record: its
 * type, time and key, and what the books rest on (amounts, references of payments, addresses of certificates, the project).
 * All of it only where it is read: a field of the same name further down may be a person's.
 */
import { Effect, Layer } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import { SwitchedOn } from "../../src/Discovery/Resources.ts"
import type { List } from "../../src/Discovery/Review.ts"
import * as Resource from "../../src/Domain/Resource.ts"
import * as Erasures from "../../src/Stores/Erasures.ts"
import { eventTypes, wires } from "./ConstructionEvents.ts"
import { type Aliases, join, spellings } from "./ConstructionPlaces.ts"

/** What says how the service is read. */
export interface Read {
  readonly aliases: Aliases
  /** Where contents of bodies may be, besides the top level. */
  readonly contentsAt: ReadonlyArray<string>
  /** Where an answer of the list that the interface document shows has its records. */
  readonly recordsAt: ReadonlyArray<string>
}

const head = ["event_type", "event", "event_timestamp", "type"]

/** Texts that the books have. */
const booked: ReadonlySet<string> = new Set(["project_id", "certificate_url", "payment_reference"])

export const isBooked = (entity: Resource.EntityName, column: string): boolean =>
  booked.has(column) || Resource.isMoney(Resource.byName(entity).columns[column]?.type ?? "JSON")

const namesIn = (aliases: Aliases): ReadonlyArray<string> => {
  const fields = eventTypes.flatMap(({ entity, fields: own = {} }) => [
    wires[entity].key,
    ...Object.entries({ ...wires[entity].fields, ...own }).flatMap(([column, names]) =>
      isBooked(entity, column) ? [column, ...names] : []
    )
  ])
  return [...new Set([...head, ...fields])].flatMap((name) => spellings(name, aliases))
}

/** Each object on the way to these paths, and the top. */
const prefixes = (paths: ReadonlyArray<string>): ReadonlyArray<string> => [
  "",
  ...paths.flatMap((path) => path.split(".").map((_, place, parts) => parts.slice(0, place + 1).join(".")))
]

const dotted = (pointer: string): string => pointer.split("/").slice(1).join(".")

/** Columns without which nobody could read what an answer is about. */
export const neededIn = ({ key, lookUp }: List): ReadonlySet<string> => {
  const { amount = "", at = "", currency = "", project = "", url = "" } = lookUp?.certificate ?? {}
  return new Set([...key, amount, at, currency, project, url])
}

const ofList = (list: List): ReadonlyArray<string> => {
  const { answer, columns, lookUp } = list
  const needed = neededIn(list)
  const names = columns.flatMap(({ from, name }) => (needed.has(name) ? [from ?? name] : []))
  return [answer.rows, lookUp?.record ?? ""].flatMap((place) => names.map((name) => join(dotted(place), name)))
}

export const kept = ({ aliases, contentsAt, recordsAt }: Read, lists: ReadonlyArray<List>): Erasures.Kept => ({
  inBodies: prefixes(contentsAt).flatMap((place) => namesIn(aliases).map((name) => join(place, name))),
  inAnswers: [
    ...recordsAt.flatMap((place) => spellings(wires.projects.key, aliases).map((name) => join(place, name))),
    ...lists.flatMap(ofList)
  ]
})

/** For a worker. */
export const layer = Layer.effect(
  Erasures.Erasing,
  Effect.gen(function* () {
    const { envelope, fieldAliases: aliases } = yield* ServiceSettings
    const read = { aliases, contentsAt: envelope.delivery, recordsAt: envelope.list.data }
    return yield* Erasures.erasing(kept(read, yield* SwitchedOn))
  })
)
