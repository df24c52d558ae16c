/**
 * The fields of a record that may become columns: its own, those that JSON:API keeps in `attributes`, and both parts of
 * an object that consists of just an amount and its currency. Pure.
 */
import { below } from "./Document.ts"
import { plain } from "../Domain/Names.ts"
import type { Fields, Shapes } from "./Shape.ts"

export interface Field {
  readonly name: string
  /** Where it is in the record. */
  readonly from: string
  readonly schema: unknown
  readonly isRequired: boolean
  /** Its currency is beside it. */
  readonly isAmount?: boolean
}

export const fieldsOf = (shapes: Shapes, item: Fields): ReadonlyArray<Field> => {
  const own = [...item.fields].flatMap(([name, schema]) => field(shapes, item, name, "", schema))
  const inner = item.fields.has("attributes") ? shapes.of(item.fields.get("attributes")) : undefined
  if (inner?.kind !== "object" || !item.fields.has("id") || !item.fields.has("type")) return own
  return [
    ...own.filter(({ name }) => name !== "attributes"),
    ...[...inner.fields].flatMap(([name, schema]) => field(shapes, inner, name, "/attributes", schema))
  ]
}

const field = (
  shapes: Shapes,
  { required }: Fields,
  name: string,
  under: string,
  schema: unknown
): ReadonlyArray<Field> => {
  const from = below(under, name)
  const isRequired = required.has(name)
  const shape = shapes.of(schema)
  const parts = shape.kind === "object" ? amountIn(shapes, shape) : undefined
  if (parts === undefined) return [{ name, from, schema, isRequired }]
  const [amount, currency] = parts
  const of = (part: string) => (shape.kind === "object" ? shape.fields.get(part) : undefined)
  return [
    { name, from: below(from, amount), schema: of(amount), isRequired, isAmount: true },
    { name: `${name}_currency`, from: below(from, currency), schema: of(currency), isRequired }
  ]
}

const amounts: ReadonlySet<string> = new Set(["amount", "value"])
const currencies: ReadonlySet<string> = new Set(["currency", "currencycode"])

/** The names of both, in an object with nothing else. */
const amountIn = (shapes: Shapes, { fields }: Fields): readonly [amount: string, currency: string] | undefined => {
  if (fields.size !== 2) return undefined
  const names = [...fields.keys()]
  const amount = names.find((name) => amounts.has(plain(name)))
  const currency = names.find((name) => currencies.has(plain(name)))
  if (amount === undefined || currency === undefined) return undefined
  return names.every((name) => shapes.of(fields.get(name)).kind === "scalar") ? [amount, currency] : undefined
}
