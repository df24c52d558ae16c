/**
 * The plain kinds of values in the catalogue: each with its JSON Schema and a random value of it.
 */
import * as Json from "../../src/Domain/Json.ts"
import type { Dice } from "../Seed.ts"

export type Schema = Readonly<Record<string, unknown>>

/** The JSON Schema of a value, and how to make one. */
export interface Typed {
  readonly schema: Schema
  /** `room`: how many more levels of objects it may contain. */
  readonly value: (dice: Dice, room: number) => unknown
}

const words = [
  "north stair",
  "level 2",
  "façade",
  "Ørsted wing",
  "pump room",
  'the "B" block',
  "grid line C/7",
  "café & terrace",
  "東側",
  "roof",
  "<plant room>",
  "lift shaft"
] as const
const verbs = ["Check", "Install", "Repair", "Measure", "Paint", "Seal", "Remove"] as const
const names = ["A. Okafor", "J. Núñez", "M. Þórsdóttir", "L. Chen", 'S. "Sam" Patel', "Z. Kowalski"] as const
const places = ["DE", "FR", "GB", "JP", "PL", "US", "ZA"] as const
const currencies = ["EUR", "GBP", "JPY", "PLN", "USD"] as const

const padded = (n: number, digits: number): string => String(n).padStart(digits, "0")

/** Earlier than anything that the sandbox changes. */
const day = (dice: Dice): string => `2025-${padded(1 + dice.below(12), 2)}-${padded(1 + dice.below(28), 2)}`

const clock = (dice: Dice): string => `${padded(dice.below(24), 2)}:${padded(dice.below(60), 2)}`

const hex = (dice: Dice, digits: number): string =>
  Array.from({ length: digits }, () => dice.below(16).toString(16)).join("")

const uuid = (dice: Dice): string =>
  `${hex(dice, 8)}-${hex(dice, 4)}-4${hex(dice, 3)}-a${hex(dice, 3)}-${hex(dice, 12)}`

const amount = (dice: Dice): string => {
  const long = dice.chance(0.05) ? String(1_000_000 + dice.below(9_000_000)).repeat(2) : ""
  return `${dice.chance(0.1) ? "-" : ""}${1 + dice.below(900_000)}${long}.${padded(dice.below(100), 2)}`
}

/** A number as it stands in JSON: a double may not hold it. */
const exactly = (text: string): unknown => Json.parse(text)

const sentence = (dice: Dice): string => `${dice.pick(verbs)} ${dice.pick(words)}`

const typed = (schema: Schema, value: (dice: Dice) => unknown): Typed => ({ schema, value })

const text = { type: "string" }

const kinds: Readonly<Record<string, Typed>> = {
  text: typed(text, (dice) => `${sentence(dice)} ${dice.below(100)}`),
  prose: typed(
    { ...text, description: "May have several paragraphs." },
    (dice) => `${sentence(dice)}.\n\n${sentence(dice)}.`
  ),
  person: typed(text, (dice) => dice.pick(names)),
  int: typed({ type: "integer" }, (dice) => dice.below(365)),
  int64: typed({ type: "integer", format: "int64" }, (dice) => dice.below(4_000_000_000)),
  number: typed({ type: "number" }, (dice) => dice.below(100_000) / 8),
  percent: typed({ type: "number", minimum: 0, maximum: 100 }, (dice) => dice.below(401) / 4),
  decimal: typed({ ...text, format: "decimal", description: "A decimal number as text." }, amount),
  amount: typed({ type: "number", description: "An exact decimal: parse it from the text." }, (dice) =>
    exactly(amount(dice))
  ),
  flag: typed({ type: "boolean" }, (dice) => dice.chance(0.5)),
  date: typed({ ...text, format: "date" }, day),
  time: typed({ ...text, format: "date-time" }, (dice) => `${day(dice)}T${clock(dice)}:${padded(dice.below(60), 2)}Z`),
  clock: typed({ ...text, pattern: "^\\d{2}:\\d{2}$", examples: ["07:30"] }, clock),
  uuid: typed({ ...text, format: "uuid" }, uuid),
  url: typed({ ...text, format: "uri" }, (dice) => `https://construction.example/files/${hex(dice, 8)}`),
  email: typed({ ...text, format: "email" }, (dice) => `person.${dice.below(1000)}@construction.example`),
  phone: typed(text, (dice) => `+44 20 ${padded(dice.below(10_000), 4)} ${padded(dice.below(10_000), 4)}`),
  country: typed({ ...text, minLength: 2, maxLength: 2, description: "ISO 3166-1 alpha-2." }, (dice) =>
    dice.pick(places)
  ),
  currency: typed({ ...text, pattern: "^[A-Z]{3}$", description: "ISO 4217." }, (dice) => dice.pick(currencies)),
  map: typed({ type: "object", additionalProperties: { type: ["string", "number", "boolean"] } }, (dice) =>
    Object.fromEntries(
      Array.from({ length: dice.below(4) }, (_, n) => [`key ${n}`, dice.chance(0.5) ? n : sentence(dice)])
    )
  ),
  reading: typed({ anyOf: [{ type: "number" }, text], description: "A number, or why there is none." }, (dice) =>
    dice.chance(0.8) ? dice.below(1000) / 4 : "out of range"
  )
}

export const plain = (name: string): Typed => {
  const found = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (found === undefined) throw new Error(`The catalogue has no kind ${name}.`)
  return found
}
