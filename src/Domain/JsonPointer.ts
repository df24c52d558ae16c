/**
 * JSON Pointers (RFC 6901), as the review file has them. Only through objects: no field of a record is in a list. Pure.
 */
import * as Json from "./Json.ts"

/** Undefined if there is nothing. "" is the value itself. */
export const at = (value: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (inner, name) => (Json.isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
      value
    )
