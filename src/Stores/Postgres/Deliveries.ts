/**
 * The deliveries of a Store with any number of workers. Each unapplied delivery has a row in a queue. A worker claims
 * rows with `for update skip locked` and deletes them in the transaction that applies them. If a worker dies, its
 * claims are freed when its connection ends.
 */
import { Effect } from "effect"
import { type Kysely, type Selectable, sql } from "kysely"
import type { Event } from "../../Domain/Event.ts"
import { batchBytes, handedOutKey, mostNewest, type Peeked, type TakenBatch, type Waiting } from "../Deliveries.ts"
import { listedNumbers } from "../Sql.ts"
import { type Deliveries, readMeta, type Store, type StoreError, writeMeta } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import * as Queue from "./Queue.ts"

type Db = Kysely<StoreTables>

type Run = <A>(query: (db: Db) => Promise<A>) => Effect.Effect<A, StoreError>

interface Asking {
  readonly run: Run
  readonly look: Store["Service"]["look"]
}

// In claim order, so that the index skips deleted rows.
const anyWaiting = sql<boolean>`select exists (select from inbox_queue order by id limit 1)`
const newest = sql<number | null>`select max(sequence) from inbox`

export const make = ({ look, run }: Asking, { host, receive }: Pick<Deliveries, "host" | "receive">): Deliveries => ({
  receive,
  host,
  take: (limit) => run((db) => take(db, limit)),
  peek: (types, after) => run(async (db) => peek(db, types, after ?? (await handedOut(db)))),
  stored: (after) => run((db) => stored(db, after)),
  settledThrough: run(settledThrough),
  settle: async (tx, { claims = [] }, applied) => {
    const done = new Set(applied.map(({ sequence }) => sequence))
    const ids = claims.filter(({ sequence }) => done.has(sequence)).map(({ id }) => id)
    await tx.deleteFrom("inbox_queue").where("id", "in", listedNumbers(tx, ids)).execute()
  },
  waiting: run(waiting),
  isWaiting: look(anyWaiting),
  restart: async (tx) => {
    await Queue.close(tx)
    await writeMeta(tx, handedOutKey, String(await handedOut(tx)))
    await Queue.again(tx)
  },
  read: (sequences) => run((db) => read(db, sequences)),
  headers: (sequence) =>
    run(async (db) => {
      const row = await db.selectFrom("inbox").select("headers").where("sequence", "=", sequence).executeTakeFirst()
      return JSON.parse(row?.headers ?? "[]") as ReadonlyArray<string>
    }),
  receivedAfter: (sequence) =>
    run(async (db) => {
      const row = await db
        .selectFrom("inbox")
        .select("received_at")
        .where("sequence", ">", sequence)
        .orderBy("sequence")
        .limit(1)
        .executeTakeFirst()
      return row?.received_at ?? null
    }),
  newest: run((db) =>
    db
      .selectFrom("inbox")
      .select(["issued_at as issuedAt", "received_at as receivedAt"])
      .orderBy("sequence", "desc")
      .limit(mostNewest)
      .execute()
  ),
  // The server keeps its own pages intact.
  copying: undefined,
  archiving: undefined,
  archived: Effect.succeed(0),
  damage: Effect.succeed({ lost: [], repaired: 0 }),
  last: Effect.map(look(newest), (last) => Number(last ?? 0))
})

const take = async (db: Db, limit: number): Promise<TakenBatch> => {
  const claims = await Queue.claim(db, limit)
  const fresh = new Set(claims.filter(({ is_first: isFirst }) => isFirst).map(({ sequence }) => sequence))
  const events = await read(db, [...new Set(claims.map(({ sequence }) => sequence))])
  const taken = events.map((event) => ({ event, place: event.sequence, isFresh: fresh.has(event.sequence) }))
  return { claims, taken }
}

/** More than this are estimated: counting 190,000 was half of what the server did while they were applied. */
const mostCounted = 2000

/**
 * Numbers are given and taken in order of arrival, so most numbers between the first and the last are waiting. The last
 * number given is known; searching the queue for it takes seconds while an uncommitted rebuild adds millions of rows.
 */
const waiting = async (db: Db): Promise<Waiting> => {
  const { rows } = await sql<{ count: number; oldest: string | null; span: number | null }>`
    select count(*) as count, min(received_at) as oldest,
      (select last_value from inbox_queue_id_seq) - min(id) + 1 as span
    from (select id, received_at from inbox_queue order by id limit ${mostCounted + 1}) as first`.execute(db)
  const { count, oldest, span } = rows[0]!
  return { count: Number(Number(count) > mostCounted ? span : count), oldest }
}

const peekedAtOnce = 2000

/** Several times what all receivers store within the two seconds that their statements may last. */
const mostOutOfOrder = 20_000

/**
 * One statement assigns both the number and the place in the queue, so only deliveries stored at the same time can be
 * out of order: the least number is among the first places. Checking all of 400,000, as after `rebuild`, was half of
 * the server's work.
 */
const settledThrough = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ sequence: number }>`
    select coalesce(
      (select min(sequence) - 1
        from (select sequence from inbox_queue where is_first order by id limit ${mostOutOfOrder}) as first),
      (select max(sequence) from inbox), 0) as sequence`.execute(db)
  return Number(rows[0]?.sequence ?? 0)
}

/** Events after this were never handed out. */
const handedOut = async (db: Db): Promise<number> =>
  Math.max(await settledThrough(db), Number((await readMeta(db, handedOutKey)) ?? 0))

interface Looked extends Selectable<StoreTables["inbox"]> {
  /** The last of all that were looked at. */
  readonly last: number | null
  readonly looked: number
  readonly is_whole: boolean
}

/**
 * One statement, because it runs for each payment that arrives. It returns at least one row, which says how far it
 * looked. Whether ids were used before is left to the worker that takes the events: recording that is a separate
 * commit. The server can't know how few deliveries wait, and would read the whole inbox for them. A range of numbers
 * and `offset 0` make it look them up by number.
 */
const peek = async (db: Db, types: ReadonlyArray<string>, from: number): Promise<Peeked> => {
  const isWanted = sql`(header_type is null or header_type = any(${types}::text[]))`
  const { rows } = await sql<Looked>`
    with looked as (
      select sequence, ${isWanted} as is_wanted, octet_length(body) as own
      from inbox where sequence > ${from} and sequence <= (select max(sequence) from inbox)
      order by sequence limit ${peekedAtOnce}
    ), sized as (
      select sequence, own, sum(own) over (order by sequence) as bytes from looked where is_wanted
    ), fitting as (
      select sequence from sized where bytes <= ${batchBytes} or bytes = own
    )
    select inbox.*, (select max(sequence) from looked) as last, (select count(*) from looked) as looked,
      (select count(*) from fitting) = (select count(*) from sized) as is_whole
    from (select 1) as always left join fitting on true
      left join lateral (select * from inbox where sequence = fitting.sequence offset 0) as inbox on true
    order by inbox.sequence`.execute(db)
  const events = rows.filter(({ sequence }) => sequence !== null).map(toEvent)
  const { is_whole: isWhole, last, looked } = rows[0] ?? { is_whole: true, last: null, looked: 0 }
  const through = (isWhole ? last : events.at(-1)?.sequence) ?? from
  return { events, through, hasMore: !isWhole || Number(looked) === peekedAtOnce }
}

/** The columns of an event. */
const eventColumns = sql`
  sequence, body_sha256, body, event_id, header_type, other_types, issued_at, received_at, deliveries, replayed`

/**
 * All of a range. Looking each one up took three times as long, and carrying them through a window function twice as
 * long. A large body isn't read to be measured.
 */
const stored = async (db: Db, from: number): Promise<Peeked> => {
  const { rows } = await sql<EventColumns & { readonly looked: number }>`
    with looked as (
      select sequence, octet_length(body) as own from inbox where sequence > ${from} order by sequence limit ${peekedAtOnce}
    ), sized as (
      select sequence, own, sum(own) over (order by sequence rows unbounded preceding) as bytes from looked
    )
    select ${eventColumns}, (select count(*) from looked) as looked from inbox
    where sequence > ${from}
      and sequence <= (select max(sequence) from sized where bytes <= ${batchBytes} or bytes = own)
    order by sequence`.execute(db)
  const looked = Number(rows[0]?.looked ?? 0)
  const hasMore = rows.length < looked || looked === peekedAtOnce
  return { events: rows.map(toEvent), through: rows.at(-1)?.sequence ?? from, hasMore }
}

/** Bodies left for the next batch aren't even read: a backlog of large ones would not fit into memory. */
const read = async (db: Db, sequences: ReadonlyArray<number>): Promise<ReadonlyArray<Event>> => {
  if (sequences.length === 0) return []
  const { rows } = await sql<Selectable<StoreTables["inbox"]>>`
    with sized as (
      select sequence, octet_length(body) as own, sum(octet_length(body)) over (order by sequence) as bytes
      from inbox where sequence in ${listedNumbers(db, sequences)}
    )
    select inbox.* from inbox join sized using (sequence) where bytes <= ${batchBytes} or bytes = own
    order by sequence`.execute(db)
  const reused = await reusedIds(
    db,
    rows.map(({ sequence }) => sequence)
  )
  return rows.map((row) => ({ ...toEvent(row), isReused: reused.has(row.sequence) }))
}

/**
 * Which of these events carry an id that an earlier, different body already used. The first sequence of each id is
 * recorded here, not by the receiver: an index on ids cost the receiver a third of its speed.
 */
const reusedIds = async (db: Db, sequences: ReadonlyArray<number>): Promise<ReadonlySet<number>> => {
  const these = sql`inbox e join ${listedNumbers(db, sequences)} j on e.sequence = j.value`
  // Ordered by id, so that two workers never deadlock.
  await sql`
    insert into event_ids (event_id, sequence)
    select event_id, min(sequence) from ${these} where true group by event_id order by event_id
    on conflict (event_id) do nothing`.execute(db)
  const { rows } = await sql<{ sequence: number }>`
    select e.sequence from ${these} join event_ids f on f.event_id = e.event_id
    where f.sequence <> e.sequence`.execute(db)
  return new Set(rows.map(({ sequence }) => sequence))
}

type EventColumns = Omit<Selectable<StoreTables["inbox"]>, "headers" | "secret">

const toEvent = (row: EventColumns): Event => ({
  sequence: row.sequence,
  bodySha256: Buffer.from(row.body_sha256).toString("hex"),
  body: row.body,
  eventId: row.event_id,
  headerType: row.header_type,
  otherTypes: JSON.parse(row.other_types ?? "[]") as ReadonlyArray<string>,
  issuedAt: row.issued_at,
  receivedAt: row.received_at,
  deliveries: row.deliveries,
  replayed: row.replayed !== 0
})
