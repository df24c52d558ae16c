/**
 * The filter by which a list is asked for what changed since a time: its value, and how much more is asked for so that
 * nothing is missed. The margin covers differing clocks of the service, changes that become visible late, the
 * resolution of the filter's form, and filters that exclude the given time itself. Pure.
 */
import { Duration } from "effect"
import type { List } from "../../src/Discovery/Review.ts"
import * as Instant from "../../src/Domain/Instant.ts"

type Filter = NonNullable<List["refresh"]["changed"]>

interface Filtering {
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
}

const minutes = Duration.toMillis(Duration.minutes(10))
/** One day for the part that is cut off or excluded, and one for the time zone of the day. */
const days = Duration.toMillis(Duration.days(2))

const overlapMs = (as: Filter["as"]): number => (as === "date" ? days : minutes)

const forms: Readonly<Record<Filter["as"], (millis: number) => string>> = {
  "date-time": (millis) => `${Instant.fromMillis(millis).slice(0, 19)}Z`,
  date: (millis) => Instant.fromMillis(millis).slice(0, 10),
  "unix-seconds": (millis) => String(Math.floor(millis / 1000)),
  "http-date": Instant.httpDate
}

/** `since`: by the service's clock. */
export const filtering = ({ as, in: where, parameter }: Filter, since: Instant.Instant): Filtering => {
  const millis = Math.max(0, Instant.toMicros(since) / 1000 - overlapMs(as))
  const given = { [parameter]: forms[as](millis) }
  return where === "header" ? { query: {}, headers: given } : { query: given, headers: {} }
}
