/**
 * Stores deliveries in PostgreSQL: one statement for all that arrived together (at most 4 MiB at a time), on a
 * connection reserved for deliveries. If the server doesn't answer within a second, this fails, no 2xx is sent, and the
 * service delivers again.
 *
 * Each statement has a number, which its answer repeats, so no delivery counts as stored because of the answer to
 * another statement, even if the network repeats answers.
 */
import type { Pool, QueryConfig } from "pg"
import { type Delivery, withinBytes } from "../Deliveries.ts"
import { byteaArray, textArray } from "./Arrays.ts"

/**
 * Stores and queues new bodies; returns their hashes, and a row without a hash. The bodies are one byte string, which
 * the driver sends unchanged: 16 MiB took 0.3 s, against 0.7 s as an array, which the driver writes as text. They are
 * numbered in order of arrival, but inserted in order of their hashes, so that two workers never deadlock.
 */
const insert = `
  with given as (
    select body_sha256, substring($2::bytea from start for length) as body, event_id, header_type, issued_at,
      received_at, headers, secret, place
    from unnest($1::bytea[], $3::integer[], $4::integer[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::text[]) with ordinality
      as given (body_sha256, start, length, event_id, header_type, issued_at, received_at, headers, secret, place)
  ), numbered as materialized (
    select nextval('inbox_sequence_seq') as sequence, given.* from given order by place
  ), fresh as (
    insert into inbox (sequence, body_sha256, body, event_id, header_type, issued_at, received_at, headers, secret)
    overriding system value
    select sequence, body_sha256, body, event_id, header_type, issued_at, received_at, headers, secret from numbered
    order by body_sha256, place
    on conflict (body_sha256) do nothing
    returning sequence, body_sha256, received_at
  ), queued as (
    insert into inbox_queue (sequence, is_first, received_at) select sequence, true, received_at from fresh order by 1
  )
  select $11::text as statement, body_sha256 from fresh union all select $11::text, null`

/** Limits how far a row can grow when the same body is sent repeatedly under new labels. */
const mostLabels = 64

/** Counts another delivery of each known body and queues it, so that the table of events shows it. */
const count = `
  with given as (
    select * from unnest($1::bytea[], $2::text[], $3::text[], $4::text[])
      as given (body_sha256, event_id, header_type, received_at)
  ), locked as materialized (
    select sequence, given.* from given join inbox using (body_sha256) order by body_sha256 for update of inbox
  ), counted as (
    update inbox set
      deliveries = deliveries + 1,
      replayed = greatest(replayed, (inbox.event_id <> locked.event_id)::integer),
      other_types = case
        when locked.header_type is null or locked.header_type is not distinct from inbox.header_type
          or coalesce(other_types, '[]')::jsonb ? locked.header_type
          or jsonb_array_length(coalesce(other_types, '[]')::jsonb) >= ${mostLabels} then other_types
        else (coalesce(other_types, '[]')::jsonb || to_jsonb(locked.header_type))::text end
    from locked where inbox.sequence = locked.sequence
    returning inbox.sequence, locked.received_at
  ), queued as (
    insert into inbox_queue (sequence, is_first, received_at) select sequence, false, received_at from counted
  )
  select $5::text as statement`

/** Small enough for the time limit, also on a busy server. */
const bytesAtOnce = 4 * 1024 * 1024

type Batch = ReadonlyArray<Delivery>

const hash = ({ bodySha256 }: Delivery): string => Buffer.from(bodySha256).toString("hex")

interface Answered {
  readonly statement: string
  readonly body_sha256?: Buffer | null
}

let statements = 0

/** Its number is its last parameter. A connection whose answers are out of step isn't reused. */
const ask = async (pool: Pool, { values = [], ...query }: QueryConfig): Promise<ReadonlyArray<Answered>> => {
  const statement = String(++statements)
  const client = await pool.connect()
  let isSound = false
  try {
    const { rows } = await client.query<Answered>({ ...query, values: [...values, statement] })
    isSound = rows.length > 0 && rows.every((row) => row.statement === statement)
    if (!isSound) throw new Error("the server answered another statement")
    return rows
  } finally {
    client.release(!isSound)
  }
}

/** Stores the new bodies; returns the known ones. */
const add = async (pool: Pool, batch: Batch): Promise<Batch> => {
  let start = 1
  const values = [
    byteaArray(batch.map(({ bodySha256 }) => bodySha256)),
    Buffer.concat(batch.map(({ body }) => body)),
    batch.map(({ body }) => (start += body.byteLength) - body.byteLength),
    batch.map(({ body }) => body.byteLength),
    textArray(batch.map(({ eventId }) => eventId)),
    textArray(batch.map(({ headerType }) => headerType)),
    textArray(batch.map(({ issuedAt }) => issuedAt)),
    textArray(batch.map(({ receivedAt }) => receivedAt)),
    textArray(batch.map(({ headers }) => JSON.stringify(headers))),
    textArray(batch.map(({ secret }) => secret))
  ]
  // Named, so that the server plans it once per connection.
  const rows = await ask(pool, { name: "receive", text: insert, values })
  const stored = rows.flatMap(({ body_sha256 }) => body_sha256?.toString("hex") ?? [])
  if (stored.length === batch.length) return []
  // If a batch has the same body several times, the first one is new.
  const fresh = new Set(stored)
  return batch.filter((delivery) => !fresh.delete(hash(delivery)))
}

const countAgain = async (pool: Pool, known: Batch): Promise<void> => {
  const left = Map.groupBy(known, hash)
  while (left.size > 0) {
    const each = [...left.values()].flatMap((same) => same.splice(0, 1))
    const values = [
      byteaArray(each.map(({ bodySha256 }) => bodySha256)),
      textArray(each.map(({ eventId }) => eventId)),
      textArray(each.map(({ headerType }) => headerType)),
      textArray(each.map(({ receivedAt }) => receivedAt))
    ]
    await ask(pool, { text: count, values })
    for (const [key, same] of left) if (same.length === 0) left.delete(key)
  }
}

export const receive = async (pool: Pool, batch: Batch): Promise<number> => {
  let fresh = 0
  for (let rest = batch; rest.length > 0;) {
    const now = withinBytes(rest, bytesAtOnce)
    const known = await add(pool, now)
    await countAgain(pool, known)
    fresh += now.length - known.length
    rest = rest.slice(now.length)
  }
  return fresh
}
