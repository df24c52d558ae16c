/**
 * What names a record in its table. Of several parts it is the text with a slash between them: no part holds one. Pure.
 */
import { keyColumn, type Resource } from "./Resource.ts"

export const joined = (resource: Pick<Resource, "keyColumn">, parts: ReadonlyArray<string>): string =>
  keyColumn(resource) === "id"
    ? (parts[0] ?? "")
    : parts.map((part) => part.replaceAll("%", "%25").replaceAll("/", "%2F")).join("/")
