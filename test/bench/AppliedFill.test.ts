/**
 * A store that a benchmark fills directly looks as if a worker had applied the same deliveries: a worker starts on it
 * without applying any again, and its rows equal those of a worker that got the same bodies over HTTP, and those of a
 * rebuild.
 */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { tables } from "../../bench/AppliedRows.ts"
import { start } from "../../bench/Child.ts"
import { type Body, eventBody, eventId } from "../../bench/Signed.ts"
import { rounds } from "../Long.ts"
import * as Postgres from "../Postgres.ts"
import type { RunningWorker } from "../RunningWorker.ts"
import type { Engine } from "../worker/Place.ts"
import { sharing } from "../worker/Shared.ts"
import { type Rows, World } from "../worker/World.ts"

const ipcs = 10
const money = Array.from({ length: 4 * ipcs }, (_, n) => eventBody("MONEY", n, ipcs))
/** Whole lives of each kind. */
const made = rounds(504, 2004)
const all = money.length + made
/** The service's first delivery: each service has its own. */
const ping = "webhook.ping"

const settled = (worker: RunningWorker) =>
  worker.status("all is applied", ({ inbox, phase }) => phase === "live" && inbox.pending === 0)

/** So many at a time: what has an order is delivered in its order. */
const deliver = async (world: World, bodies: ReadonlyArray<Body>, together = 1): Promise<void> => {
  const post = ({ body, type }: Body) => world.server.deliver({ id: eventId(body), type }, { body, timestamp: null })
  for (let at = 0; at < bodies.length; at += together) {
    const answers = await Promise.all(bodies.slice(at, at + together).map(post))
    assert.deepStrictEqual(new Set(answers), new Set([200]))
  }
}

/** With what moves money applied, and the rest made. */
const filled = async (engine: Engine): Promise<World> => {
  const world = await World.open({}, {}, engine)
  const worker = world.start()
  await worker.live()
  await deliver(world, money)
  await settled(worker)
  await worker.stop()
  const { database, dataDir } = world
  await start("AppliedFill.ts", "all", dataDir, "MADE", made, ...(database === undefined ? [] : [database.url]))
  return world
}

/** They say when a delivery came, or its number, which two workers give in their own order. */
const own = ["sequence", "received_at", "known_at", "chain", "basis", "_first_seen_at", "_changed_at"]

const without = (rows: Rows, columns: ReadonlyArray<string>): Rows =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name))))

const keys = new Map([
  ["events", "body_sha256"],
  ["ledger_entries", "entry_id"]
])

const warehouseOf = async (world: World, columns: ReadonlyArray<string> = []) => {
  const rows: Record<string, Rows> = {}
  for (const table of [...tables, "ledger_entries"]) {
    const sorted = await world.query(`select * from construction.${table} order by ${keys.get(table) ?? "id"}`)
    rows[table] = without(
      sorted.filter(({ event_type: type }) => type !== ping),
      columns
    )
  }
  return rows
}

const inboxOf = async (world: World): Promise<Rows> => {
  const inbox = (await world.inbox()).filter(({ header_type: type }) => type !== ping)
  const rows = inbox.map((row) => ({
    ...row,
    sha: Buffer.from(row["body_sha256"] as Buffer).toString("hex")
  }))
  return rows.toSorted((a, b) => (a.sha < b.sha ? -1 : 1))
}

const factsOf = (world: World): Promise<Rows> => world.store("select ipc_id, kind from ledger_facts order by number")

/** The last number that each copy of the inbox's files has. */
const copiesOf = async (world: World): Promise<ReadonlyArray<number>> => {
  const [row] = await world.query(`select max("last")::integer as last from siteledger.inbox`)
  const folder = join(world.dataDir, "lake/_deliveries")
  const files = readdirSync(folder).flatMap((inbox) => readdirSync(join(folder, inbox)))
  return [Number(row?.["last"]), Number(/-(\d+)\.zst$/.exec(files.toSorted().at(-1) ?? "")?.[1])]
}

const engines: ReadonlyArray<Engine> = ["duckdb", "postgres"]

describe.each(engines)("a store filled at once on %s", (engine) => {
  const skip = engine === "postgres" && Postgres.skipped !== undefined
  const ready = sharing(() => filled(engine))

  it.skipIf(skip)("has the rows of a worker that took the same deliveries", async () => {
    const world = await ready()
    const inbox = await inboxOf(world)
    assert.lengthOf(inbox, all)
    const bodies = inbox
      .map(({ body, header_type: type }) => ({ body: Buffer.from(body as Buffer), type: String(type) }))
      .filter(({ body }) => !money.some((known) => known.body.equals(body)))
    await using other = await World.open({}, {}, engine)
    const worker = other.start()
    await worker.live()
    await deliver(other, money)
    await deliver(other, bodies, 50)
    await settled(worker)
    await worker.stop()
    assert.deepStrictEqual(await warehouseOf(world, own), await warehouseOf(other, own))
    const ofReceiver = [...own, "headers", "secret"]
    assert.deepStrictEqual(await factsOf(world), await factsOf(other))
    assert.deepStrictEqual(without(inbox, ofReceiver), without(await inboxOf(other), ofReceiver))
  })

  it.skipIf(skip)("has nothing left to apply, and the rows that a rebuild makes", async () => {
    const world = await ready()
    if (engine === "duckdb") assert.deepStrictEqual(await copiesOf(world), [all + 1, all + 1])
    const before = await warehouseOf(world)
    const worker = world.start()
    await settled(worker)
    assert.strictEqual(await worker.metric("siteledger_events_total", '{outcome="applied"}'), 0)
    const verified = await worker.verb("ledger-verify")
    assert.containSubset(verified, { entries: ipcs, bodies: all + 1, differences: [] })
    await deliver(world, [eventBody("LATER", 0, 1)])
    await worker.status("it goes on", ({ inbox, lastEventAt }) => lastEventAt !== null && inbox.pending === 0)
    assert.strictEqual((await world.run("rebuild", "--wait")).code, 0)
    await settled(worker)
    await worker.stop()
    const after = await warehouseOf(world)
    assert.lengthOf(after["events"] ?? [], all + 1)
    const isMade = (row: Rows[number]) => !String(row["id"] ?? row["entity_id"]).startsWith("LATER")
    for (const [table, rows] of Object.entries(before))
      assert.deepStrictEqual(after[table]?.filter(isMade), rows, table)
  })
})
