/**
 * Amounts as whole ten-thousandths, independent of the product's own code.
 */

/** Fails rather than rounds. */
export const read = (text: string): bigint => {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(?:\.(\d{0,4})0*)?$/.exec(text) ?? []
  if (whole === "") throw new Error(`${JSON.stringify(text)} is no amount`)
  const units = BigInt(whole + fraction.padEnd(4, "0"))
  return sign === "" ? units : -units
}

/** With the given number of decimals, at most four; fails rather than rounds. */
export const text = (units: bigint, decimals = 4): string => {
  const scale = 10n ** BigInt(4 - decimals)
  if (units % scale !== 0n) throw new Error(`${units} ten-thousandths need more than ${decimals} decimals`)
  const digits = String((units < 0n ? -units : units) / scale).padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  return `${units < 0n ? "-" : ""}${whole}${decimals === 0 ? "" : `.${digits.slice(-decimals)}`}`
}

export const sum = (all: Iterable<bigint>): bigint => [...all].reduce((total, each) => total + each, 0n)

const cent = 100n

/** This percentage of an amount, rounded to the cent, halves away from zero. `percent`: in ten-thousandths. */
export const share = (of: bigint, percent: bigint): bigint => {
  const [exact, whole] = [of * percent, 1_000_000n * cent]
  const away = exact < 0n ? -whole / 2n : whole / 2n
  return ((exact + away) / whole) * cent
}

/** JSON with every number as the text in which it was written. */
export const parse = (json: string): unknown => {
  type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown
  const exact: Reviver = (_, value, { source }) => (typeof value === "number" ? source : value)
  return JSON.parse(json, exact as Parameters<typeof JSON.parse>[1])
}
