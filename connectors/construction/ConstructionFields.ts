/**
 * What a record of a list or a signed body says about an entity's fields: text for each column, what doesn't fit its
 * column, and what no column is known for. Nothing is rounded and nothing is dropped.
 */
import * as Json from "../../src/Domain/Json.ts"
import * as Resource from "../../src/Domain/Resource.ts"

/** The same three as of a Change, while they are collected. */
export interface Said {
  readonly values: Record<string, string | null>
  misfits: Record<string, string>
  extra: Record<string, string>
}

/** What most records have none of: shared, since a walk reads a million of them. */
const none: Record<string, string> = {}

export const nothing = (): Said => ({ values: {}, misfits: none, extra: none })

/** False where the value doesn't fit its column, which is null then. */
export const say = (said: Said, column: string, type: Resource.ColumnType, value: unknown): boolean => {
  const text = Resource.readValue(type, value)
  said.values[column] = text ?? null
  return text !== undefined
}

export const keepMisfit = (said: Said, column: string, value: unknown): void => {
  if (said.misfits === none) said.misfits = {}
  said.misfits[column] = Json.stringify(value)
}

export const keepUnknown = (said: Said, name: string, value: unknown): void => {
  // The service names it, and may name it __proto__.
  if (said.extra === none) said.extra = Object.create(null) as Record<string, string>
  said.extra[name] = Json.stringify(value)
}
