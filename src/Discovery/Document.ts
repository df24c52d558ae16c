/**
 * An OpenAPI document as it was read: an untrusted value of any size and shape. It is read lazily and never changed.
 *
 * `$ref` stays inside the document: another file or address is never opened. A `$ref` that leads nowhere or in a circle
 * becomes a sentence, which is reported for the part that needed it; the rest continues. Pure.
 */
import { JsonPointer, Result } from "effect"

export interface Document {
  readonly root: Readonly<Record<string, unknown>>
  readonly openapi: string
  readonly title: string
  readonly version: string
  /** Sentences about the document as a whole. */
  readonly notes: ReadonlyArray<string>
}

/** The document has no raw numbers, so this avoids the check for them in `Json.isObject`. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** An object's own property: `__proto__` and `constructor` may be names in it. */
export const at = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

export const textAt = (value: unknown, name: string): string | undefined => {
  const found = at(value, name)
  return typeof found === "string" ? found : undefined
}

export const listAt = (value: unknown, name: string): ReadonlyArray<unknown> => {
  const found = at(value, name)
  return Array.isArray(found) ? (found as ReadonlyArray<unknown>) : []
}

export const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  isObject(value) ? Object.entries(value) : []

const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text)

/** The document, or a sentence that continues its name. */
export const open = (value: unknown): Result.Result<Document, string> => {
  if (!isObject(value)) return Result.fail("isn't OpenAPI: it is no JSON object.")
  const swagger = textAt(value, "swagger")
  if (swagger !== undefined) {
    return Result.fail(`is Swagger ${shown(swagger)}. siteledger reads OpenAPI 3.1 and 3.0: convert it first.`)
  }
  const openapi = textAt(value, "openapi")
  if (openapi === undefined) return Result.fail('isn\'t OpenAPI: it has no text "openapi" like "3.1.0".')
  if (!/^3\.\d+(\.\d+)?(-[\w.]+)?$/.test(openapi)) {
    return Result.fail(`is OpenAPI ${shown(openapi)}. siteledger reads OpenAPI 3.1 and 3.0.`)
  }
  if (!isObject(at(value, "paths"))) return Result.fail('has no "paths", so there is nothing to discover.')
  const info = at(value, "info")
  return Result.succeed({
    root: value,
    openapi,
    title: textAt(info, "title") ?? "",
    version: textAt(info, "version") ?? "",
    notes: /^3\.1(\.|$)/.test(openapi) ? [] : [`It is OpenAPI ${openapi}, not 3.1: read as far as both agree.`]
  })
}

export interface Resolved {
  readonly value: unknown
  /** Where it is, if a `$ref` led there. */
  readonly ref?: string
  readonly problem?: string
}

const mostHops = 32

/** A value after following its `$ref`s. */
export const resolve = ({ root }: Pick<Document, "root">, given: unknown): Resolved => {
  let value = given
  const passed = new Set<string>()
  for (let ref = textAt(value, "$ref"); ref !== undefined; ref = textAt(value, "$ref")) {
    if (passed.has(ref)) return { value: undefined, problem: `$ref ${shown(ref)} goes in a circle` }
    if (passed.size >= mostHops) return { value: undefined, problem: `$ref ${shown(ref)} goes too far` }
    passed.add(ref)
    if (!ref.startsWith("#")) {
      return { value: undefined, problem: `$ref ${shown(ref)} leaves the document, and is not followed` }
    }
    value = pointed(root, ref.slice(1))
    if (value === undefined) return { value: undefined, problem: `$ref ${shown(ref)} leads nowhere` }
  }
  const ref = [...passed].at(-1)
  return ref === undefined ? { value } : { value, ref }
}

const pointed = (root: unknown, fragment: string): unknown => {
  if (fragment === "") return root
  if (!fragment.startsWith("/")) return undefined
  let value = root
  for (const step of fragment.slice(1).split("/")) {
    const name = JsonPointer.unescapeToken(unescaped(step))
    value = Array.isArray(value) && /^\d{1,9}$/.test(name) ? (value[Number(name)] as unknown) : at(value, name)
    if (value === undefined) return undefined
  }
  return value
}

/** Many documents contain unescaped what a URI would escape. */
const unescaped = (step: string): string =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(step)),
    () => step
  )

/** The JSON Pointer to a place below another. */
export const below = (pointer: string, name: string): string => `${pointer}/${JsonPointer.escapeToken(name)}`
