/**
 * JSON that keeps numbers as they were written.
 *
 * A number which a double can't give back to the letter (too many digits, a trailing zero, an exponent)
 * is read as a raw number that keeps its source text; `stringify` writes that text again. All other
 * values are what JSON.parse makes of them. Throws nothing: what isn't JSON is `undefined`.
 */
interface RawNumber {
  readonly rawJSON: string
}

interface SourceAccess {
  readonly parse: (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown
  readonly rawJSON: (text: string) => RawNumber
  readonly isRawJSON: (value: unknown) => value is RawNumber
}

// The JSON.parse source text proposal: in Node since 21, not yet in TypeScript's library.
const json = JSON as unknown as SourceAccess

/** Finds a number token that may not survive a double; a false alarm costs time, never exactness. */
const doubtful = /[:,[\s](?:-?\d{16,}|-?\d+\.\d*0|-?[\d.]{16,}|-?[\d.]+[eE][-+]?\d+|-0)(?=[\s,\]}]|$)|^\s*-?[\d.]/

const exactly = (_key: string, value: unknown, context: { source?: string }): unknown =>
  typeof value === "number" && context.source !== undefined && String(value) !== context.source
    ? json.rawJSON(context.source)
    : value

/** Reads JSON text; `undefined` when it isn't JSON (or is nested too deep to be walked). */
export const parse = (text: string): unknown => {
  try {
    return doubtful.test(text) ? json.parse(text, exactly) : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Writes JSON text, numbers as they were read, and lone surrogates replaced (no engine stores them). */
export const stringify = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "string" ? inner.toWellFormed() : inner))

/** The text of a JSON number as it was written, or `undefined` when the value isn't a number. */
export const numberText = (value: unknown): string | undefined => {
  if (typeof value === "number") return String(value)
  return json.isRawJSON(value) ? value.rawJSON : undefined
}

/** A JSON object: neither null, nor an array, nor a raw number. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !json.isRawJSON(value)
