/**
 * The rule of a table that only pages fill (`Resource.isWhole`). Each page has the complete record, so the newest page
 * wins as a whole. Fields that it lacks are removed, whether they have a column or not, and an older page that comes
 * later changes nothing. So it doesn't matter when a field got its column. Pure.
 */
import type { Change } from "./Change.ts"
import { type Draft, misfitOf, own, spill } from "./Draft.ts"
import * as Version from "./Version.ts"

/** Every page sets at least one column, so the newest page is among the fields' versions. */
const newestIn = (versions: Draft["versions"]): Version.Version | undefined => {
  let newest: Version.Version | undefined
  for (const name in versions) {
    const version = versions[name]!
    if (name !== "_deleted_at" && Version.isAfter(version, newest)) newest = version
  }
  return newest
}

/** Whether a newer page, or this one, has already said the complete record. */
export const isSaid = (draft: Draft, change: Change): boolean =>
  draft.resource.isWhole === true &&
  change.source === "page" &&
  !Version.isAfter(change.version, newestIn(draft.versions))

/**
 * Removes everything that an older page said. A worker that doesn't know a column yet leaves an older page's value in
 * it. Returns true if the visible row changed.
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

/** Doesn't apply to a record that the list no longer has. */
const forgetColumn = (draft: Draft, column: string): boolean => {
  if (!Object.hasOwn(draft.resource.columns, column)) return false
  const [before, misfit] = [draft.row[column] ?? null, misfitOf(draft, column)]
  delete draft.versions[column]
  draft.row[column] = null
  if (misfit !== undefined) delete own(draft)[column]
  draft.dirty = true
  return spill(draft, undefined, column, undefined).isChanged || before !== null || misfit !== undefined
}
