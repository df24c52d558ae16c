/**
 * What a field's name says about its values: that they are money, or a secret. Pure.
 */
import { words } from "./Names.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "))

const moneyWords = set(
  "amount amounts price cost costs total subtotal balance fee fees tax taxes vat payment paid payable receivable due budget revenue salary wage gross net credit debit charge charges retention deposit discount refund refunded spend spent earnings sum premium penalty cash profit margin expense expenses invoiced billed certified committed forecast contingency"
)
const otherWords = set(
  "count counts percent percentage pct rate ratio quantity qty number id ids date at day days hour hours minutes seconds months currency type status code method terms name reference ref url note notes page pages size items records score factor weight index version by is has impact_days precision unit units level"
)
/** Values of things that are paid for, not readings of a sensor. */
const valuedNames =
  /(^|_)(contract|order|invoice|certified|total|market|book|asset|awarded|tender|original|revised)_value$/
const surelyMoney = /^(amount|price|cost|balance|fee|budget|salary|revenue)$/

/** Numbers of this name are money. */
export const isMoneyName = (name: string): boolean => {
  const parts = words(name)
  const isCalledMoney = parts.some((word) => moneyWords.has(word)) || valuedNames.test(parts.join("_"))
  return isCalledMoney && !parts.some((word) => otherWords.has(word))
}

/** Money even if the numbers are whole. */
export const isSurelyMoneyName = (name: string): boolean =>
  isMoneyName(name) && words(name).some((word) => surelyMoney.test(word))

const secretNames =
  /(^|_)(password|passwd|secret|token|api_key|private_key|access_key|credential|credentials|passphrase)$/

/** A column with this name would hold a secret. */
export const isSecretName = (name: string): boolean => secretNames.test(name)
