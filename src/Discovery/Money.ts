/**
 * Which fields hold money: judged by format, or by a name typical of money if the value is a number or a decimal text.
 * It is only a suggestion to a person. Pure.
 */
import { at, textAt } from "./Document.ts"
import { isMoneyName, isSurelyMoneyName } from "../Domain/FieldNames.ts"
import { formatOf, type Scalar } from "./Shape.ts"

/** An example value from the schema. */
export const exampleOf = (schema: unknown): string | undefined =>
  textAt(schema, "example") ?? firstText(at(schema, "examples"))

const firstText = (examples: unknown): string | undefined => {
  const [first] = Array.isArray(examples) ? (examples as ReadonlyArray<unknown>) : []
  return typeof first === "string" ? first : undefined
}

/** A money format, or a number (or a decimal text) with a name typical of money. */
export const isMoneyField = (scalar: Scalar, name: string): boolean => {
  const format = formatOf(scalar)
  if (scalar.type === "boolean" || at(scalar.schema, "enum") !== undefined || isShare(scalar)) return false
  if (/^(money|currency|monetary|amount|price)$/.test(format)) return true
  if (!isMoneyName(name)) return false
  if (scalar.type === "number") return true
  if (scalar.type === "integer") return isSurelyMoneyName(name)
  return format === "decimal" || isDecimalText(scalar)
}

const isDecimalText = ({ schema }: Scalar): boolean => {
  const pattern = textAt(schema, "pattern")
  if (pattern !== undefined && /\\d|\[0-9\]/.test(pattern) && /\\\.|\[\.\]/.test(pattern)) return true
  const example = exampleOf(schema)
  return example !== undefined && /^-?\d+\.\d{1,4}$/.test(example)
}

/** A retention of 5, with a maximum of 100, is a percentage. */
const isShare = ({ schema }: Scalar): boolean => {
  const most = at(schema, "maximum")
  return typeof most === "number" && most <= 100 && at(schema, "minimum") === 0
}
