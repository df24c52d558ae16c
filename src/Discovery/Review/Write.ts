/**
 * The review file as text: two spaces of indentation, and everything that fits on one line is on one line, so that a
 * column is a line and a diff is short. The same review gives the same text.
 */
import { Schema } from "effect"
import { Review } from "../Review.ts"

/** With the fields in the order of the schema. */
const inOrder = Schema.decodeSync(Review)

const widest = 120

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null

const text = (value: unknown): string => JSON.stringify(value)

/** On one line, as a person writes it. */
const flat = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(flat).join(", ")}]`
  if (isPlain(value)) return text(value)
  const inner = Object.entries(value as object).map(([name, each]) => `${text(name)}: ${flat(each)}`)
  return inner.length === 0 ? "{}" : `{ ${inner.join(", ")} }`
}

const isShort = (value: unknown): boolean =>
  Array.isArray(value) ? value.every(isPlain) : Object.values(value as object).every(isPlain)

const written = (value: unknown, indent: string, before: number): string => {
  if (isPlain(value)) return text(value)
  if (isShort(value)) {
    const line = flat(value)
    if (indent.length + before + line.length < widest) return line
  }
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((each) => `${inner}${written(each, inner, 0)}`)
    : Object.entries(value as object).map(([name, each]) => {
        const label = `${text(name)}: `
        return `${inner}${label}${written(each, inner, label.length)}`
      })
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.join(",\n")}\n${indent}${close}`
}

export const write = (review: Review): string => `${written(inOrder(review), "", 0)}\n`
