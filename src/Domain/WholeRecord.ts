/**
 * The rule of a table that only pages fill (`Resource.isWhole`), each of which says all of a record: the newest page wins as a
 * whole. What it doesn't have is gone, whether it had a column or not, and an older page that comes later says nothing. So
 * it makes no difference to the row when a field got its column. Pure.
 */
import type { Change } from "./Change.ts"
import { type Draft, misfitOf, own, spill } from "./Draft.ts"
import * as Version from "./Version.ts"

/** Every page sets a column at least, so the newest one is among the fields' versions. */
const newestIn = (versions: Draft["versions"]): Version.Version | undefined => {
  let newest: Version.Version | undefined
  for (const name in versions) {
    const version = versions[name]!
    if (name !== "_deleted_at" && Version.isAfter(version, newest)) newest = version
  }
  return newest
}

/** A newer page, or this one, has said all of the record. */
export const isSaid = (draft: Draft, change: Change): boolean =>
  draft.resource.isWhole === true &&
  change.source === "page" &&
  !Version.isAfter(change.version, newestIn(draft.versions))

/**
 * Everything that an older page said is forgotten. A worker that doesn't know a column yet leaves its value from an older page there.
 * True if the row shows something else then.
 */
export const settle = (draft: Draft): boolean => {
  if (draft.resource.isWhole !== true) return false
  const newest = newestIn(draft.versions)
  let changed = false
  for (const name of Object.keys(draft.versions)) {
    const version = draft.versions[name]
    if (name === "_deleted_at" || version === undefined || version === newest) continue
    changed = (name.startsWith("+") ? forgetField(draft, name.slice(1)) : forgetColumn(draft, name)) || changed
  }
  return changed
}

const forgetField = (draft: Draft, field: string): boolean => {
  delete draft.versions[`+${field}`]
  delete own(draft)[field]
  draft.dirty = true
  return true
}

/** Not of one that the list doesn't have any more. */
const forgetColumn = (draft: Draft, column: string): boolean => {
  if (!Object.hasOwn(draft.resource.columns, column)) return false
  const [before, misfit] = [draft.row[column] ?? null, misfitOf(draft, column)]
  delete draft.versions[column]
  draft.row[column] = null
  if (misfit !== undefined) delete own(draft)[column]
  draft.dirty = true
  return spill(draft, undefined, column, undefined).isChanged || before !== null || misfit !== undefined
}
