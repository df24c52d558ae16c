/**
 * How a dead leader's lock is released: on both ends, its connection, like every other one, notices that the other end
 * is gone. The kernel and the server do the waiting; these tests check their settings.
 */
import { Socket } from "node:net"
import { hostname } from "node:os"
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Client } from "pg"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Leadership } from "../../../src/Runtime/Leadership.ts"
import * as PostgresLeadership from "../../../src/Stores/Postgres/Leadership.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import * as Databases from "../../Postgres.ts"
import { ask, database, storesAt } from "./World.ts"
import { Log } from "../../Logged.ts"

const onServer = (url: string) => Layer.provideMerge(storesAt(url), Reasons.layer)

/** Keeps hold of the connections that are made outside of the pools. */
const noting = (made: Array<Client>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { connections } = yield* Postgres
      const make = connections.client.bind(connections)
      connections.client = (config) => {
        const client = make(config)
        made.push(client)
        return client
      }
    })
  )

/** Of the connection on which they are asked for. */
const settings = `
  select name, setting from pg_settings
  where name in ('tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'idle_session_timeout')
  order by name`

const leader = `
  select a.pid from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and a.datname = current_database()`

afterEach(() => {
  vi.restoreAllMocks()
})

describe.skipIf(Databases.skipped !== undefined)("a leader", () => {
  it.effect("holds its lock on a connection that the server ends within ten seconds of silence", () =>
    Effect.gen(function* () {
      const own = yield* database
      const made: Array<Client> = []
      const log = new Log()
      yield* Effect.gen(function* () {
        assert.isTrue(yield* (yield* Leadership).isLeading)
        const here = { host: hostname(), pid: process.pid }
        assert.deepStrictEqual(log.saw("leader.changed"), { ...here, leads: true })
        const [client] = made
        assert.isDefined(client)
        const { rows: pids } = yield* Effect.promise(() => client.query("select pg_backend_pid()::text as pid"))
        assert.deepStrictEqual(yield* ask(own, leader), pids)
        const { rows } = yield* Effect.promise(() => client.query(settings))
        assert.deepStrictEqual(rows, [
          { name: "idle_session_timeout", setting: "10000" },
          { name: "tcp_keepalives_count", setting: "3" },
          { name: "tcp_keepalives_idle", setting: "3" },
          { name: "tcp_keepalives_interval", setting: "2" }
        ])
      }).pipe(
        Effect.provide(Layer.provide(PostgresLeadership.layer, Layer.provideMerge(noting(made), onServer(own.url)))),
        Effect.provide(log.layer)
      )
      assert.strictEqual(log.saw("leader.changed")["leads"], false)
    })
  )

  it.effect("is told by its own end too that the server is gone, as is every other connection", () =>
    Effect.gen(function* () {
      const own = yield* database
      const { port } = new URL(own.url)
      const alive = vi.spyOn(Socket.prototype, "setKeepAlive")
      const opened = vi.spyOn(Socket.prototype, "connect")
      yield* Effect.gen(function* () {
        const { connections, run } = yield* Postgres
        yield* Leadership
        yield* run((db) => db.selectFrom("meta").selectAll().execute())
        yield* Effect.promise(() => connections.prompt.query("select 1"))
      }).pipe(Effect.provide(Layer.provideMerge(PostgresLeadership.layer, onServer(own.url))))
      const toServer = opened.mock.calls.flatMap((given, call) =>
        Number(given[0]) === Number(port) ? [opened.mock.contexts[call]] : []
      )
      assert.isAtLeast(toServer.length, 3)
      assert.sameMembers([...new Set(alive.mock.contexts)], toServer)
      for (const given of alive.mock.calls) assert.deepStrictEqual(given, [true, 5000])
    })
  )
})
