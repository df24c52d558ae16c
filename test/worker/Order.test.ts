/**
 * One history in many orders, with duplicates, under other ids, in batches of any size: always the same rows. Many
 * orders run in this process, over the very store, inbox, reader and warehouse of the worker; some run through it.
 */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, References } from "effect"
import { sql } from "kysely"
import * as ConstructionReader from "../../connectors/construction/ConstructionReader.ts"
import { Apply } from "../../src/Apply.ts"
import { EventReader } from "../../src/Event.ts"
import { Inbox } from "../../src/Inbox.ts"
import { Ledger } from "../../src/Ledger.ts"
import * as Instant from "../../src/Instant.ts"
import { Reasons } from "../../src/Reasons.ts"
import * as Sqlite from "../../src/Store/Sqlite.ts"
import { Warehouse } from "../../src/Warehouse.ts"
import * as DuckDb from "../../src/Warehouse/DuckDb.ts"
import { eventBody, eventTypes } from "../InterfaceServer.ts"
import { contractor } from "../Ledger/Contractor.ts"
import { removeFolder, temporaryFolder } from "../RunningWorker.ts"
import { type Random, seeded } from "../Seeded.ts"
import { applied } from "./Past.ts"
import { model, read, sha256, story } from "./Story.ts"
import { type Rows, World } from "./World.ts"

const orders = 200
const ordersOverHttp = 3

interface Sent {
  readonly type: string
  readonly body: string
}

const random = seeded(7)
const lives = story(random, 12).take(110)

/** All types of the document, the same instant for some, and bodies that no row can come from. */
const others: ReadonlyArray<Sent> = [
  ...eventTypes
    .filter((type) => !/^(ipc|vo|ncr)\./.test(type))
    .flatMap((type) =>
      ["2026-11-01T08:00:00Z", "2026-11-01T08:00:00.000001Z", "2026-11-01T08:00:00Z"].map((event_timestamp, index) => ({
        type,
        body: eventBody(type, { event_timestamp, remark: `${type} ${index}`, [`only_${index}`]: index })
      }))
    ),
  {
    type: "hse.incident.reported",
    body: '{"incident_id": 801, "classification": null, "event_timestamp": 1761984001}'
  },
  { type: "permit.expiring", body: '{"permit_id": 901, "hours_until_expiry": "soon", "event_timestamp": 1761984002}' },
  { type: "rfi.created", body: '{"event_type": "rfi.created"}' },
  { type: "ipc.paid", body: "not JSON" }
]

const history: ReadonlyArray<Sent> = [...lives, ...others]

/** Everything at least once, in some order, some of it again and again. */
const disorder = (of: Random): ReadonlyArray<Sent> => {
  const again = history.filter(() => of.chance(0.3))
  return of.shuffle([...history, ...again, ...again.slice(0, 10)])
}

type Query = (text: string) => Promise<Rows>

const entities = ["projects", "ipcs", "vos", "ncrs", "hse_incidents", "permits", "transmittals"]
const ofEvents = "body_sha256, event_type, event_timestamp, entity, entity_id, payload, outcome, reason"

/** All that doesn't tell when something arrived. */
const outcome = async (query: Query): Promise<string> => {
  const tables: Record<string, unknown> = {
    events: await query(`select ${ofEvents} from construction.events where event_type <> 'webhook.ping' order by 1`)
  }
  for (const name of entities) {
    tables[name] = await query(`select * exclude (_first_seen_at, _changed_at) from construction.${name} order by id`)
  }
  return JSON.stringify(tables, null, 1)
}

const files = (folder: string) => ({
  store: join(folder, "store.sqlite"),
  warehouse: join(folder, "warehouse.duckdb")
})

const reader = Layer.succeed(
  EventReader,
  EventReader.of({
    read: (event, now) => ConstructionReader.read({ aliases: {}, trustTypeHeader: false }, event, now)
  })
)

const applying = (folder: string) => {
  const { store, warehouse } = files(folder)
  return Apply.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(Inbox.layer, Ledger.layerWith(contractor), reader)),
    Layer.provideMerge(DuckDb.layerAt(warehouse)),
    Layer.provideMerge(Layer.merge(Sqlite.layerAt(store), Reasons.layer))
  )
}

const deliveryOf = ({ body, type }: Sent, receivedMs: number) => ({
  body: Buffer.from(body),
  bodySha256: Buffer.from(sha256(body), "hex"),
  eventId: randomUUID(),
  headerType: type,
  issuedAt: null,
  receivedAt: Instant.fromMillis(receivedMs)
})

/** Offers in gulps of any size, so that Apply meets batches of any size, and waits until all is applied. */
const apply = <A>(of: Random, sent: ReadonlyArray<Sent>, look: (query: Query) => Promise<A>) =>
  Effect.gen(function* () {
    const inbox = yield* Inbox
    const gulp = of.chance(0.02) ? 1 : of.pick([20, 60, sent.length, sent.length])
    for (let from = 0; from < sent.length; from += gulp) {
      const deliveries = sent.slice(from, from + gulp).map((each, index) => deliveryOf(each, 1_790_000_000_000 + index))
      yield* Effect.promise(() => Promise.all(deliveries.map((delivery) => inbox.offer(delivery))))
    }
    while ((yield* inbox.status).pending > 0) yield* Effect.sleep("1 millis")
    const warehouse = yield* Warehouse
    const context = yield* Effect.context<never>()
    const query = (text: string) =>
      Effect.runPromiseWith(context)(
        warehouse.query((db) =>
          sql
            .raw<Record<string, unknown>>(text)
            .execute(db)
            .then((result) => result.rows)
        )
      )
    return yield* Effect.promise(() => look(query))
  })

const inFolder = <A>(template: string | undefined, use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = temporaryFolder()
  if (template !== undefined) {
    for (const name of ["store", "warehouse"] as const) copyFileSync(files(template)[name], files(folder)[name])
  }
  return use(folder).finally(() => removeFolder(folder))
}

const runIn = <A, E>(folder: string, effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof applying>>>) =>
  Effect.runPromise(
    effect.pipe(
      Effect.provide(applying(folder)),
      Effect.scoped,
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  )

describe("one history of events", () => {
  it(`ends in the same rows in ${orders} orders`, { timeout: 180_000 }, () =>
    inFolder(undefined, async (template) => {
      await runIn(template, Effect.void)
      const once = <A>(seed: number, look: (query: Query) => Promise<A>): Promise<A> => {
        const of = seeded(seed)
        return inFolder(template, (folder) => runIn(folder, apply(of, disorder(of), look)))
      }
      assert.deepStrictEqual(await once(0, read), model(lives))
      const expected = await once(0, outcome)
      let seed = 1
      const lane = async (): Promise<void> => {
        while (seed < orders) {
          const mine = seed++
          assert.strictEqual(await once(mine, outcome), expected, `seed ${mine}`)
        }
      }
      await Promise.all([lane(), lane(), lane(), lane()])
    })
  )

  it(`ends in the same rows in ${ordersOverHttp} orders of signed requests`, async () => {
    const found = new Set<string>()
    for (let seed = 1; seed <= ordersOverHttp; seed++) {
      const of = seeded(1000 + seed)
      await using world = await World.open({ projects: 0 })
      const worker = world.start()
      await worker.live()
      const sent = disorder(of)
      const gulp = of.pick([1, 16, 64])
      for (let from = 0; from < sent.length; from += gulp) {
        const answers = sent.slice(from, from + gulp).map((event) => world.server.deliver(event))
        for (const status of await Promise.all(answers)) assert.strictEqual(status, 200)
      }
      await applied(worker)
      await worker.stop()
      const query = (text: string) => world.query(text)
      assert.deepStrictEqual(await read(query), model(lives), `seed ${1000 + seed}`)
      found.add(await outcome(query))
    }
    assert.strictEqual(found.size, 1)
  })
})
