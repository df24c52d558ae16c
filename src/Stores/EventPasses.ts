/**
 * In which passes the events are written as Parquet: DuckDB's `PARTITION_BY` makes one file for each date, and keeps
 * a row group of every date in memory until it is full.
 */
import type { Partition } from "./Warehouse.ts"

/** Events without a time of their own are filed under the day they came. */
// Not `at time zone 'UTC'`, which is 10 to 40 times slower: it asks ICU for every row.
export const eventDate = "cast(make_timestamp(epoch_us(coalesce(event_timestamp, received_at))) as date)"

/**
 * What one pass over `events` may hold in memory, a quarter of what DuckDB has: a row group of each of its dates,
 * which is written when full.
 */
const bytesAtOnce = 96 * 1024 * 1024
const datesAtOnce = 64
/** Smaller ones make a file slow to read; a large date has its own pass rather than these. */
const wantedRowGroup = 32_768
const largestRowGroup = 122_880
const smallestRowGroup = 2048
/** As DuckDB has it, 500,000. */
const largestHandedOver = 32_768

export interface Pass {
  readonly dates: ReadonlyArray<string>
  readonly rows: number
  readonly bytes: number
}

export const plan = (partitions: ReadonlyArray<Partition>): ReadonlyArray<Pass> => {
  const done: Array<Pass> = []
  let pass: Pass = { dates: [], rows: 0, bytes: 0 }
  for (const { date, rows, bytes } of partitions) {
    const longer = { dates: [...pass.dates, date], rows: pass.rows + rows, bytes: pass.bytes + bytes }
    const isFull = longer.dates.length > datesAtOnce || held(longer) > bytesAtOnce
    if (isFull && pass.dates.length > 0) done.push(pass)
    pass = isFull ? { dates: [date], rows, bytes } : longer
  }
  return [...done, pass]
}

/** In bytes. */
const held = (pass: Pass): number => Math.min(wantedGroup(pass), wantedRowGroup) * pass.dates.length * rowSize(pass)

/**
 * Half a date's rows: with two groups a file, the threads write while rows still come, which took a little over half
 * the time of one group.
 */
const wantedGroup = ({ dates, rows }: Pass): number => Math.ceil(rows / dates.length / 2)

const rowSize = ({ bytes, rows }: Pass): number => bytes / rows

/** The rows of a Parquet row group. */
export const rowGroup = (pass: Pass): number => {
  const fitting = Math.floor(bytesAtOnce / pass.dates.length / rowSize(pass))
  return Math.max(smallestRowGroup, Math.min(largestRowGroup, fitting, wantedGroup(pass)))
}

/** After so many rows a thread passes on what it has: half of what a pass holds, for two threads. */
export const handedOver = (pass: Pass): number =>
  Math.max(smallestRowGroup, Math.min(largestHandedOver, Math.floor(bytesAtOnce / 4 / rowSize(pass))))

/**
 * A condition for the rows of a pass, by what an engine calls an event's date. The range says nothing new, but lets
 * the engine leave out what lies outside of it: in DuckDB a pass took a quarter of the time.
 */
export const holds = ({ dates }: Pass, dateOf: string): string => {
  const days = dates.map((date) => `date '${date}'`)
  const range = `event_timestamp >= timestamptz '${dates[0]} 00:00:00Z'
    and event_timestamp < timestamptz '${dates.at(-1)} 00:00:00Z' + interval '24 hours'`
  return `${dateOf} in (${days.join(", ")}) and (event_timestamp is null or ${range})`
}
