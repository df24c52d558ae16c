/**
 * Merge applies changes to a stored row. Pure.
 *
 * Guarantees: per field the greatest version wins, so any order, repetition or split of the same changes ends in the same
 * row; `status` is the furthest stage reached and never goes back; a tombstone is a field like any other (a later sighting
 * lifts it). `_changed_at` doesn't depend on the order either, if all changes are events; whether a page showed something
 * new depends on when it was read.
 *
 * A row maps column names to canonical text or null. `_clocks` holds the version of each field by column name; unknown
 * fields have a leading "+". A field that has a column by now moves there with its version, so that it makes no difference
 * when the column came.
 */
import type { Change } from "./Change.ts"
import { firstRow, isPlain } from "./FirstRow.ts"
import { clocksText } from "./ClocksText.ts"
import * as Version from "./Version.ts"
import type { Instant } from "./Instant.ts"
import * as Json from "./Json.ts"
import { many, objectText, sorted } from "./ObjectText.ts"
import { type ColumnType, furthestStage, keyColumn, type Resource, tableColumns } from "./Resource.ts"
import { readValue } from "./Value.ts"

export type Row = Readonly<Record<string, string | null>>

type Texts = Readonly<Record<string, string>>

interface Draft {
  readonly row: Record<string, string | null>
  /** By column name, or "+" and a field name: never a name that a prototype has. */
  versions: Record<string, Version.Version>
  /** JSON text by field; `nothing` until a field is added. */
  extra: Texts
  /** When a visible field last changed, or an event last mentioned the entity. */
  changedAt: Instant | undefined
  firstSeenAt: Instant | undefined
  dirty: boolean
}

/** About that many characters are the versions of so many fields. */
const manyVersions = 40 * many

export const isLarge = (stored: Row | undefined, changes: ReadonlyArray<Change>): boolean =>
  (stored?.["_clocks"]?.length ?? 0) > manyVersions ||
  changes.some(({ extra }) => {
    let fields = 0
    for (const _name in extra) if (++fields > many) return true
    return false
  })

/** The same as `merge`, with a pause after every few thousand fields. */
export function* mergeInParts(
  resource: Resource,
  stored: Row | undefined,
  changes: ReadonlyArray<Change>
): Generator<undefined, Row | undefined> {
  const [first] = changes
  if (first === undefined) return stored
  // Filled afterwards, a pause after each.
  const draft = open(resource, stored && { ...stored, _clocks: null, _extra: null }, first.id)
  draft.versions = versionsOf(stored)
  yield
  draft.extra = extraOf(stored)
  promote(resource, draft)
  yield
  for (const change of changes) {
    let visible = applyColumns(draft, change)
    for (const [number, name] of Object.keys(change.extra).entries()) {
      visible = setExtra(resource, draft, change, name) || visible
      if (number % many === many - 1) yield
    }
    applyTimes(draft, change, visible)
  }
  if (!draft.dirty) return stored
  yield
  const versions = yield* objectText(draft.versions, (version) => JSON.stringify(version))
  const extra = yield* objectText(draft.extra, (text) => text)
  return close(resource, draft, versions, extra === "{}" ? null : extra)
}

/** The row after the changes; the same object if they bring nothing newer. */
export const merge = (resource: Resource, stored: Row | undefined, changes: ReadonlyArray<Change>): Row | undefined => {
  const [first] = changes
  if (first === undefined) return stored
  const isFirst = stored === undefined && changes.length === 1 && isPlain(first) && !hasColumns(resource, first)
  if (isFirst) return firstRow(resource, first)
  const draft = open(resource, stored, first.id)
  promote(resource, draft)
  for (const change of changes) apply(resource, draft, change)
  if (!draft.dirty) return stored
  const extra = isEmpty(draft.extra) ? null : textOf(sorted(draft.extra))
  return close(resource, draft, clocksText(draft.versions), extra)
}

const open = (resource: Resource, stored: Row | undefined, id: string): Draft => {
  if (stored === undefined) {
    const row: Record<string, string | null> = {}
    for (const { name } of tableColumns(resource)) row[name] = null
    row[keyColumn(resource)] = id
    return {
      row,
      versions: {},
      extra: nothing,
      changedAt: undefined,
      firstSeenAt: undefined,
      dirty: true
    }
  }
  return {
    row: { ...stored },
    versions: versionsOf(stored),
    extra: extraOf(stored),
    changedAt: stored["_changed_at"] ?? undefined,
    firstSeenAt: stored["_first_seen_at"] ?? undefined,
    dirty: false
  }
}

const versionsOf = (stored: Row | undefined): Record<string, Version.Version> =>
  stored?.["_clocks"] ? (JSON.parse(stored["_clocks"]) as Record<string, Version.Version>) : {}

const extraOf = (stored: Row | undefined): Texts => {
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

/** Of a worker that doesn't know the columns yet. */
const hasColumns = ({ fields }: Resource, { extra }: Change): boolean =>
  fields !== undefined && Object.keys(extra).some((name) => fields.has(name))

/** What was kept without a column moves to the one that there is now. */
const promote = ({ columns, fields }: Resource, draft: Draft): void => {
  for (const [name, column] of fields ?? []) {
    const version = draft.versions[`+${name}`]
    if (version === undefined) continue
    const text = draft.extra[name] ?? "null"
    delete draft.versions[`+${name}`]
    delete own(draft)[name]
    draft.dirty = true
    if (column !== null) setText(draft, version, column, columns[column]?.type ?? "JSON", text)
  }
}

/** True if the row shows something else then. */
const setText = (draft: Draft, version: Version.Version, column: string, type: ColumnType, text: string): boolean => {
  const value = readValue(type, Json.parse(text))
  return setColumn(draft, version, column, value ?? null, value === undefined ? text : undefined)
}

const apply = (resource: Resource, draft: Draft, change: Change): void => {
  let visible = applyColumns(draft, change)
  for (const name of Object.keys(change.extra)) visible = setExtra(resource, draft, change, name) || visible
  applyTimes(draft, change, visible)
}

const applyColumns = (draft: Draft, change: Change): boolean => {
  let visible = change.source === "event"
  for (const column of Object.keys(change.values)) {
    const [value, misfit] = [change.values[column] ?? null, change.misfits[column]]
    visible = setColumn(draft, change.version, column, value, misfit) || visible
  }
  if (change.source === "absence") return visible
  return setColumn(draft, change.version, "_deleted_at", null, undefined) || visible
}

const applyTimes = (draft: Draft, change: Change, visible: boolean): void => {
  if (draft.firstSeenAt === undefined || change.seenAt < draft.firstSeenAt) {
    draft.firstSeenAt = change.seenAt
    draft.dirty = true
  }
  // An event counts as news even if it loses, so that the time doesn't depend on the order of arrival.
  if (visible && (draft.changedAt === undefined || change.seenAt > draft.changedAt)) {
    draft.changedAt = change.seenAt
    draft.dirty = true
  }
}

const setColumn = (
  draft: Draft,
  version: Version.Version,
  column: string,
  value: string | null,
  misfit: string | undefined
): boolean => {
  if (!Version.isAfter(version, draft.versions[column])) return false
  draft.versions[column] = version
  draft.dirty = true
  const isMisfit = column in draft.extra && draft.versions[`+${column}`] === undefined
  const before = isMisfit ? draft.extra[column] : undefined
  const changed = draft.row[column] !== value || before !== misfit
  draft.row[column] = value
  if (misfit !== undefined) own(draft)[column] = misfit
  else if (isMisfit) delete own(draft)[column]
  return changed
}

const own = (draft: Draft): Record<string, string> => {
  if (draft.extra === nothing) draft.extra = noTexts()
  return draft.extra as Record<string, string>
}

const setExtra = ({ columns, fields }: Resource, draft: Draft, change: Change, name: string): boolean => {
  const column = fields?.get(name)
  if (column === null) return false
  if (column !== undefined) {
    return setText(draft, change.version, column, columns[column]?.type ?? "JSON", change.extra[name] ?? "null")
  }
  if (!Version.isAfter(change.version, draft.versions[`+${name}`])) return false
  draft.versions[`+${name}`] = change.version
  draft.dirty = true
  const before = draft.extra[name]
  const text = change.extra[name] ?? "null"
  own(draft)[name] = text
  return before !== text
}

const close = (resource: Resource, draft: Draft, versions: string, extra: string | null): Row => {
  const { row } = draft
  row["_clocks"] = versions
  row["_extra"] = extra
  row["_first_seen_at"] = draft.firstSeenAt ?? null
  row["_changed_at"] = draft.changedAt ?? draft.firstSeenAt ?? null
  if (resource.stages.length > 0) row["status"] = furthestStage(resource, row)
  return row
}

const isEmpty = (extra: Texts): boolean => extra === nothing || Object.keys(extra).length === 0

const textOf = (texts: Texts): string =>
  `{${Object.keys(texts)
    .map((name) => `${JSON.stringify(name)}:${texts[name]}`)
    .join(",")}}`
