/**
 * Merge applies changes to a stored row. Pure.
 *
 * Guarantees: per field the greatest version wins, so any order, repetition or split of the same changes ends in the same
 * row; `status` is the furthest stage reached and never goes back; a tombstone is a field like any other (a later sighting
 * lifts it). `_changed_at` doesn't depend on the order either, if all changes are events; whether a page showed something
 * new depends on when it was read.
 *
 * A row maps column names to canonical text or null. `_clocks` holds the version of each field by column name; unknown
 * fields have a leading "+".
 */
import type { Change } from "./Change.ts"
import { firstRow, isPlain } from "./FirstRow.ts"
import * as Version from "./Version.ts"
import type { Instant } from "./Instant.ts"
import * as Json from "./Json.ts"
import { many, objectText, sorted } from "./ObjectText.ts"
import { furthestStage, keyColumn, type Resource, tableColumns } from "./Resource.ts"

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
  yield
  for (const change of changes) {
    let visible = applyColumns(draft, change)
    for (const [number, name] of Object.keys(change.extra).entries()) {
      visible = setExtra(draft, change, name) || visible
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
  if (stored === undefined && changes.length === 1 && isPlain(first)) return firstRow(resource, first)
  const draft = open(resource, stored, first.id)
  for (const change of changes) apply(draft, change)
  if (!draft.dirty) return stored
  const extra = isEmpty(draft.extra) ? null : textOf(sorted(draft.extra))
  return close(resource, draft, versionsText(draft.versions), extra)
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

const apply = (draft: Draft, change: Change): void => {
  let visible = applyColumns(draft, change)
  for (const name of Object.keys(change.extra)) visible = setExtra(draft, change, name) || visible
  applyTimes(draft, change, visible)
}

const applyColumns = (draft: Draft, change: Change): boolean => {
  let visible = change.source === "event"
  for (const column of Object.keys(change.values)) {
    visible = setColumn(draft, change, column, change.values[column] ?? null) || visible
  }
  return change.source !== "absence" ? setColumn(draft, change, "_deleted_at", null) || visible : visible
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

const setColumn = (draft: Draft, change: Change, column: string, value: string | null): boolean => {
  if (!Version.isAfter(change.version, draft.versions[column])) return false
  draft.versions[column] = change.version
  draft.dirty = true
  const misfit = change.misfits[column]
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

const setExtra = (draft: Draft, change: Change, name: string): boolean => {
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

type Versions = Readonly<Record<string, Version.Version>>

/** Cached, because all rows of a page have the same fields and version. */
const last = { versions: {} as Versions, fields: 0, text: "{}" }

const versionsText = (versions: Versions): string => {
  if (!isLast(versions)) {
    Object.assign(last, { versions, fields: Object.keys(versions).length, text: JSON.stringify(sorted(versions)) })
  }
  return last.text
}

const isLast = (versions: Versions): boolean => {
  let fields = 0
  for (const field in versions) {
    if (versions[field] !== last.versions[field]) return false
    fields++
  }
  return fields === last.fields
}

const isEmpty = (extra: Texts): boolean => extra === nothing || Object.keys(extra).length === 0

const textOf = (texts: Texts): string =>
  `{${Object.keys(texts)
    .map((name) => `${JSON.stringify(name)}:${texts[name]}`)
    .join(",")}}`
