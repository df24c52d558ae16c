/**
 * The version of a field: (event time in µs, stage, SHA-256 of the body) as one text that sorts like the triple. The greatest
 * version wins a field, so any order, repetition or split of the same changes ends in the same row. Header values take no
 * part, because they aren't signed.
 */
export type Version = string

/** Sixteen digits hold every microsecond until the year 2286; 64 bits of the hash break the remaining ties. */
const timeDigits = 16
const hashDigits = 16

/** `stage`: the position of the event's stage in the entity's life; 0 for a list page. */
export const make = (micros: number, stage: number, bodySha256: string): Version =>
  `${String(micros).padStart(timeDigits, "0")}.${stage}.${bodySha256.slice(0, hashDigits)}`

/** Whether this body made the version. */
export const isOf = (version: Version, bodySha256: string): boolean =>
  version.endsWith(`.${bodySha256.slice(0, hashDigits)}`)

/** The beginning of the body's hash; empty for a tombstone, which has no body. */
export const hashIn = (version: Version): string => version.slice(version.lastIndexOf(".") + 1)

/** In µs. */
export const timeIn = (version: Version): number => Number(version.slice(0, version.indexOf(".")))

/** Lower than the version of any change. */
export const never: Version = ""

export const isAfter = (a: Version, b: Version | undefined): boolean => a > (b ?? never)
