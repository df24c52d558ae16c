/**
 * The parts in which a large table is exported, one file each: rows in the order in which siteledger first heard of
 * them. Old rows mostly stay as they are, and so do their files; only files with the newest rows change.
 *
 * Parts begin where those of the previous export began. A part that has grown too large is divided.
 */
import type { Instant } from "../Domain/Instant.ts"

/** Rows first heard of from one time on, and before another; null means no bound. */
export interface Span {
  readonly from: Instant | null
  readonly until: Instant | null
}

export interface Part extends Span {
  readonly rows: number
  /** Changes when any of its rows does. No two rows are equal, because each has a key. */
  readonly fingerprint: string
}

export interface Wanted {
  /** Where parts begin, in ascending order; the first part comes before them. */
  readonly bounds: ReadonlyArray<Instant>
  /** A new part has this many rows, and is divided once it has grown by half. */
  readonly rows: number
}

/**
 * One row group of a file. The newest part, which most exports rewrite, is then usually at most 10 MB. With twice as
 * many rows, an export from PostgreSQL after a hundredth had changed took 0.39 of a complete one.
 */
export const usualRows = 122_880

export const column = "_first_seen_at"

export const whole: Span = { from: null, until: null }

export interface Counted {
  /** 0 if before the first bound. */
  readonly place: number
  readonly rows: number
  readonly hash: string
}

/** How an engine looks at one table. */
export interface Looking {
  /** The rows within, grouped by how many bounds they have passed. */
  readonly counted: (within: Span, bounds: ReadonlyArray<Instant>) => Promise<ReadonlyArray<Counted>>
  /** The number of all rows: counting is many times faster than hashing. */
  readonly size: () => Promise<number>
  /** For each share, the time of the first row after that share of the rows. */
  readonly quantiles: (within: Span, shares: ReadonlyArray<number>) => Promise<ReadonlyArray<Instant>>
}

/** For a table that doesn't know when its rows were first seen. */
export const undivided = async ({ counted }: Pick<Looking, "counted">): Promise<ReadonlyArray<Part>> =>
  partsIn(whole, [], await counted(whole, []))

export const divided = async (looking: Looking, { bounds, rows: size }: Wanted): Promise<ReadonlyArray<Part>> => {
  if (bounds.length === 0) {
    const inner = await boundsIn(looking, { ...whole, rows: await looking.size() }, size)
    return partsIn(whole, inner, await looking.counted(whole, inner))
  }
  const parts: Array<Part> = []
  for (const part of partsIn(whole, bounds, await looking.counted(whole, bounds))) {
    const inner = await boundsIn(looking, part, size)
    if (inner.length === 0) parts.push(part)
    else parts.push(...partsIn(part, inner, await looking.counted(part, inner)))
  }
  return parts
}

interface Sized extends Span {
  readonly rows: number
}

/** Where a part that has grown too large is divided. Rows that were first seen at the same time stay together. */
const boundsIn = async ({ quantiles }: Looking, part: Sized, size: number): Promise<ReadonlyArray<Instant>> => {
  if (part.rows < size * 1.5) return []
  const count = Math.floor(part.rows / size - 0.5)
  // Halfway between two rows, so that the later one is found.
  const shares = Array.from({ length: count }, (_, place) => ((place + 1) * size + 0.5) / part.rows)
  const found = [...new Set(await quantiles(part, shares))]
  return found.filter((time) => (part.from === null || time > part.from) && (part.until === null || time < part.until))
}

/** Those with rows; the whole table if none has any. */
const partsIn = (
  { from, until }: Span,
  bounds: ReadonlyArray<Instant>,
  counted: ReadonlyArray<Counted>
): ReadonlyArray<Part> => {
  const places = new Map(counted.map((each) => [each.place, each]))
  const parts = [from, ...bounds].flatMap((start, place): ReadonlyArray<Part> => {
    const { hash, rows } = places.get(place) ?? { hash: "", rows: 0 }
    return rows === 0 ? [] : [{ from: start, until: bounds[place] ?? until, rows, fingerprint: `${rows}-${hash}` }]
  })
  return parts.length === 0 ? [{ from, until, rows: 0, fingerprint: "0-null" }] : parts
}

const timed = (time: Instant): string => `timestamptz '${time}'`

/** A condition for both engines. */
export const condition = ({ from, until }: Span): string => {
  const conditions = [
    ...(from === null ? [] : [`${column} >= ${timed(from)}`]),
    ...(until === null
      ? []
      : [from === null ? `(${column} < ${timed(until)} or ${column} is null)` : `${column} < ${timed(until)}`])
  ]
  return conditions.length === 0 ? "true" : conditions.join(" and ")
}

/** The place of a row, for both engines. */
export const placeOf = (bounds: ReadonlyArray<Instant>): string => {
  const [first, ...others] = bounds.map((bound, place) => ({ bound, place: place + 1 }))
  if (first === undefined) return "0"
  const cases = [first, ...others]
    .toReversed()
    .map(({ bound, place }) => `when ${column} >= ${timed(bound)} then ${place}`)
  return `case ${cases.join(" ")} else 0 end`
}
