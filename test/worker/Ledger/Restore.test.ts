/**
 * The store is put back to a backup from before hundreds of payments that accounting already has. Other events arrive
 * first, the lost ones come again in another order, and kills interrupt it: a receiver that remembers every key ends
 * with the right total, to the last digit.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { patience, rounds, seed } from "../../Long.ts"
import * as Postgres from "../../Postgres.ts"
import { Accounts, entryOf, secret } from "../../Ledger/Outbox/SinkWorld.ts"
import type { RunningWorker } from "../../RunningWorker.ts"
import { type Random, seeded } from "../../Seeded.ts"
import { sha256 } from "../Story.ts"
import { World } from "../World.ts"
import { storeBooks } from "./Kept.ts"
import { type Day, day, disordered, judge, type Life } from "./Lives.ts"
import { Sender, type Sent } from "./Sender.ts"

const events = rounds(400, 6000)
const kills = rounds(2, 20)

class Receiver extends Accounts implements AsyncDisposable {
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Each key once, as a well-behaved receiver keeps them. */
  get kept() {
    return [...new Map(this.posts.map(({ body, key }) => [key, entryOf(body)])).values()]
  }

  /** By IPC, in ten-thousandths. */
  get totals(): ReadonlyMap<string, bigint> {
    const totals = new Map<string, bigint>()
    for (const { amount, ipc_id: ipc } of this.kept) {
      totals.set(ipc, (totals.get(ipc) ?? 0n) + BigInt(amount.replace(".", "")))
    }
    return totals
  }

  /** What a person exports from it. */
  export(path: string): string {
    const lines = this.kept.map(
      ({ amount, currency, entry_id: id, ipc_id: ipc, payment_reference: reference, sequence }) =>
        [id, amount, currency ?? "", ipc, reference, sequence].join(",")
    )
    writeFileSync(path, ["entry_id,amount,currency,ipc_id,payment_reference,sequence", ...lines].join("\n"))
    return path
  }
}

/** On a server, by its own means: the database as it was. */
class Backup {
  readonly #world: World
  constructor(world: World) {
    this.#world = world
  }

  get #file(): string {
    return join(this.#world.dataDir, "backup.sqlite")
  }

  async #admin(sql: string): Promise<void> {
    await Postgres.query(Postgres.postgresUrl(), sql)
  }

  /** No worker may run. */
  async make(): Promise<void> {
    const { database } = this.#world
    if (database !== undefined) return this.#admin(`create database ${database.name}_old template ${database.name}`)
    const { code, stderr } = await this.#world.run("backup", this.#file)
    assert.strictEqual(code, 0, stderr)
  }

  async restore(): Promise<void> {
    const { database } = this.#world
    if (database === undefined) {
      const { code, stderr } = await this.#world.run("restore", this.#file)
      return assert.strictEqual(code, 0, stderr)
    }
    await this.#admin(`drop database ${database.name} with (force)`)
    await this.#admin(`alter database ${database.name}_old rename to ${database.name}`)
  }
}

/** The place of each body in the order in which it was stored. */
const placesOf = async (world: World): Promise<ReadonlyMap<string, number>> => {
  const rows = await world.inbox()
  return new Map(rows.map((row, place) => [Buffer.from(row["body_sha256"] as Uint8Array).toString("hex"), place]))
}

const isSent = (worker: RunningWorker) =>
  worker.status(
    "everything is posted and sent",
    ({ inbox, ledger, phase }) => phase !== "starting" && inbox.pending === 0 && ledger.sink?.backlog === 0
  )

const expected = (lives: ReadonlyArray<Life>, places: ReadonlyMap<string, number>) =>
  lives.flatMap((life) => {
    const { net } = judge(life, (body) => places.get(sha256(body)) ?? assert.fail(`not stored: ${body}`))
    return net === undefined || net === 0n ? [] : [[life.ipcId, net] as const]
  })

/** By IPC: those that the backup has, those that are lost with it, and those that come first after it. */
const parted = (random: Random, { events: all, lives }: Day) => {
  const partOf = new Map(lives.map(({ ipcId }) => [ipcId, random.pick(["early", "lost", "lost", "lost", "late"])]))
  const of = (part: string) => {
    const isIn = ({ body }: Sent) => partOf.get((JSON.parse(body) as { ipc_id: string }).ipc_id) === part
    return disordered(random, all.filter(isIn))
  }
  return { early: of("early"), lost: of("lost"), late: of("late") }
}

const waits = (worker: RunningWorker) =>
  worker.status(
    "it waits",
    ({ phase, reasons }) => phase === "degraded" && reasons.some((each) => isWaiting.test(each))
  )

const isWaiting = /^Nothing is sent to the accounting sink/

/** Shown first, and taken over only by a person. */
const compare = async (world: World, to: Receiver): Promise<void> => {
  const file = to.export(join(world.dataDir, "accounting.csv"))
  const unsigned = await world.run("ledger", "sink", "compare", file)
  assert.strictEqual(unsigned.code, 2, unsigned.stderr)
  assert.match(unsigned.stdout, /^only there +[1-9]\d* entries/m)
  const compared = await world.run("ledger", "sink", "compare", file, "--by", "Ana", "--yes")
  assert.strictEqual(compared.code, 0, compared.stderr)
}

/** IPCs whose payment is reported at two times: the one that arrives first counts, so after the restore it may be the other. */
const reportedTwice = (lives: Day["lives"]): ReadonlySet<string> =>
  new Set(
    lives
      .filter(({ payments }) =>
        payments.some((one) =>
          payments.some((other) => one.reference === other.reference && one.micros !== other.micros)
        )
      )
      .map(({ ipcId }) => ipcId)
  )

const judged = async (world: World, to: Receiver, lives: Day["lives"], all: ReadonlyMap<string, number>) => {
  assert.deepStrictEqual(new Map([...to.totals].filter(([, units]) => units !== 0n)), new Map(expected(lives, all)))
  const { holds } = await storeBooks(world)
  const differs = holds.filter((hold) => hold["reason"] === "differs-from-accounting").map((hold) => hold["ipc_id"])
  assert.deepStrictEqual(
    differs.filter((ipcId) => !reportedTwice(lives).has(String(ipcId))),
    []
  )
  const keys = await world.store("select epoch, sequence from ledger_entries order by epoch, sequence")
  assert.strictEqual(new Set(keys.map((row) => `${row["epoch"]} ${row["sequence"]}`)).size, keys.length)
  assert.isAbove(Number(keys.at(-1)?.["epoch"]), 1)
}

/** Posted and sent; then the worker is gone. */
const through = async (world: World, sender: Sender, sent: ReadonlyArray<Sent>, signal?: "SIGKILL") => {
  const worker = world.start()
  await worker.live()
  await sender.deliver(sent)
  await isSent(worker)
  const places = await placesOf(world)
  await worker.stop(signal)
  return places
}

describe(`a restore, seed ${seed}`, () => {
  it("sends nothing until it was compared, and then the receiver's total is right", { timeout: patience }, async () => {
    const random = seeded(seed)
    const lived = day(random, events)
    const { early, late, lost } = parted(random, lived)
    await using to = new Receiver()
    await to.open()
    const sink = { SITELEDGER_LEDGER_SINK_URL: to.url.href, SITELEDGER_LEDGER_SINK_SECRET: secret }
    await using world = await World.open({ projects: 3 }, sink)
    using sender = new Sender(world)
    const backup = new Backup(world)
    await through(world, sender, early)
    await backup.make()
    const places = await through(world, sender, lost, "SIGKILL")
    const sent = to.posts.length
    await backup.restore()

    let worker = world.start()
    const again = async () => {
      await worker.stop("SIGKILL")
      worker = world.start()
    }
    await waits(worker)
    // Other events first, then half of the lost ones.
    await sender.deliver(late)
    const replayed = random.shuffle(lost)
    const half = Math.floor(replayed.length / 2)
    await sender.deliver(replayed.slice(0, half))
    await worker.status("all is applied", ({ inbox }) => inbox.pending === 0)
    await again()
    await waits(worker)
    assert.strictEqual(to.posts.length, sent, "nothing is sent")
    await compare(world, to)
    for (let kill = 0; kill < kills; kill++) {
      const part = (count: number) => half + Math.floor(((replayed.length - half) * count) / kills)
      await Promise.all([sender.deliver(replayed.slice(part(kill), part(kill + 1))), again()])
    }
    await isSent(worker)
    const all = [...(await placesOf(world))].map(
      ([body, place]) => [body, places.get(body) ?? places.size + place] as const
    )
    await judged(world, to, lived.lives, new Map(all))
    assert.deepInclude(await worker.verb("ledger-verify"), { differences: [] })
    await worker.stop()
  })
})
