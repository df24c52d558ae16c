/**
 * Events that match a search, newest first, a page at a time: those that came before the end of the previous page,
 * which is the time and sequence of its oldest event.
 *
 * The cost of a page is bounded, as in `Records`: the engine is given a short time, which is enough if an index helps
 * (by time, or by oddity) or if only a few columns are read. Otherwise a few thousand events are checked one after the
 * other, and the next page continues from there.
 */
import { Duration, Effect } from "effect"
import { type RawBuilder, sql } from "kysely"
import * as Instant from "../../Domain/Instant.ts"
import { Store } from "../../Stores/Store.ts"
import { Warehouse } from "../../Stores/Warehouse.ts"
import type { Payload } from "../AdminApi.ts"
import { VerbError } from "../AdminApi/Verb.ts"
import { soon } from "../Soon.ts"

type Wanted = Payload<"events">
type Fits = RawBuilder<boolean>

const usual = 100
const patience = Duration.millis(80)

/**
 * How many are checked one after the other if that time was too short. On PostgreSQL with 1,000,000 events and a rare
 * IPC, both together take 170 to 220 ms. By time or oddity it is 20 ms, and with DuckDB always 10 to 60.
 */
export const mostSearched = 10_000

interface Bounds {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly end: End | undefined
}

interface End {
  readonly at: string
  readonly sequence: string
}

const instant = (at: string): RawBuilder<unknown> => sql`cast(${at} as timestamptz)`

/** The conditions other than time. Literals where an index uses them. */
export const likeness = ({ alarm, ipc, outcome, record, table, types }: Wanted): ReadonlyArray<Fits> => [
  ...(types === undefined ? [] : [sql<boolean>`event_type in (${sql.join(types)})`]),
  ...(ipc === undefined ? [] : [sql<boolean>`entity = 'ipcs' and entity_id = ${ipc}`]),
  ...(table === undefined ? [] : [sql<boolean>`entity = ${table}`]),
  ...(record === undefined ? [] : [sql<boolean>`entity_id = ${record}`]),
  ...(outcome === undefined ? [] : [sql<boolean>`outcome = ${sql.lit(outcome)}`]),
  ...(alarm === undefined
    ? []
    : [sql<boolean>`json_array_length(alarms) > 0 and strpos(cast(alarms as text), ${`"${alarm}"`}) > 0`])
]

export const all = (conditions: ReadonlyArray<Fits>): Fits =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`

/** The time of arrival. The first comparison with an end is the one that an index can use. */
export const during = ({ end, from, to }: Bounds): ReadonlyArray<Fits> => [
  ...(from === undefined ? [] : [sql<boolean>`received_at >= ${instant(from)}`]),
  ...(to === undefined ? [] : [sql<boolean>`received_at < ${instant(to)}`]),
  ...(end === undefined
    ? []
    : [
        sql<boolean>`received_at <= ${instant(end.at)} and (received_at < ${instant(end.at)} or sequence < cast(${end.sequence} as bigint))`
      ])
]

const readTime = Effect.fnUntraced(function* (name: "from" | "to", text: string | undefined) {
  if (text === undefined) return undefined
  const micros = Instant.readMicros(text)
  if (micros !== undefined) return Instant.fromMicros(micros)
  return yield* new VerbError({ message: `${name} isn't a time: write it like 2026-11-20 or 2026-11-20T08:30:00Z.` })
})

const readEnd = Effect.fnUntraced(function* (text: string | undefined) {
  if (text === undefined) return undefined
  const [at = "", sequence = ""] = text.split(" ")
  const micros = Instant.readMicros(at)
  if (micros !== undefined && /^\d{1,15}$/.test(sequence)) return { at: Instant.fromMicros(micros), sequence }
  return yield* new VerbError({ message: `No page of events ends at ${text}: give the \`next\` of a page.` })
})

export const boundsOf = Effect.fnUntraced(function* ({ before, from, to }: Wanted) {
  return {
    from: yield* readTime("from", from),
    to: yield* readTime("to", to),
    end: yield* readEnd(before)
  } satisfies Bounds
})

export interface Found {
  readonly sequence: string | number
  readonly event_id: string
  readonly event_type: string | null
  readonly event_timestamp: string | null
  readonly received_at: string
  readonly entity: string | null
  readonly entity_id: string | null
  readonly outcome: "applied" | "quarantined"
  readonly reason: string | null
  readonly alarms: unknown
}

const columns = sql.raw(
  "sequence, event_id, event_type, event_timestamp, received_at, entity, entity_id, outcome, reason, alarms"
)

const newestFirst = sql`order by received_at desc, sequence desc`

interface Asked {
  readonly where: Fits
  readonly fits: Fits
  readonly last: number
}

/** One more than requested. */
export const found = ({ fits, last, where }: Asked) => sql<Found>`
  select ${columns} from construction.events where ${where} and ${fits} ${newestFirst} limit ${sql.lit(last + 1)}`

interface Looked extends Found {
  readonly fits: unknown
}

const looked = ({ fits, where }: Asked) => sql<Looked>`
  select ${columns}, case when ${fits} then 1 else 0 end as "fits" from (
    select ${columns} from construction.events where ${where} ${newestFirst} limit ${sql.lit(mostSearched)}
  ) as looked ${newestFirst}`

interface Page {
  readonly rows: ReadonlyArray<Found>
  readonly next: string | null
}

export const endOf = ({ received_at: at, sequence }: Pick<Found, "received_at" | "sequence">): string =>
  `${at} ${sequence}`

const cut = (rows: ReadonlyArray<Found>, last: number): Page => {
  const oldest = rows.length > last ? rows[last - 1] : undefined
  return { rows: rows.slice(0, last), next: oldest === undefined ? null : endOf(oldest) }
}

/** Those whose rows, and those of all earlier events, are written. */
export const asking = Effect.fnUntraced(function* (wanted: Wanted, through: number, most: number) {
  const isSettled = sql<boolean>`sequence <= ${sql.lit(through)}`
  return {
    where: all([isSettled, ...during(yield* boundsOf(wanted))]),
    fits: all(likeness(wanted)),
    last: Math.min(most, Math.max(1, wanted.last ?? usual))
  } satisfies Asked
})

/** Newest first. */
export const search = Effect.fnUntraced(function* (wanted: Wanted, most: number) {
  const through = yield* (yield* Store).deliveries.settledThrough
  const asked = yield* asking(wanted, through, most)
  const rows = yield* soon(patience, async (db) => (await found(asked).execute(db)).rows)
  if (rows !== undefined) return { through, ...cut(rows, asked.last) }
  const { query } = yield* Warehouse
  const some = yield* query(async (db) => (await looked(asked).execute(db)).rows)
  const those = some.flatMap(({ fits, ...row }) => (Number(fits) === 1 ? [row] : []))
  if (those.length > asked.last || some.length < mostSearched) return { through, ...cut(those, asked.last) }
  return { through, rows: those, next: endOf(some.at(-1)!) }
})
