/**
 * The lines of an entry as a file of the accounting system gives them: a list of accounts with debit and credit, as in
 * the entries that it received, or an object with the amount of each account, as in the books. Pure.
 */
import * as Amount from "../../Domain/Amount.ts"
import * as Json from "../../Domain/Json.ts"
import type { Line } from "../Fact.ts"
import * as Lines from "../Lines.ts"

/** A text says what is wrong; it continues a sentence after the entry's place in the file. */
export const read = (text: string): ReadonlyArray<Line> | string => {
  const given = linesIn(Json.parse(text))
  if (given === undefined) return "its lines are no list of accounts with debit and credit"
  const lines = Lines.summed(given)
  if (lines.some(({ units }) => Amount.ofUnits(units) === undefined))
    return "an amount of its lines has too many digits"
  if (lines.reduce((sum, { units }) => sum + units, 0n) !== 0n) return "its lines don't add up to zero"
  return lines.length < 2 ? "its lines move nothing" : lines
}

const linesIn = (value: unknown): ReadonlyArray<Line> | undefined => {
  if (Array.isArray(value)) return allOf(value.map(sidesIn))
  return Json.isObject(value)
    ? allOf(Object.entries(value).map(([account, amount]) => lineOf(account, unitsIn(amount))))
    : undefined
}

const allOf = (lines: ReadonlyArray<Line | undefined>): ReadonlyArray<Line> | undefined =>
  lines.every((line) => line !== undefined) ? lines : undefined

const sidesIn = (value: unknown): Line | undefined => {
  if (!Json.isObject(value)) return undefined
  const { account, credit = null, debit = null } = value
  const [debited, credited] = [sideIn(debit), sideIn(credit)]
  return debited === undefined || credited === undefined ? undefined : lineOf(account, debited - credited)
}

/** One of the two sides may be left out. */
const sideIn = (value: unknown): bigint | undefined => (value === null || value === "" ? 0n : unitsIn(value))

const unitsIn = (value: unknown): bigint | undefined => {
  const amount = Amount.read(value, Amount.Money)
  return amount === undefined ? undefined : Amount.toUnits(amount)
}

/** As the configuration accepts them. */
const isAccount = /^[^\p{Cc}]{1,200}$/u

const lineOf = (account: unknown, units: bigint | undefined): Line | undefined =>
  typeof account === "string" && isAccount.test(account) && units !== undefined ? { account, units } : undefined
