/**
 * From a signed `ipc.paid` to the accounting system, with worker, service and sink as processes or servers of their own;
 * and what the command line does about entries that the sink refused.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accounts,
  allDelivered,
  Accounts,
  entryOf,
  history,
  letters,
  secret,
  sending,
  taken,
  until
} from "../Ledger/SinkWorld.ts"
import { folder, hear } from "../Ledger/Started.ts"
import { run, until as untilSo } from "../RunningWorker.ts"
import { World } from "./World.ts"

const pay = async (world: World, id: string) => {
  await world.server.deliver({
    type: "ipc.certified",
    fields: { ipc_id: id, certified_amount: "12.5", certificate_url: `https://c/${id}` }
  })
  await world.server.deliver({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })
}

describe("a worker with an accounting sink", () => {
  it("posts each payment once by its key, also when it is killed before it has the answer", async () => {
    const to = new Accounts()
    await to.open()
    await using world = await World.open(
      { projects: 3 },
      { SITELEDGER_LEDGER_SINK_URL: to.url.href, SITELEDGER_LEDGER_SINK_SECRET: secret }
    )
    try {
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
      await untilSo("the sink has the second", async () => (to.posts.length === 2 ? true : undefined))
      const metrics = (await (await worker.fetch("/metrics"))?.text()) ?? ""
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
    } finally {
      await to.close()
    }
  })
})

describe("siteledger ledger sink", () => {
  it.live("lists, settles and replays, without a worker", () =>
    Effect.gen(function* () {
      const [path, to] = yield* Effect.all([folder, accounts])
      const given = {
        SITELEDGER_DATA_DIR: path,
        SITELEDGER_LEDGER_SINK_URL: to.url.href,
        SITELEDGER_LEDGER_SINK_SECRET: secret
      }
      const cli = (...verb: ReadonlyArray<string>) => Effect.promise(() => run(given, "ledger", "sink", ...verb))
      to.answer = () => ({ status: 400, text: "no such account" })
      yield* sending(
        path,
        to,
        {},
        Effect.gen(function* () {
          yield* hear(["A", "B"].flatMap(history))
          const areDead = Effect.map(letters, (rows) => rows.filter(({ state }) => state === "dead").length === 2)
          yield* until("both payments are dead letters", areDead)
        })
      )
      const rows = JSON.parse((yield* cli("dead", "--json")).stdout) as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        rows.map(({ ipc_id, reason, sequence, waiting_behind }) => [ipc_id, sequence, waiting_behind, reason]),
        [
          ["A", 1, 2, "The accounting sink refused the entry (400): no such account"],
          ["B", 4, 2, "The accounting sink refused the entry (400): no such account"]
        ]
      )
      assert.match((yield* cli("dead")).stdout, /sequence .* reason[^]*no such account/)
      const settled = yield* cli("settle", String(rows[0]?.["entry_id"]), "--by", "Ada", "--reason", "booked by hand")
      assert.strictEqual(settled.code, 0, settled.stderr)
      assert.deepStrictEqual(JSON.parse((yield* cli("replay", "--all")).stdout), { replayed: 5 })
      to.posts.length = 0
      to.answer = () => taken
      yield* sending(path, to, {}, until("the others are delivered", allDelivered))
      assert.sameMembers(
        to.posts.map(({ body }) => entryOf(body).sequence),
        [2, 3, 4, 5, 6]
      )
    }).pipe(Effect.scoped)
  )
})
