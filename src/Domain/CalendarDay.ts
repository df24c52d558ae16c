/**
 * The calendar day of an instant in a time zone, and the first instant of a day. Pure.
 */
import { DateTime, Option } from "effect"
import { fromMillis, type Instant, toMicros } from "./Instant.ts"

/** "YYYY-MM-DD". */
export const dateIn = (instant: Instant, zone: string): string => {
  // UTC is nearly every ledger's zone, and this is fifty times as fast.
  if (zone === "UTC") return instant.slice(0, 10)
  return DateTime.formatIsoDate(DateTime.setZone(DateTime.makeUnsafe(toMicros(instant) / 1000), zoneOf(zone)))
}

/** UTC as an offset doesn't load ICU, as a named zone does. */
const zones = new Map<string, DateTime.TimeZone>([["UTC", DateTime.zoneMakeOffset(0)]])

const zoneOf = (name: string): DateTime.TimeZone => {
  const known = zones.get(name) ?? Option.getOrThrow(DateTime.zoneFromString(name))
  zones.set(name, known)
  return known
}

/** The day after "YYYY-MM-DD". */
export const dayAfter = (day: string): string =>
  DateTime.formatIsoDateUtc(DateTime.add(DateTime.makeUnsafe(day), { days: 1 }))

/** Cached, because every entry asks and there are only a few days. */
const midnights = new Map<string, Instant>()

/** `day`: "YYYY-MM-DD". */
export const firstInstantOf = (day: string, zone: string): Instant => {
  const key = `${day} ${zone}`
  const instant =
    midnights.get(key) ??
    fromMillis(
      DateTime.toEpochMillis(
        DateTime.makeZonedUnsafe(`${day}T00:00:00`, { timeZone: zoneOf(zone), adjustForTimeZone: true })
      )
    )
  midnights.set(key, instant)
  return instant
}
