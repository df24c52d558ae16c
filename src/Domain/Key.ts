/**
 * The key that names a record in its table. A key of several parts is their text, joined by slashes; no part contains
 * one. Pure.
 */
import { keyColumn, type Resource } from "./Resource.ts"

export const joined = (resource: Pick<Resource, "keyColumn">, parts: ReadonlyArray<string>): string =>
  keyColumn(resource) === "id"
    ? (parts[0] ?? "")
    : parts.map((part) => part.replaceAll("%", "%25").replaceAll("/", "%2F")).join("/")
