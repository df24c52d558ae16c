/**
 * A row while it is merged: its columns, the version of each field, and the fields without a column. If its version
 * wins, a value goes into its column, into the column beside it (the spill), or among the other fields. Pure.
 */
import * as Fit from "./Fit.ts"
import type { Instant } from "./Instant.ts"
import * as Json from "./Json.ts"
import { type ColumnType, keyColumn, type Resource, tableColumns } from "./Resource.ts"
import { readValue } from "./Value.ts"
import { isText } from "./Limits.ts"
import * as Version from "./Version.ts"

/** Canonical text or null, by column. */
export type Row = Readonly<Record<string, string | null>>

type Texts = Readonly<Record<string, string>>

export interface Draft {
  readonly resource: Resource
  readonly row: Record<string, string | null>
  /** By column name, or "+" and a field name, so a key is never a name that a prototype has. */
  versions: Record<string, Version.Version>
  /** JSON text by field. It is the shared `nothing` until a field is added. */
  extra: Texts
  /** When a visible field last changed, or an event last mentioned the entity. */
  changedAt: Instant | undefined
  firstSeenAt: Instant | undefined
  dirty: boolean
}

export const open = (resource: Resource, stored: Row | undefined, id: string): Draft => {
  if (stored === undefined) {
    const row: Record<string, string | null> = {}
    for (const { name } of tableColumns(resource)) row[name] = null
    row[keyColumn(resource)] = id
    return {
      resource,
      row,
      versions: {},
      extra: nothing,
      changedAt: undefined,
      firstSeenAt: undefined,
      dirty: true
    }
  }
  return {
    resource,
    row: { ...stored },
    versions: versionsOf(stored),
    extra: extraOf(stored),
    changedAt: stored["_changed_at"] ?? undefined,
    firstSeenAt: stored["_first_seen_at"] ?? undefined,
    dirty: false
  }
}

export const versionsOf = (stored: Row | undefined): Record<string, Version.Version> =>
  stored?.["_clocks"] ? (JSON.parse(stored["_clocks"]) as Record<string, Version.Version>) : {}

export const extraOf = (stored: Row | undefined): Texts => {
  if (!stored?.["_extra"]) return nothing
  const texts = noTexts()
  for (const [name, value] of Object.entries(Json.parse(stored["_extra"]) as object))
    texts[name] = Json.stringify(value)
  return texts
}

/** Without a prototype, because field names come from outside and may be "__proto__". */
const noTexts = (): Record<string, string> => Object.create(null) as Record<string, string>

/** Most rows have no extra fields. Shared, because an object per row is expensive. */
const nothing = Object.freeze(noTexts())

export const isEmpty = (extra: Texts): boolean => extra === nothing || Object.keys(extra).length === 0

export const own = (draft: Draft): Record<string, string> => {
  if (draft.extra === nothing) draft.extra = noTexts()
  return draft.extra as Record<string, string>
}

const typeOf = ({ resource }: Draft, column: string): ColumnType => resource.columns[column]?.type ?? "JSON"

/** `misfit`: the JSON text of a value that the column can't hold. Returns true if the visible row changed. */
export const setColumn = (
  draft: Draft,
  version: Version.Version,
  column: string,
  value: string | null,
  misfit: string | undefined
): boolean => {
  if (!Version.isAfter(version, draft.versions[column])) return false
  draft.versions[column] = version
  draft.dirty = true
  const before = misfitOf(draft, column)
  const spilled = spill(draft, version, column, misfit)
  const rest = spilled.isTaken ? undefined : misfit
  const changed = draft.row[column] !== value || before !== rest || spilled.isChanged
  draft.row[column] = value
  if (rest !== undefined) own(draft)[column] = rest
  else if (before !== undefined) delete own(draft)[column]
  return changed
}

/** The misfit of a column, stored among the other fields, unless a field has that name. */
export const misfitOf = ({ extra, versions }: Draft, column: string): string | undefined =>
  column in extra && versions[`+${column}`] === undefined ? extra[column] : undefined

interface Spilled {
  readonly isTaken: boolean
  readonly isChanged: boolean
}

const notSpilled: Spilled = { isTaken: false, isChanged: false }

/**
 * Puts the value into the spill column, which holds nothing else. The column gets the version too: a worker that
 * doesn't know this column leaves the value of an older page in it.
 */
export const spill = (
  draft: Draft,
  version: Version.Version | undefined,
  column: string,
  misfit: string | undefined
): Spilled => {
  const beside = draft.resource.spills?.get(column)
  if (beside === undefined) return notSpilled
  const value = (misfit === undefined ? undefined : Fit.readExactly(typeOf(draft, beside), misfit)) ?? null
  const before = draft.row[beside] ?? null
  draft.row[beside] = value
  if (value === null || version === undefined) delete draft.versions[beside]
  else draft.versions[beside] = version
  if (before !== value) draft.dirty = true
  return { isTaken: value !== null, isChanged: before !== value }
}

/** Puts a field's JSON text into its column. `isExact`: the column takes only what it holds exactly. */
export const setText = (
  draft: Draft,
  version: Version.Version,
  { column, isExact, text }: { readonly column: string; readonly isExact: boolean; readonly text: string }
): boolean => {
  const type = typeOf(draft, column)
  const read = isExact ? Fit.readExactly(type, text) : readValue(type, Json.parse(text))
  const value = read === null || read === undefined || isText(read) ? read : undefined
  return setColumn(draft, version, column, value ?? null, value === undefined ? text : undefined)
}
