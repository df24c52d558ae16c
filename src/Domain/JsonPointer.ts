/**
 * JSON Pointers (RFC 6901), as the review file uses them. They lead through objects only, because no field of a record
 * is in a list. Pure.
 */
import * as Json from "./Json.ts"

/** The pointer's steps as field names. */
export const steps = (pointer: string): ReadonlyArray<string> =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

/** Undefined if nothing is there. */
export const along = (value: unknown, way: ReadonlyArray<string>): unknown => {
  let found = value
  for (const name of way) {
    if (!Json.isObject(found) || !Object.hasOwn(found, name)) return undefined
    found = found[name]
  }
  return found
}

/** "" is the value itself. */
export const at = (value: unknown, pointer: string): unknown => along(value, steps(pointer))
