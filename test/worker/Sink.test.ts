/**
 * From a signed `ipc.paid` to the accounting system, with worker, service and sink as separate processes or servers;
 * and what the command line does about refused entries.
 */
import { assert, describe, it } from "@effect/vitest"
import { Accounts, entryOf, secret, taken } from "../Ledger/Outbox/SinkWorld.ts"
import { until } from "../RunningWorker.ts"
import { World } from "./World.ts"

const opened = async (): Promise<Accounts & AsyncDisposable> => {
  const to = new Accounts()
  await to.open()
  return Object.assign(to, { [Symbol.asyncDispose]: () => to.close() })
}

const settingsOf = (to: Accounts) => ({
  SITELEDGER_LEDGER_SINK_URL: to.url.href,
  SITELEDGER_LEDGER_SINK_SECRET: secret
})

const pay = async (world: World, id: string) => {
  await world.server.deliver({
    type: "ipc.certified",
    fields: { ipc_id: id, certified_amount: "12.5", certificate_url: `https://c/${id}` }
  })
  await world.server.deliver({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })
}

describe("a worker with an accounting sink", () => {
  it("posts each payment once by its key, even if it is killed before the answer arrives", async () => {
    await using to = await opened()
    await using world = await World.open({ projects: 3 }, settingsOf(to))
    const worker = world.start()
    await worker.live()
    await pay(world, "A")
    const isThrough = { backlog: 0, dead: 0, oldestPendingAgeMs: 0 }
    const report = await worker.status(
      "the entry is delivered",
      ({ ledger }) => ledger.entries === 1 && ledger.sink?.backlog === 0
    )
    assert.deepStrictEqual(report.ledger.sink, isThrough)
    to.answer = () => "silence"
    await pay(world, "B")
    await until("the sink has the second", async () => (to.posts.length === 2 ? true : undefined))
    const metrics = await worker.scrape()
    assert.match(metrics, /^siteledger_ledger_sink_backlog 1$/m)
    assert.match(metrics, /^siteledger_ledger_sink_dead 0$/m)
    assert.match(metrics, /^siteledger_ledger_sink_oldest_pending_seconds \d/m)
    await worker.stop("SIGKILL")
    to.answer = () => taken
    const again = world.start()
    await again.status(
      "the second is delivered too",
      ({ ledger }) => ledger.entries === 2 && ledger.sink?.backlog === 0
    )
    assert.deepStrictEqual(
      to.posts.map(({ body, ipcId }) => [ipcId, entryOf(body).sequence]),
      [
        ["A", 1],
        ["B", 2],
        ["B", 2]
      ]
    )
    assert.deepStrictEqual(to.posts[2]?.body, to.posts[1]?.body)
    assert.strictEqual((await again.stop()).code, 0)
  })
})

const refusal = "no such account"

/** A payment and two adjustments. */
const history = async (world: World, id: string): Promise<void> => {
  const certified = (day: number, certified_amount: string) => ({
    type: "ipc.certified",
    fields: { ipc_id: id, certified_amount, certificate_url: `https://c/${id}`, event_timestamp: at(day) }
  })
  const paid = { type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}`, event_timestamp: at(5) } }
  for (const event of [certified(1, "5"), paid, certified(2, "7.5"), certified(3, "6.25")]) {
    assert.strictEqual(await world.server.deliver(event), 200)
  }
}

const at = (day: number): string => `2026-11-0${day}T12:00:00Z`

describe("siteledger ledger sink", () => {
  it("lists, settles and replays, without a worker", async () => {
    await using to = await opened()
    await using world = await World.open({ projects: 3 }, settingsOf(to))
    to.answer = () => ({ status: 400, text: refusal })
    const worker = world.start()
    await worker.live()
    for (const [place, id] of ["A", "B"].entries()) {
      await history(world, id)
      await worker.status("it is posted", ({ ledger }) => ledger.entries === 3 * (place + 1))
    }
    const refused = "last_error is not null"
    await until("both payments are refused", async () => {
      const { length } = await world.store(`select sequence from ledger_outbox where ${refused}`)
      return length === 2 ? true : undefined
    })
    await worker.stop()
    // As if they had been refused often enough.
    await world.store(`update ledger_outbox set state = 'dead', refusals = 5 where ${refused}`)

    const cli = (...verb: ReadonlyArray<string>) => world.shell(settingsOf(to), "ledger", "sink", ...verb)
    const dead = await cli("dead", "--json")
    assert.strictEqual(dead.code, 0, dead.stderr)
    const rows = JSON.parse(dead.stdout) as ReadonlyArray<Record<string, unknown>>
    assert.deepStrictEqual(
      rows.map(({ ipc_id, reason, sequence, waiting_behind }) => [ipc_id, sequence, waiting_behind, reason]),
      [
        ["A", 1, 2, `The accounting sink refused the entry (400): ${refusal}`],
        ["B", 4, 2, `The accounting sink refused the entry (400): ${refusal}`]
      ]
    )
    assert.match((await cli("dead")).stdout, /sequence .* reason[^]*no such account/)
    const settled = await cli("settle", String(rows[0]?.["entry_id"]), "--by", "Ada", "--reason", "booked by hand")
    assert.strictEqual(settled.code, 0, settled.stderr)
    assert.deepStrictEqual(JSON.parse((await cli("replay", "--all", "--json")).stdout), { replayed: 5 })
    to.posts.length = 0
    to.answer = () => taken
    await world.start().status("the others are delivered", ({ ledger }) => ledger.sink?.backlog === 0)
    assert.sameMembers(
      to.posts.map(({ body }) => entryOf(body).sequence),
      [2, 3, 4, 5, 6]
    )
  })
})
