/**
 * A worker that reaches its server through TLS, as with most servers that others operate: it writes, receives and
 * exports the same as without TLS. Each byte to the server passes a proxy that offers TLS as PostgreSQL does, and
 * refuses anything else.
 */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { TLSSocket } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { selfSigned } from "../../Certificates.ts"
import * as Databases from "../../Postgres.ts"
import { queryWithoutFile } from "../Reading.ts"
import { folder } from "../WarehouseEngines.ts"
import { eventRow } from "../Written.ts"
import { ask, database, delivery, storesAt, using } from "./World.ts"

/** What a client sends first that wants TLS (PostgreSQL's protocol, "SSLRequest"). */
const wantsTls = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

const joined = (client: Socket, server: Socket): void => {
  client.pipe(server).pipe(client)
  for (const socket of [client, server]) {
    socket.on("error", () => undefined)
    socket.on("close", () => (client.destroy(), server.destroy()))
  }
}

/** `url`: the same database through TLS; `refused`: how many connections came without. */
const overTls = async (url: string) => {
  const target = new URL(url)
  const { cert, key } = selfSigned()
  const sockets = new Set<Socket>()
  let [accepted, refused] = [0, 0]
  const listener = createServer((raw) => {
    sockets.add(raw)
    raw.on("error", () => undefined)
    raw.once("data", (first) => {
      if (!first.equals(wantsTls)) {
        refused++
        return raw.destroy()
      }
      accepted++
      const client = new TLSSocket(raw, { isServer: true, cert, key })
      raw.write("S")
      joined(client, connect(Number(target.port), target.hostname))
    })
  })
  listener.listen(0, "127.0.0.1")
  await once(listener, "listening")
  const port = String((listener.address() as AddressInfo).port)
  const through = Object.assign(new URL(url), { port })
  through.searchParams.set("sslmode", "no-verify")
  return {
    url: through.href,
    counts: () => ({ accepted, refused }),
    [Symbol.asyncDispose]: async () => {
      const closed = once(listener, "close")
      listener.close()
      for (const socket of sockets) socket.destroy()
      await closed
    }
  }
}

const long = `{"text":"${"\\t\u{1f600}".repeat(300_000)}"}`

describe.skipIf(Databases.skipped !== undefined)("a PostgreSQL behind TLS", () => {
  it.live("is written to, received into and exported from like any other", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const path = yield* folder
        const proxy = yield* using(() => overTls(own.url))
        yield* Effect.gen(function* () {
          const [store, warehouse] = [yield* Store, yield* Warehouse]
          yield* Effect.promise(() => store.deliveries.receive([delivery("one"), delivery("two")]))
          assert.strictEqual((yield* store.deliveries.waiting).count, 2)
          const events = Array.from({ length: 3000 }, (_, n) => eventRow(n + 1, n === 1500 ? long : `{"n":${n}}`))
          yield* warehouse.write({ changes: [], events })
          const snapshot = yield* warehouse.snapshot
          const files = yield* snapshot.writeEvents(yield* snapshot.eventDates, join(path, "events"))
          const [found] = yield* Effect.promise(() =>
            queryWithoutFile(
              `select count(*)::int as rows, max(strlen(payload))::int as longest
               from read_parquet([${files.map((file) => `'${file.path}'`).join(", ")}])`
            )
          )
          assert.deepStrictEqual(found, { rows: events.length, longest: Buffer.byteLength(long) })
        }).pipe(Effect.scoped, Effect.provide(storesAt(proxy.url), { local: true }))
        const [kept] = yield* ask(own, "select count(*) as events from construction.events")
        assert.strictEqual(kept?.["events"], "3000")
        assert.strictEqual(proxy.counts().refused, 0)
        assert.isAbove(proxy.counts().accepted, 3)
      })
    )
  )
})
