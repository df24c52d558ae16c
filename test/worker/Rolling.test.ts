/**
 * A rolling upgrade: three workers of the previous version on one PostgreSQL, replaced one by one while deliveries
 * arrive. The first new one migrates the tables under those that still run; nothing is lost, every payment is posted
 * once, as its certificate says, and the chain is whole across versions.
 */
import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { version } from "../../src/Runtime/Program.ts"
import * as Postgres from "../Postgres.ts"
import { type RunningWorker, until } from "../RunningWorker.ts"
import { patience, rounds } from "../Long.ts"
import { Older, version as before } from "./Older.ts"
import { World } from "./World.ts"

const perSecond = 50

interface Told {
  readonly type: string
  readonly id: string
  readonly body: string
}

const told = (type: string, contents: object): Told => ({
  type,
  id: randomUUID(),
  body: JSON.stringify({ event_timestamp: "2026-11-19T10:00:00Z", ...contents })
})

/** By the number of the IPC. */
const amountOf = (ipc: number): string => `${1000 + ipc}.25`

const eventsOf = (ipc: number): ReadonlyArray<Told> => [
  told("ipc.certified", {
    ipc_id: `ipc-${ipc}`,
    certified_amount: amountOf(ipc),
    certificate_url: `https://c/${ipc}`,
    event_timestamp: "2026-11-19T09:00:00Z"
  }),
  told("ipc.paid", { ipc_id: `ipc-${ipc}`, payment_reference: `PAY-${ipc}` })
]

/** The service before a load balancer: so many a second, in turn; what wasn't taken is sent again, to the next. */
class Load {
  readonly #world: World
  readonly #timer: NodeJS.Timeout
  readonly #sending = new Set<Promise<void>>()
  readonly #owed: Array<Told> = []
  #next: Array<Told> = []
  #turn = 0
  /** Those that a load balancer knows. */
  workers: ReadonlyArray<RunningWorker>
  ipcs = 0
  taken = 0

  constructor(world: World, workers: ReadonlyArray<RunningWorker>) {
    this.#world = world
    this.workers = workers
    this.#timer = setInterval(() => this.#send(), 1000 / perSecond)
  }

  #send(): void {
    if (this.#next.length === 0) this.#next = [...eventsOf(++this.ipcs)]
    const event = this.#owed.shift() ?? this.#next.shift()
    if (event !== undefined) this.#attempt(event)
  }

  #attempt(event: Told): void {
    const worker = this.workers[this.#turn++ % this.workers.length]
    if (worker === undefined) return void this.#owed.push(event)
    const sent = this.#deliver(event, worker)
    this.#sending.add(sent)
    void sent.finally(() => this.#sending.delete(sent))
  }

  async #deliver(event: Told, worker: RunningWorker): Promise<void> {
    const status = await this.#world.server.deliver(event, this.#world.at(worker))
    if (status === 200) this.taken++
    else this.#owed.push(event)
  }

  /** No more is told; waits until all that was is taken. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    this.#owed.push(...this.#next)
    await until("everything is taken", async () => {
      await Promise.all(this.#sending)
      for (const event of this.#owed.splice(0)) this.#attempt(event)
      return this.#sending.size === 0 && this.#owed.length === 0 ? true : undefined
    })
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

const versionsIn = (world: World) => world.store("select max(name) as name from siteledger.kysely_migration")

/** Of the books as they are in the end. */
const assertPosted = async (world: World, { ipcs, taken }: Load): Promise<void> => {
  assert.strictEqual(taken, 2 * ipcs)
  const events = await world.store("select count(*)::int as events from inbox")
  assert.deepStrictEqual(events, [{ events: 2 * ipcs + 1 }], "every delivery once, and the ping")
  const posted = await world.store("select ipc_id, kind, amount from ledger_entries order by sequence")
  const amounts = Object.fromEntries(posted.map(({ amount, ipc_id: id }) => [String(id), String(amount)]))
  const expected = Array.from({ length: ipcs }, (_, index) => [`ipc-${index + 1}`, `${amountOf(index + 1)}00`])
  assert.strictEqual(posted.length, ipcs, "every payment once")
  assert.deepStrictEqual(amounts, Object.fromEntries(expected))
  const verified = await world.run("ledger", "verify", "--json")
  assert.strictEqual(verified.code, 0, verified.stdout)
  assert.deepInclude(JSON.parse(verified.stdout), { entries: ipcs, differences: [] })
}

describe.skipIf(Postgres.skipped !== undefined)("a rolling upgrade of three workers", () => {
  it(
    "under load loses nothing and posts every payment once, and an older worker doesn't start on newer tables",
    { timeout: patience },
    async () => {
      using older = new Older()
      await using world = await World.open({ projects: 20 }, {}, "postgres")
      const workers = [world.start({}, older.main)]
      await workers[0]!.status("verified", ({ subscription }) => subscription.verifiedAt !== null)
      for (const _ of [1, 2]) workers.push(await world.startAnother({}, older.main))
      for (const worker of workers) await worker.status("it is up")
      using load = new Load(world, workers)
      const hasTaken = (more: number) => {
        const from = load.taken
        return until(`${more} more are taken`, async () => (load.taken >= from + more ? true : undefined))
      }
      await hasTaken(rounds(50, 1000))
      assert.deepStrictEqual(await versionsIn(world), [{ name: before }])

      for (const [place, old] of [...workers].entries()) {
        load.workers = workers.filter((worker) => worker !== old)
        assert.strictEqual((await old.stop()).code, 0, old.stderr)
        workers[place] = world.start(old.environment)
        await workers[place].status("it is up", (report) => report.version === version)
        load.workers = [...workers]
        // Each version applies and posts what the other has taken, and both take more.
        await hasTaken(rounds(50, 1000))
        if (place > 0) continue
        assert.notDeepEqual(await versionsIn(world), [{ name: before }])
        const late = await world.startAnother({}, older.main)
        const ended = await until("it ends", async () => (late.hasEnded ? late.stop() : undefined))
        assert.strictEqual(ended.code, 1)
        assert.match(ended.stderr, /made by a newer siteledger/)
      }
      await load.end()
      for (const worker of workers) await worker.status("all is applied", ({ inbox }) => inbox.pending === 0)
      await assertPosted(world, load)
    }
  )
})
