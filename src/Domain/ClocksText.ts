/**
 * The clocks of a row as text: the version of each field, ordered by field name.
 */
import { sorted } from "./ObjectText.ts"
import type { Version } from "./Version.ts"

type Versions = Readonly<Record<string, Version>>

/** Cached, because all rows of a page have the same fields and version. */
const last = { versions: {} as Versions, fields: 0, text: "{}" }

export const clocksText = (versions: Versions): string => {
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
