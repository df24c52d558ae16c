/**
 * The calendar day of an instant in a time zone. Pure.
 */
import { DateTime, Option } from "effect"
import { type Instant, toMicros } from "./Instant.ts"

/** "YYYY-MM-DD". */
export const dateIn = (instant: Instant, zone: string): string => {
  // Nearly every ledger's zone, and fifty times as fast.
  if (zone === "UTC") return instant.slice(0, 10)
  const known = zones.get(zone) ?? Option.getOrThrow(DateTime.zoneFromString(zone))
  zones.set(zone, known)
  return DateTime.formatIsoDate(DateTime.setZone(DateTime.makeUnsafe(toMicros(instant) / 1000), known))
}

const zones = new Map<string, DateTime.TimeZone>()
