/**
 * JSON that keeps numbers as they were written.
 *
 * A number that a double can't reproduce literally (too many digits, a trailing zero, an exponent) is read as a raw number
 * that keeps its source text; `stringify` writes that text again. All other values are what JSON.parse makes of them, with
 * lone surrogates replaced. Never throws: text that isn't JSON, or is nested deeper than 500 levels, is `undefined`.
 */
interface RawNumber {
  readonly rawJSON: string
}

interface RawNumbers {
  readonly rawJSON: (text: string) => RawNumber
  readonly isRawJSON: (value: unknown) => value is RawNumber
}

// From the "JSON.parse source text access" proposal: in Node since 21, but not yet in TypeScript's library.
const json = JSON as unknown as RawNumbers

/** Finds numbers that may not survive a double; a false positive costs time, never exactness. */
const doubtful =
  /[:,[\s](?:-?\d{16,}|-?\d+\.\d*0|-?0\.0{6}\d+|-?[\d.]{16,}|-?[\d.]+[eE][-+]?\d+|-0)(?=[\s,\]}]|$)|^\s*-?[\d.]/

/** A number where a value may stand, outside strings. */
const numbers = /(?<=^|[:,[\s])-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?(?=[\s,\]}]|$)/g

const exact = (number: string): string => (String(Number(number)) === number ? number : `{"${rawName}":"${number}"}`)

/** The text with placeholders for numbers that a double can't reproduce. A reviver would be called for every value. */
const exactly = (text: string): string => {
  let written = ""
  let copied = 0
  for (let at = 0; at < text.length;) {
    const opening = text.indexOf('"', at)
    const end = opening < 0 ? text.length : opening
    // Between two strings there is usually only a colon or a comma.
    if (end - at > 1) {
      const between = text.slice(at, end)
      const kept = between.replace(numbers, exact)
      if (kept !== between) {
        written += text.slice(copied, at) + kept
        copied = end
      }
    }
    at = stringEnd(text, end) + 1
  }
  return written + text.slice(copied)
}

/** The only key of a raw number's placeholder. Random, so that no text from outside can contain it. */
const rawName = `number ${crypto.randomUUID()}`

/** The value with raw numbers in place of their placeholders. */
const restored = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  const fields = value as Record<string, unknown>
  const number = fields[rawName]
  if (typeof number === "string") return json.rawJSON(number)
  for (const name in fields) {
    const before = fields[name]
    const after = restored(before)
    if (after === before) continue
    // Assigning to __proto__ would change the prototype.
    if (name === "__proto__") Object.defineProperty(fields, name, { value: after })
    else fields[name] = after
  }
  return value
}

/** Values are traversed recursively, so a body of nothing but brackets must not exhaust the stack. */
const deepest = 500

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93]

/**
 * Whether JSON text is nested deeper than that. Most texts have too few brackets; for the others one pass decides,
 * skipping strings.
 */
const isDeep = (text: string): boolean => {
  if (!hasMany(text, "{", deepest / 2) && !hasMany(text, "[", deepest / 2)) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = stringEnd(text, at)
    else if (code === openBrace || code === openBracket) {
      if (++depth > deepest) return true
    } else if (code === closeBrace || code === closeBracket) depth--
  }
  return false
}

const hasMany = (text: string, bracket: string, many: number): boolean => {
  let count = 0
  for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++count > many) return true
  return false
}

/** The position of the quote that closes the string opened at `start`. By `indexOf`: a string may be megabytes long. */
const stringEnd = (text: string, start: number): number => {
  let end = start
  do end = text.indexOf('"', end + 1)
  while (end > 0 && isEscaped(text, end))
  return end < 0 ? text.length : end
}

const isEscaped = (text: string, at: number): boolean => {
  let first = at
  while (text.charCodeAt(first - 1) === backslash) first--
  return (at - first) % 2 === 1
}

/** The end of the object that begins here, if there is one. The object needn't be valid JSON. */
export const objectEnd = (text: string, start: number): number | undefined => {
  if (text.charCodeAt(start) !== openBrace) return undefined
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = stringEnd(text, at)
    else if (code === openBrace || code === openBracket) depth++
    else if ((code === closeBrace || code === closeBracket) && --depth === 0) return at + 1
  }
  return undefined
}

/** Matches one escape: either `kept`, or a lone surrogate, which no engine stores. */
const escapes =
  /(\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\(?!u[dD][89a-fA-F])[^])|\\u[dD][89a-fA-F][\da-fA-F]{2}/g

const wellFormed = (text: string): string =>
  /\\u[dD][89a-fA-F]/.test(text) ? text.replace(escapes, (_match, kept?: string) => kept ?? "\\ufffd") : text

/** Reads JSON text; `undefined` if it isn't JSON or is nested too deeply. */
export const parse = (text: string): unknown => {
  try {
    const safe = wellFormed(text)
    const isDoubtful = doubtful.test(safe)
    const value: unknown = JSON.parse(isDoubtful ? exactly(safe) : safe)
    if (isDeep(safe)) return undefined
    return isDoubtful ? restored(value) : value
  } catch {
    return undefined
  }
}

/** Writes JSON text, with numbers as they were read and lone surrogates replaced. */
export const stringify = (value: unknown): string => {
  // Most values are strings, and a replacer would be called for each value.
  if (typeof value === "string") return JSON.stringify(value.toWellFormed())
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "string" ? inner.toWellFormed() : inner))
}

/** The text of a JSON number as it was written, or `undefined` when the value isn't a number. */
export const numberText = (value: unknown): string | undefined => {
  if (typeof value === "number") return String(value)
  return json.isRawJSON(value) ? value.rawJSON : undefined
}

/** A JSON object: neither null, nor an array, nor a raw number. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !json.isRawJSON(value)
