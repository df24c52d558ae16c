/**
 * The Store in PostgreSQL as one side of a move, over one connection. The move is refused while workers are connected;
 * a worker that starts meanwhile waits for the lock under which workers migrate.
 */
import { type Redacted, Effect } from "effect"
import type { Client } from "pg"
import Cursor from "pg-cursor"
import { MoveError, type Open, type Side, type Values } from "../Move.ts"
import { Connections, isOurs } from "../../Stores/Postgres/Connections.ts"
import * as Failure from "../../Stores/Postgres/Failure.ts"
import { migrate, turn } from "../../Stores/Postgres/Migrations.ts"
import { placed } from "../../Stores/Postgres/Rights.ts"

/** Each body may have megabytes. */
const batchRows = (columns: ReadonlyArray<Column>): number =>
  columns.some(({ type }) => type === "bytea") ? 32 : 2_000

interface Column {
  readonly name: string
  readonly type: string
  readonly isIdentity: boolean
}

const columnsOf = async (client: Client, table: string): Promise<ReadonlyArray<Column>> => {
  const { rows } = await client.query<Column>(
    `select column_name as name, data_type as type, is_identity = 'YES' as "isIdentity" from information_schema.columns
     where table_schema || '.' || table_name = $1 order by column_name collate "C"`,
    [placed(table)]
  )
  return rows
}

const selected = ({ name, type }: Column): string => (type === "bytea" ? `"${name}"` : `"${name}"::text`)

async function* rows(client: Client, table: string): AsyncGenerator<ReadonlyArray<Values>> {
  const columns = await columnsOf(client, table)
  const query = `select ${columns.map(selected).join(", ")} from ${placed(table)}`
  const cursor = client.query(new Cursor<Values>(query, [], { rowMode: "array" }))
  const size = batchRows(columns)
  try {
    for (let batch = await cursor.read(size); batch.length > 0; batch = await cursor.read(size)) yield batch
  } finally {
    await cursor.close()
  }
}

const put = async (client: Client, table: string, batch: ReadonlyArray<Values>): Promise<void> => {
  const columns = await columnsOf(client, table)
  const list = columns.map(({ name }) => `"${name}"`).join(", ")
  const arrays = columns.map(({ type }, place) => `$${place + 1}::${type === "bytea" ? type : "text"}[]`)
  const cast = columns.map(({ name, type }) => `"${name}"::${type}`)
  await client.query(
    `insert into ${placed(table)} (${list}) overriding system value
     select ${cast.join(", ")} from unnest(${arrays.join(", ")}) as given (${list})`,
    columns.map((_, place) => batch.map((values) => values[place] ?? null))
  )
}

const count = async (client: Client, table: string): Promise<void> => {
  for (const { isIdentity, name } of await columnsOf(client, table)) {
    if (!isIdentity) continue
    await client.query(
      `select setval(pg_get_serial_sequence('${placed(table)}', '${name}'), coalesce(max("${name}"), 1),
         max("${name}") is not null) from ${placed(table)}`
    )
  }
}

const side = (client: Client, name: string): Side => ({
  name,
  columns: async (table) => (await columnsOf(client, table)).map((column) => column.name),
  rows: (table) => rows(client, table),
  put: (table, batch) => put(client, table, batch),
  count: (table) => count(client, table),
  begin: async () => void (await client.query("begin isolation level repeatable read")),
  commit: async () => void (await client.query("commit")),
  meta: async (key) => {
    const { rows: found } = await client.query<{ value: string }>("select value from meta where key = $1", [key])
    return found[0]?.value
  },
  setMeta: async (key, value) =>
    void (await client.query(
      "insert into meta (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value",
      [key, value]
    ))
})

/** No timeouts, because a long copy isn't an abandoned transaction. */
const unhurried = {
  application_name: "siteledger move",
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  query_timeout: 0
}

const attempt = <A>(name: string, use: () => Promise<A>): Effect.Effect<A, MoveError> =>
  Effect.tryPromise({
    try: use,
    catch: (cause) => new MoveError({ message: Failure.of(cause, name).message })
  })

const prepare = async (url: Redacted.Redacted): Promise<void> => {
  const connections = new Connections(url)
  try {
    await migrate(connections)
  } finally {
    await connections.close()
  }
}

const workers = `
  select count(*)::int as count from pg_stat_activity
  where datname = current_database() and ${isOurs}`

const patience = { attempts: 20, pauseMs: 100 }

/** The connections of a worker that has just ended may stay visible for a moment. */
const othersOn = async (client: Client): Promise<number> => {
  for (let left = patience.attempts; ; left--) {
    const { rows: found } = await client.query<{ count: number }>(workers)
    const others = found[0]?.count ?? 0
    if (others === 0 || left === 0) return others
    await new Promise((done) => setTimeout(done, patience.pauseMs))
  }
}

export const open = (url: Redacted.Redacted): Open =>
  Effect.gen(function* () {
    const connections = new Connections(url)
    const { name } = connections
    yield* Effect.addFinalizer(() => Effect.promise(() => connections.close()))
    yield* attempt(name, () => prepare(url))
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => connections.client(unhurried)),
      (opened) => Effect.promise(() => opened.end().catch(() => undefined))
    )
    yield* attempt(name, () => client.connect())
    yield* attempt(name, () => client.query(`select pg_advisory_lock(${turn})`))
    const others = yield* attempt(name, () => othersOn(client))
    if (others === 0) return side(client, name)
    return yield* new MoveError({ message: `${name}: workers are connected (${others} connections). Stop them first.` })
  })
