/**
 * A worker whose store is damaged, gone or put back: it makes the store again from the log of rows and the inbox, by
 * itself, and the accounting system gets no entry twice.
 */
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Accounts, entryOf, secret } from "../../Ledger/Outbox/SinkWorld.ts"
import type { StatusReport } from "../../../src/Operate/AdminApi/StatusReport.ts"
import { framesIn, listed, nameOf } from "../../../src/Stores/Segments/Segment.ts"
import { until } from "../../RunningWorker.ts"
import { World } from "../World.ts"

const zeroed = (path: string, from: number): void => {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, Math.floor(bytes.length * from)))
}

/** What may happen to the store's files after a kill. */
const damages: Record<string, (store: string) => void> = {
  "that is gone": (store) => ["", "-wal", "-shm"].forEach((suffix) => rmSync(store + suffix, { force: true })),
  "whose last part is zeroed": (store) => zeroed(store, 0.93),
  "whose log is damaged at its beginning": (store) => zeroed(`${store}-wal`, 0.05),
  "that was cut off": (store) => truncateSync(store, 5000),
  "that was put back to an earlier state": (store) => {
    for (const suffix of ["-wal", "-shm"]) rmSync(store + suffix, { force: true })
    copyFileSync(`${store}.earlier`, store)
  }
}

const pay = async (world: World, id: string): Promise<void> => {
  await world.server.deliver({
    type: "ipc.certified",
    fields: { ipc_id: id, certified_amount: "12.5", certificate_url: `https://c/${id}` }
  })
  await world.server.deliver({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })
}

const sent = (worker: ReturnType<World["start"]>, entries: number) =>
  worker.status(
    `${entries} are sent`,
    ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === entries && ledger.sink?.backlog === 0
  )

/** How many entries the log of rows shows as delivered. A row that changes again is logged again. */
const delivered = (folder: string): number => {
  const keys = new Set<string>()
  for (const first of listed(folder)) {
    for (const frame of framesIn(readFileSync(join(folder, nameOf(first))))) {
      if (frame.kind !== "row" || frame.table !== "ledger_outbox") continue
      if (/"delivered_at":"/.test(frame.row ?? "")) keys.add(frame.key)
    }
  }
  return keys.size
}

describe("a worker with a store", () => {
  for (const [what, damage] of Object.entries(damages)) {
    it(`${what} has everything again, and sends nothing twice`, async () => {
      const to = new Accounts()
      await to.open()
      const sink = { SITELEDGER_LEDGER_SINK_URL: to.url.href, SITELEDGER_LEDGER_SINK_SECRET: secret }
      await using world = await World.open({ projects: 3 }, sink, "duckdb")
      const store = join(world.dataDir, "store.sqlite")
      const first = world.start()
      await first.live()
      await pay(world, "A")
      await sent(first, 1)
      await first.stop()
      copyFileSync(store, `${store}.earlier`)
      const second = world.start()
      await second.live()
      await pay(world, "B")
      await pay(world, "C")
      await sent(second, 3)
      await until("the rows are logged", async () => delivered(join(world.dataDir, "rows")) === 3 || undefined)
      await second.stop("SIGKILL")
      const before = await world.query("select sequence, event_id from construction.events order by all")
      damage(store)

      const third = world.start()
      await third.live()
      await pay(world, "D")
      await sent(third, 4)
      const aside = `${store}.damaged`
      assert.strictEqual(existsSync(aside), /last part|cut off/.test(what))
      const isNamed = ({ reasonDetails }: StatusReport) => {
        return reasonDetails.some(({ level, sentence }) => level === "notice" && sentence.includes(`kept: ${aside} (`))
      }
      await third.status("what was set aside is named", (report) => isNamed(report) === existsSync(aside))
      rmSync(aside, { force: true })
      await third.status("and no more once it is deleted", (report) => !isNamed(report))
      await third.stop()
      await to.close()
      const after = await world.query("select sequence, event_id from construction.events order by all")
      assert.isAtLeast(after.length, before.length)
      assert.deepStrictEqual(
        to.posts.map(({ body }) => entryOf(body).sequence),
        [1, 2, 3, 4]
      )
      assert.deepStrictEqual(world.setAside, [])
      assert.isFalse(existsSync(join(world.dataDir, "inbox.replaced")))
    })
  }
})
