/**
 * The passes in which events are written as Parquet. DuckDB's `PARTITION_BY` makes one file for each date and keeps a row
 * group of each date in memory until it is full, so a pass covers only as many dates as fit. Pure.
 */
import type { Partition } from "./Warehouse.ts"

/** Events without their own time are filed under the day they arrived. */
// Not `at time zone 'UTC'`, which is 10 to 40 times slower because it asks ICU for every row.
export const eventDate = "cast(make_timestamp(epoch_us(coalesce(event_timestamp, received_at))) as date)"

/** What passes may hold in memory: less than half of what DuckDB has. */
const bytesAtOnce = 64 * 1024 * 1024
const datesAtOnce = 64
/** Smaller row groups make a file slow to read, so a large date gets its own pass. */
const wantedRowGroup = 32_768
/** DuckDB's default. */
export const largestRowGroup = 122_880
const smallestRowGroup = 2048
/** DuckDB's default is 500,000. */
const largestFlush = 32_768

export interface Pass {
  readonly dates: ReadonlyArray<string>
  readonly rows: number
  readonly bytes: number
  /** In bytes: what the pass may hold in memory. */
  readonly room: number
}

/** `atOnce`: how many passes run concurrently. A large number of events has at least that many. */
export const plan = (partitions: ReadonlyArray<Partition>, atOnce = 1): ReadonlyArray<Pass> => {
  const all = partitions.reduce((sum, { rows }) => sum + rows, 0)
  const share = all < largestRowGroup ? all : all / atOnce
  const done: Array<Pass> = []
  let pass: Pass = { dates: [], rows: 0, bytes: 0, room: bytesAtOnce / atOnce }
  for (const { date, rows, bytes } of partitions) {
    const longer = { ...pass, dates: [...pass.dates, date], rows: pass.rows + rows, bytes: pass.bytes + bytes }
    const isFull = longer.dates.length > datesAtOnce || held(longer) > pass.room || pass.rows >= share
    if (isFull && pass.dates.length > 0) done.push(pass)
    pass = isFull ? { ...pass, dates: [date], rows, bytes } : longer
  }
  return [...done, pass]
}

/** In bytes. */
const held = (pass: Pass): number => Math.min(wantedGroup(pass), wantedRowGroup) * pass.dates.length * rowSize(pass)

/**
 * Half a date's rows: with two groups per file the threads write while rows still arrive, which took a little over half
 * the time of one group.
 */
const wantedGroup = ({ dates, rows }: Pass): number => Math.ceil(rows / dates.length / 2)

const rowSize = ({ bytes, rows }: Pass): number => bytes / rows

/** Rows per Parquet row group. */
export const rowGroup = (pass: Pass): number => {
  const fitting = Math.floor(pass.room / pass.dates.length / rowSize(pass))
  return Math.max(smallestRowGroup, Math.min(largestRowGroup, fitting, wantedGroup(pass)))
}

/** The number of rows after which a thread flushes: for two threads, half of what a pass holds. */
export const flushThreshold = (pass: Pass): number =>
  Math.max(smallestRowGroup, Math.min(largestFlush, Math.floor(pass.room / 4 / rowSize(pass))))

/**
 * A condition for the rows of a pass; `dateOf` is the engine's expression for an event's date. The range is redundant,
 * but lets the engine skip rows outside it: in DuckDB a pass took a quarter of the time.
 */
export const condition = ({ dates }: Pass, dateOf: string): string => {
  const days = dates.map((date) => `date '${date}'`)
  const range = `event_timestamp >= timestamptz '${dates[0]} 00:00:00Z'
    and event_timestamp < timestamptz '${dates.at(-1)} 00:00:00Z' + interval '24 hours'`
  return `${dateOf} in (${days.join(", ")}) and (event_timestamp is null or ${range})`
}
