/**
 * JSON values as the canonical text of columns: exact, or refused. Pure.
 */
import * as Amount from "./Amount.ts"
import * as Instant from "./Instant.ts"
import * as Json from "./Json.ts"
import type { ColumnType, Resource } from "./Resource.ts"

/**
 * A JSON value as a column's canonical text; `undefined` if it doesn't fit. Null is a value: it says that there is
 * none.
 */
export const readValue = (type: ColumnType, value: unknown): string | null | undefined => {
  if (value === null) return null
  switch (type) {
    case "VARCHAR":
      return readText(value)
    case "BIGINT":
      return readInteger(value)
    case "DECIMAL(28,4)":
      return Amount.read(value, Amount.Money)
    case "DECIMAL(10,2)":
      return Amount.read(value, { digits: 10, scale: 2 })
    case "DATE":
      return Instant.readDate(value)
    case "TIMESTAMPTZ": {
      const micros = Instant.readMicros(value)
      return micros === undefined ? undefined : Instant.fromMicros(micros)
    }
    case "JSON":
      return Json.stringify(value)
    case "BOOLEAN":
      return typeof value === "boolean" ? String(value) : undefined
    case "DOUBLE":
      return readDouble(value)
  }
}

/** As JavaScript writes it. */
const readDouble = (value: unknown): string | undefined => {
  const text = typeof value === "number" ? String(value) : Json.numberText(value)
  const number = Number(text)
  return text !== undefined && Number.isFinite(number) ? String(number) : undefined
}

/** Numbers and booleans keep their JSON text: a revision `7` is the text "7". */
const readText = (value: unknown): string | undefined => {
  if (typeof value === "string") return value.toWellFormed()
  return typeof value === "boolean" ? String(value) : Json.numberText(value)
}

const readInteger = (value: unknown): string | undefined => {
  if (Number.isSafeInteger(value)) return String(value)
  const text = typeof value === "string" ? value : Json.numberText(value)
  if (text === undefined || !/^-?\d{1,19}$/.test(text)) return undefined
  const integer = BigInt(text)
  return BigInt.asIntN(64, integer) === integer ? String(integer) : undefined
}

/** An entity's id: a string or an integer, as text; `undefined` if the resource can't use it as a key. */
export const readKey = (resource: Resource, value: unknown): string | undefined => {
  if (resource.key === "BIGINT") return readInteger(value)
  if (typeof value === "string") return value === "" ? undefined : value.toWellFormed()
  const text = Json.numberText(value)
  return text !== undefined && /^-?\d+$/.test(text) ? text : undefined
}
