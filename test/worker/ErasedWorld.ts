/** A world in which a person is in everything that siteledger holds, and what is done to erase them, or to bring them back. */
import { once } from "node:events"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert } from "@effect/vitest"
import { isLong, seed } from "../Long.ts"
import { launch, until } from "../RunningWorker.ts"
import { seeded } from "../Seeded.ts"
import { holders } from "../Decoded.ts"
import { exactNumber } from "../InterfaceServer.ts"
import { eventBody } from "../InterfaceServer/Events.ts"
import type { Engine } from "./Place.ts"
import { World } from "./World.ts"

export const at = { event_timestamp: "2026-11-20T08:00:00Z" }

export const person = "Zoë Quist-Ångström"
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
    fields: { ...at, ipc_id: 1, payment_reference: "PAY-1", payer: { name: person, email: "zoe@example.org" } }
  },
  { type: "vo.created", id: "e-4", fields: { ...at, vo_id: 2, description: `Asked by ${person}.` } }
]

export const open = (on?: Engine) =>
  World.open(
    {
      projects: 3,
      project: (index) => {
        const name = index === 1 ? person : "x"
        return { id: index + 1, name: `P ${index}`, status: "awarded", manager: { name } }
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
    fields: { ...at, permit_id: 3, validity: "v", holder: person }
  }
  assert.strictEqual(await world.server.deliver(packed, { body: gzipSync(eventBody(packed.type, packed.fields)) }), 200)
  assert.strictEqual(
    await world.server.deliver({ type: "ncr.created", id: "e-6" }, { body: `not JSON, of ${person}` }),
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

/** Erases with a verb that is killed again and again, each time within so many milliseconds after it has begun. */
export const eraseKilled = async (world: World, withinMs: number): Promise<void> => {
  const random = seeded(seed)
  const run = async (...verb: ReadonlyArray<string>): Promise<number | null> => {
    const { child, output } = launch(world.environment, ...verb)
    const begun = until("it has begun", async () =>
      child.exitCode !== null || (await world.store("select 1 from erasures")).length > 0 ? true : undefined
    )
    void begun.then(() => setTimeout(() => child.kill("SIGKILL"), random.below(withinMs)))
    const [code] = (await once(child, "close")) as [number | null]
    if (code !== null && code !== 0) assert.fail(output.stderr)
    return code
  }
  let code = await run("erase", ...value, "--yes", "--remove-exports", ...because)
  for (let kills = 0; code === null && kills < (isLong ? 50 : 5); kills++) {
    assert.match(await refusedStart(world), /erase --resume/)
    code = await run("erase", "--resume")
  }
  if (code !== null) return
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
