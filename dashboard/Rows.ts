/**
 * Rows of the books as the worker sends them, read by column name, and the facts behind them. Pure.
 */
import type { Row } from "./Api.ts"
import { money, ofUnits } from "./Format.ts"

export type { Row } from "./Api.ts"

/** Null: the row has no value, or the worker's version doesn't have this column. */
export const textIn = (row: Row, name: string): string | null => {
  const value = row[name]
  return value === null || value === undefined ? null : String(value)
}

export const idIn = (row: Row, name: string): string => textIn(row, name) ?? ""

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The JSON object in a column; empty if there is none. */
export const objectIn = (row: Row, name: string): Readonly<Record<string, unknown>> => {
  const text = textIn(row, name)
  const value: unknown = text === null ? undefined : JSON.parse(text)
  return isObject(value) ? value : {}
}

/** The same for an answer whose fields have no type. */
export const saidIn = (of: Readonly<Record<string, unknown>>, name: string): string | null => {
  const value = of[name]
  return value === null || value === undefined ? null : String(value)
}

/** The objects in a list of an answer whose fields have no type. */
export const objectsIn = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isObject) : []

/** The names of kinds of facts, in a bookkeeper's words. */
const kinds: Readonly<Record<string, string>> = {
  certificate: "Certificate",
  "looked-up": "Certificate that a look-up found",
  payment: "Payment",
  project: "Project",
  opening: "Opening certificate",
  decision: "Decision",
  posting: "Entry that a person added",
  reversal: "Entry that a person took back",
  accounting: "Comparison with accounting",
  release: "Release of a draft",
  preceding: "The IPC before it",
  payable: "What is payable",
  terms: "New terms"
}

export const kindOf = (kind: unknown): string => kinds[String(kind)] ?? String(kind)

/** By their names in the books, in the order in which a reader wants them. The others follow. */
const names: ReadonlyMap<string, string> = new Map([
  ["amount", "amount"],
  ["units", "amount"],
  ["verdict", "verdict"],
  ["reference", "reference"],
  ["projectId", "project"],
  ["ipcId", "IPC"],
  ["of", "of IPC"],
  ["at", "dated"],
  ["by", "by"],
  ["url", "certificate"],
  ["eventId", "delivery"],
  ["knownAt", "known since"],
  ["number", "fact"]
])

/** For programs: the fact's other fields say the same. */
const hidden = new Set(["kind", "version", "path", "places"])

const order = [...names.keys()]

const placeOf = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length)

export interface Said {
  readonly name: string
  readonly value: string
}

const amountOf = (name: string, value: unknown): string | undefined => {
  if (name === "amount") return String(value)
  return name === "units" ? ofUnits(String(value)) : undefined
}

/** The fields of a fact, except its kind. Nested values stay JSON. */
export const saidBy = (fact: Readonly<Record<string, unknown>>, currency: string | null): ReadonlyArray<Said> =>
  Object.entries(fact)
    .filter(([name, value]) => value !== null && value !== undefined && !hidden.has(name))
    .toSorted(([one], [other]) => placeOf(one) - placeOf(other))
    .map(([name, value]) => {
      const amount = amountOf(name, value)
      const text = typeof value === "object" ? JSON.stringify(value) : String(value)
      return { name: names.get(name) ?? name, value: amount === undefined ? text : money(amount, currency) }
    })

/** An entry's accounts and amounts from its columns: first the debited ones, then the credited ones. */
export const accountsOf = (row: Row): string => {
  const lines = Object.entries(objectIn(row, "lines"))
  if (lines.length === 0) return `${idIn(row, "debit_account")} / ${idIn(row, "credit_account")}`
  const side = (isDebit: boolean): string =>
    lines
      .filter(([, amount]) => String(amount).startsWith("-") !== isDebit)
      .map(([account]) => account)
      .join(" + ")
  return `${side(true)} / ${side(false)}`
}
