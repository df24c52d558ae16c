/**
 * Which fields hold money: by format, or by a name that is one of money where the value is a number or a decimal text. It
 * is only suggested to a person. Pure.
 */
import { at, textAt } from "./Document.ts"
import { words } from "./Names.ts"
import { formatOf, type Scalar } from "./Shape.ts"

/** A value that the schema shows. */
export const exampleOf = (schema: unknown): string | undefined =>
  textAt(schema, "example") ?? firstText(at(schema, "examples"))

const firstText = (examples: unknown): string | undefined => {
  const [first] = Array.isArray(examples) ? (examples as ReadonlyArray<unknown>) : []
  return typeof first === "string" ? first : undefined
}

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const moneyWords = set(
  "amount amounts price cost costs total subtotal balance fee fees tax taxes vat payment paid payable receivable due budget revenue salary wage gross net credit debit charge charges retention deposit discount refund refunded spend spent earnings sum premium penalty cash profit margin expense expenses invoiced billed certified committed forecast contingency"
)
const otherWords = set(
  "count counts percent percentage pct rate ratio quantity qty number id ids date at day days hour hours minutes seconds months currency type status code method terms name reference ref url note notes page pages size items records score factor weight index version by is has impact_days precision unit units level"
)
/** A value of something that is paid for, not one that a sensor reads. */
const valuedNames =
  /(^|_)(contract|order|invoice|certified|total|market|book|asset|awarded|tender|original|revised)_value$/
const surelyMoney = /^(amount|price|cost|balance|fee|budget|salary|revenue)$/

/** A money format, or a number (or a decimal text) whose name is one of money. */
export const isMoneyField = (scalar: Scalar, name: string): boolean => {
  const format = formatOf(scalar)
  if (scalar.type === "boolean" || at(scalar.schema, "enum") !== undefined || isShare(scalar)) return false
  if (/^(money|currency|monetary|amount|price)$/.test(format)) return true
  const parts = words(name)
  const isCalledMoney = parts.some((word) => moneyWords.has(word)) || valuedNames.test(parts.join("_"))
  if (!isCalledMoney || parts.some((word) => otherWords.has(word))) return false
  if (scalar.type === "number") return true
  if (scalar.type === "integer") return parts.some((word) => surelyMoney.test(word))
  return format === "decimal" || isDecimalText(scalar)
}

const isDecimalText = ({ schema }: Scalar): boolean => {
  const pattern = textAt(schema, "pattern")
  if (pattern !== undefined && /\\d|\[0-9\]/.test(pattern) && /\\\.|\[\.\]/.test(pattern)) return true
  const example = exampleOf(schema)
  return example !== undefined && /^-?\d+\.\d{1,4}$/.test(example)
}

/** A retention of 5, of at most 100, is a percentage. */
const isShare = ({ schema }: Scalar): boolean => {
  const most = at(schema, "maximum")
  return typeof most === "number" && most <= 100 && at(schema, "minimum") === 0
}
