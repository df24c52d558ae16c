/**
 * Merge applies changes to a stored row. Pure.
 *
 * Guarantees: the greatest version wins each field, so the same changes make the same row in any order, repetition or
 * split; `status` is the furthest stage reached and never goes back; a tombstone is a field like any other (a later
 * sighting lifts it). `_changed_at` doesn't depend on the order either, if all changes are events; whether a page
 * showed something new depends on when it was read.
 *
 * A row maps column names to canonical text or null. `_clocks` holds the version of each field by column name; unknown
 * fields have a leading "+". A field that has gained a column moves there with its version, so it doesn't matter when
 * the column was added. In a table that only pages fill, the newest page wins as a whole (`WholeRecord`).
 */
import type { Change } from "./Change.ts"
import { firstRow, isPlain } from "./FirstRow.ts"
import { clocksText } from "./ClocksText.ts"
import {
  type Draft,
  extraOf,
  isEmpty,
  misfitOf,
  open,
  own,
  type Row,
  setColumn,
  setText,
  spill,
  versionsOf
} from "./Draft.ts"
import * as Version from "./Version.ts"
import { many, objectText, sorted } from "./ObjectText.ts"
import { furthestStage, type Resource } from "./Resource.ts"
import * as Nested from "./Nested.ts"
import * as WholeRecord from "./WholeRecord.ts"

export type { Row }

/** The versions of that many fields take about this many characters. */
const manyVersions = 40 * many

export const isLarge = (stored: Row | undefined, changes: ReadonlyArray<Change>): boolean =>
  (stored?.["_clocks"]?.length ?? 0) > manyVersions ||
  changes.some(({ extra }) => {
    let fields = 0
    for (const _name in extra) if (++fields > many) return true
    return false
  })

/** As `merge`, but pauses after every few thousand fields. */
export function* mergeInParts(
  resource: Resource,
  stored: Row | undefined,
  changes: ReadonlyArray<Change>
): Generator<undefined, Row | undefined> {
  const [first] = changes
  if (first === undefined) return stored
  // The clocks and fields are filled in afterwards, with a pause after each part.
  const draft = open(resource, stored && { ...stored, _clocks: null, _extra: null }, first.id)
  draft.versions = versionsOf(stored)
  yield
  draft.extra = extraOf(stored)
  promote(draft)
  yield
  for (const change of changes) {
    let visible = false
    if (!WholeRecord.isSaid(draft, change)) {
      visible = applyColumns(draft, change)
      for (const [number, name] of Object.keys(change.extra).entries()) {
        visible = setExtra(draft, change, name) || visible
        if (number % many === many - 1) yield
      }
      visible = WholeRecord.settle(draft) || visible
    }
    applyTimes(draft, change, applySighting(draft, change) || visible)
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
  promote(draft)
  for (const change of changes) apply(draft, change)
  if (!draft.dirty) return stored
  const extra = isEmpty(draft.extra) ? null : textOf(sorted(draft.extra))
  return close(resource, draft, clocksText(draft.versions), extra)
}

/** False for a change by a worker that doesn't know the columns yet. */
const hasColumns = (resource: Resource, { extra }: Change): boolean =>
  (resource.fields !== undefined || resource.learned !== undefined) &&
  Object.keys(extra).some((name) => placeOf(resource, name) !== undefined)

interface Place {
  /** Null: the field isn't kept. */
  readonly column: string | null
  readonly isExact: boolean
}

/** Where a field that came without a column belongs; undefined if it has no place. */
const placeOf = ({ fields, learned }: Resource, field: string): Place | undefined => {
  const column = fields?.get(field)
  if (column !== undefined) return { column, isExact: false }
  const own = learned?.get(field)
  return own === undefined ? undefined : { column: own, isExact: true }
}

/** Moves values that were kept without a column into the column that now exists. */
const promote = (draft: Draft): void => {
  const { fields, learned, spills } = draft.resource
  for (const [name, column] of fields ?? []) promoteField(draft, name, { column, isExact: false })
  for (const [name, column] of learned ?? []) promoteField(draft, name, { column, isExact: true })
  for (const [column] of spills ?? []) {
    const misfit = misfitOf(draft, column)
    if (misfit === undefined || !spill(draft, draft.versions[column], column, misfit).isTaken) continue
    delete own(draft)[column]
    draft.dirty = true
  }
  WholeRecord.settle(draft)
}

const promoteField = (draft: Draft, name: string, { column, isExact }: Place): void => {
  const version = draft.versions[`+${name}`]
  if (version === undefined) return
  const text = draft.extra[name] ?? "null"
  delete draft.versions[`+${name}`]
  delete own(draft)[name]
  draft.dirty = true
  if (column !== null) setText(draft, version, { column, isExact, text })
}

const apply = (draft: Draft, change: Change): void => {
  let visible = false
  if (!WholeRecord.isSaid(draft, change)) {
    visible = applyColumns(draft, change)
    for (const name of Object.keys(change.extra)) visible = setExtra(draft, change, name) || visible
    visible = WholeRecord.settle(draft) || visible
  }
  applyTimes(draft, change, applySighting(draft, change) || visible)
}

const applyColumns = (draft: Draft, change: Change): boolean => {
  let visible = change.source === "event"
  for (const column of Object.keys(change.values)) {
    const [value, misfit] = [change.values[column] ?? null, change.misfits[column]]
    visible = setColumn(draft, change.version, column, value, misfit) || visible
  }
  return visible
}

/** A sighting means that the entity isn't gone. */
const applySighting = (draft: Draft, change: Change): boolean =>
  change.source !== "absence" && setColumn(draft, change.version, "_deleted_at", null, undefined)

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

const setExtra = (draft: Draft, change: Change, name: string): boolean => {
  const place = placeOf(draft.resource, name)
  const text = change.extra[name] ?? "null"
  if (place !== undefined) {
    const { column, isExact } = place
    return column !== null && setText(draft, change.version, { column, isExact, text })
  }
  if (!Version.isAfter(change.version, draft.versions[`+${name}`])) return false
  draft.versions[`+${name}`] = change.version
  draft.dirty = true
  const before = draft.extra[name]
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
  if (resource.nested !== undefined) row[Nested.column] = Nested.textOf(resource, row)
  return row
}

const textOf = (texts: Readonly<Record<string, string>>): string =>
  `{${Object.keys(texts)
    .map((name) => `${JSON.stringify(name)}:${texts[name]}`)
    .join(",")}}`
