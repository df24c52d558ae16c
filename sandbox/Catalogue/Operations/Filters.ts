/**
 * The filters by which a client asks a list for changes: since an instant, since whole seconds from 1970, or since a
 * day, which excludes the changes of that day itself. The seed decides which lists have a filter, and which filter.
 * Pure.
 */
import { DateTime, Option } from "effect"
import type { ServedResource, Parameter } from "../Operation.ts"

export interface Filter extends Parameter {
  /** A description of a valid value. */
  readonly takes: string
  /** The first millisecond whose changes it shows; undefined: the value isn't valid. */
  readonly from: (text: string) => number | undefined
}

const instantIn = (text: string): number | undefined =>
  Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toEpochMillis))

const byInstant: Filter = {
  name: "updated_since",
  schema: { type: "string", format: "date-time" },
  description: "Only records that were changed at this instant or later.",
  takes: "an instant",
  from: instantIn
}

const bySeconds: Filter = {
  name: "changed_since",
  schema: { type: "integer", minimum: 0 },
  description: "Only records that were changed at this second since 1970 or later.",
  takes: "a whole number of seconds",
  from: (text) => (/^\d{1,11}$/.test(text) ? Number(text) * 1000 : undefined)
}

const day = 86_400_000

const byDay: Filter = {
  name: "modified_after",
  schema: { type: "string", format: "date" },
  description: "Only records that were changed after this day, by UTC.",
  takes: "a day",
  from: (text) => {
    const midnight = /^\d{4}-\d\d-\d\d$/.test(text) ? instantIn(`${text}T00:00:00Z`) : undefined
    return midnight === undefined ? undefined : midnight + day
  }
}

export const filterOf = ({ resource: { name }, spelling, type }: ServedResource): Filter | undefined => {
  if (type.times === undefined || !spelling.chance(`${name} can be filtered by time`, 0.6)) return undefined
  if (spelling.chance(`${name} can be filtered by days`, 0.2)) return byDay
  return spelling.chance(`${name} can be filtered by seconds`, 0.25) ? bySeconds : byInstant
}
