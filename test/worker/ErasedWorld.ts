/**
 * A world in which one person is in everything that siteledger holds, and another only in records; and the steps that
 * erase them, or bring them back.
 */
import { once } from "node:events"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { assert } from "@effect/vitest"
import { rounds, seed } from "../Long.ts"
import { launch, until } from "../RunningWorker.ts"
import { seeded } from "../Seeded.ts"
import { holders } from "../Decoded.ts"
import { exactNumber } from "../InterfaceServer.ts"
import { eventBody } from "../InterfaceServer/Events.ts"
import type { Engine } from "./Place.ts"
import { World } from "./World.ts"

export const at = { event_timestamp: "2026-11-20T08:00:00Z" }

export const person = "Zoë Quist-Ångström"
/** Only in what is about `records`, and in what is about the first of them. */
export const witness = "Grete Hermann-Weyl"
export const address = "zoe@example.org"
export const because = ["--by", "the data officer", "--reason", "asked for on 26 November"]

export const deliveries = [
  { type: "ipc.submitted", id: "e-1", fields: { ...at, ipc_id: 1, submitter: person, amount: 5 } },
  {
    type: "ipc.certified",
    id: "e-2",
    fields: { ...at, ipc_id: 1, certified_amount: exactNumber("118750.10"), certificate_url: "https://s.example/1.pdf" }
  },
  {
    type: "ipc.paid",
    id: "e-3",
    fields: {
      ...at,
      ipc_id: 1,
      payment_reference: "PAY-1",
      payer: { name: person, email: address },
      seen_by: witness
    }
  },
  { type: "vo.created", id: "e-4", fields: { ...at, vo_id: 2, description: `Asked by ${person}.` } }
]

export const permit = { ...at, permit_id: 3, validity: "v", holder: person, by: { name: witness } }

/** In which the witness is: each with its table and id. */
export const records = ["ipcs 1", "permits 3", "projects 3"].map((each) => each.split(" ") as [string, string])

export const open = (on?: Engine) =>
  World.open(
    {
      projects: 3,
      project: (index) => {
        const name = index === 1 ? person : "x"
        const more = index === 2 ? { partners: [witness], phone: 4915112345 } : {}
        return { id: index + 1, name: `P ${index}`, status: "awarded", manager: { name }, ...more }
      }
    },
    { SITELEDGER_LAKE_DELTA: "yes" },
    on
  )

export interface Found {
  readonly deliveries: number
  readonly exports: ReadonlyArray<unknown>
  readonly kept: object
  readonly setAside: ReadonlyArray<string>
}

export const isDone = ({ inbox }: { readonly inbox: { readonly pending: number } }) => inbox.pending === 0

export const fill = async (world: World) => {
  const worker = world.start()
  await worker.live()
  for (const event of deliveries) assert.strictEqual(await world.server.deliver(event), 200)
  const packed = {
    type: "permit.issued",
    id: "e-5",
    fields: permit
  }
  assert.strictEqual(await world.server.deliver(packed, { body: gzipSync(eventBody(packed.type, packed.fields)) }), 200)
  assert.strictEqual(
    await world.server.deliver({ type: "ncr.created", id: "e-6" }, { body: `not JSON, of ${person} and 1` }),
    200
  )
  await worker.status("all are applied", isDone)
  await worker.stop()
  // The next start copies deliveries to the lake.
  const next = world.start()
  await next.live()
  await next.verb("publish")
  await next.verb("export")
  // A server's are in its tables alone.
  if (world.database !== undefined) return next
  const copies = join(world.dataDir, "lake/_deliveries")
  await until("they are copied", async () => (await holders(copies, person)).length > 0 || undefined)
  return next
}

/** An erasure is through within a moment, so its begin must be seen at once. */
const pauseMs = 5

export const value = ["--value", person, "--within"]
/** What a start says that refuses to run. */
export const refusedStart = async (world: World): Promise<string> => {
  const worker = world.start()
  await until("it ends", async () => worker.hasEnded || undefined)
  return (await worker.stop()).stderr
}

export const erase = (world: World, ...more: ReadonlyArray<string>) => world.run("erase", ...value, ...more)

export const eraseAll = async (world: World): Promise<void> => {
  const erased = await erase(world, "--yes", "--remove-exports", ...because)
  assert.strictEqual(erased.code, 0, erased.stderr)
  assert.deepStrictEqual(await holders(world.dataDir, person), [])
}

/** What `siteledger erase` is asked for. */
export const ofRecord = ([table, id]: readonly [table: string, id: string]) => ["--table", table, "--id", id]

export const eraseRecords = async (world: World, some = records): Promise<void> => {
  for (const record of some) {
    const erased = await world.run("erase", ...ofRecord(record), "--yes", "--remove-exports", ...because)
    assert.strictEqual(erased.code, 0, erased.stderr)
  }
}

/** What is told of them again, by the same delivery and by others; lists show them as before. Then what is left of them. */
export const tellAgain = async (world: World): Promise<void> => {
  const worker = world.start()
  await worker.live()
  const fresh = [
    { type: "ipc.submitted", fields: { ...at, ipc_id: 1, submitter: witness, amount: 5, note: witness } },
    { type: "permit.expiring", fields: { ...at, permit_id: 3, hours_until_expiry: 7, by: witness } }
  ]
  for (const event of [deliveries[2]!, ...fresh]) assert.strictEqual(await world.server.deliver(event), 200)
  await worker.status("all are applied", isDone)
  await worker.verb("publish")
  assert.deepInclude(await worker.verb("ledger-verify"), { differences: [] })
  assert.strictEqual((await world.run("rebuild", "--wait")).code, 0)
  await worker.live()
  assert.strictEqual((await worker.stop()).code, 0)
  const rows = await world.query(`
    select id::text as id, status, payment_reference as kept, submitter as gone, _extra::text as extra from construction.ipcs
    union all select id::text, status, null, validity, _extra::text from construction.permits
    union all select id::text, name, null, status, _extra::text from construction.projects where id = 3 order by 2`)
  const last = { hours_until_expiry: "[erased]", holder: "[erased]", by: "[erased]" }
  assert.deepStrictEqual(
    rows.map(({ extra, gone, id, kept, status }) => [id, status, kept, gone, JSON.parse(String(extra)) as unknown]),
    [
      ["3", "[erased]", null, "[erased]", { manager: "[erased]", partners: "[erased]", phone: null }],
      ["3", "expiring", null, "[erased]", last],
      ["1", "paid", "PAY-1", "[erased]", { note: "[erased]", payer: "[erased]", seen_by: "[erased]" }]
    ]
  )
}

/** Until a verb that resumes has begun, in milliseconds. */
const startMs = 500

/**
 * Erases with a verb that is killed as soon as it has begun (in the long form: within so many milliseconds after that), and
 * then again and again while it resumes.
 */
export const eraseKilled = async (world: World, withinMs: number, what = value): Promise<void> => {
  const before = (await world.store("select 1 from erasures")).length
  const random = seeded(seed)
  const hasBegun = async () => (await world.store("select 1 from erasures")).length > before
  /** Whether all is erased: the kill may come too late. */
  const run = async (afterMs: number, ...verb: ReadonlyArray<string>): Promise<boolean> => {
    const { child, output } = launch(world.environment, ...verb)
    const ended = once(child, "close")
    while (child.exitCode === null && !(await hasBegun())) await setTimeout(pauseMs)
    void setTimeout(afterMs).then(() => child.kill("SIGKILL"))
    const [code] = (await ended) as [number | null]
    if (code !== null && code !== 0) assert.fail(output.stderr)
    return (await world.store("select 1 from erasures where chain is null")).length === 0
  }
  let isThrough = await run(
    rounds(0, random.below(withinMs)),
    "erase",
    ...what,
    "--yes",
    "--remove-exports",
    ...because
  )
  for (let kills = 0; !isThrough && kills < rounds(3, 50); kills++) {
    assert.match(await refusedStart(world), /erase --resume/)
    isThrough = await run(random.below(startMs + withinMs), "erase", "--resume")
  }
  if (isThrough) return
  const resumed = await world.run("erase", "--resume")
  assert.strictEqual(resumed.code, 0, resumed.stderr)
}

/** Everything that could bring it back; then the rows. */
export const tryToBringBack = async (world: World): Promise<void> => {
  const worker = world.start()
  await worker.live()
  // The same once more, and something new.
  assert.strictEqual(await world.server.deliver(deliveries[0]!), 200)
  const fresh = { type: "vo.created", fields: { ...at, vo_id: 9, description: `For ${person}`, by: person } }
  assert.strictEqual(await world.server.deliver(fresh), 200)
  await worker.status("all are applied", isDone)
  await worker.verb("replay")
  await worker.verb("publish")
  assert.property(await worker.verb("export"), "run")
  assert.deepInclude(await worker.verb("ledger-verify"), { differences: [], entries: 1 })
  assert.strictEqual((await world.run("rebuild", "--wait")).code, 0)
  await worker.live()
  assert.strictEqual((await worker.stop()).code, 0)
}
