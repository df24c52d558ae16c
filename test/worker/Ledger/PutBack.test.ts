/**
 * Books that end before the last entry that was sent, no matter how the store was put back; and what a person sees when
 * comparing them with a file of the accounting system: what is different, what is unreadable, what is fine.
 */
import { copyFileSync, cpSync, existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Accounts, entryOf, secret } from "../../Ledger/Outbox/SinkWorld.ts"
import type { RunningWorker } from "../../RunningWorker.ts"
import { World } from "../World.ts"

class Receiver extends Accounts implements AsyncDisposable {
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

const pay = async (world: World, id: string): Promise<void> => {
  await world.server.deliver({
    type: "ipc.certified",
    fields: { ipc_id: id, certified_amount: "12.5", certificate_url: `https://c/${id}` }
  })
  await world.server.deliver({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })
}

const sent = (worker: RunningWorker, entries: number) =>
  worker.status(
    `${entries} are sent`,
    ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === entries && ledger.sink?.backlog === 0
  )

const opened = async () => {
  const to = new Receiver()
  await to.open()
  const sink = { SITELEDGER_LEDGER_SINK_URL: to.url.href, SITELEDGER_LEDGER_SINK_SECRET: secret }
  return { to, world: await World.open({ projects: 3 }, sink, "duckdb") }
}

const reasonOf = async (worker: RunningWorker): Promise<string> => {
  const { reasons } = await worker.status("it waits", (report) =>
    report.reasons.some((each) => each.startsWith("Nothing"))
  )
  return reasons.find((each) => each.startsWith("Nothing")) ?? ""
}

describe("a store that was put back by copying files", () => {
  it("sends nothing more until a person has compared", async () => {
    const { to, world } = await opened()
    await using _to = to
    await using _world = world
    const [store, old] = [join(world.dataDir, "store.sqlite"), join(world.dataDir, "old.sqlite")]
    const [rows, oldRows] = [join(world.dataDir, "rows"), join(world.dataDir, "old rows")]
    const first = world.start()
    await first.live()
    await pay(world, "A")
    await sent(first, 1)
    await first.stop()
    copyFileSync(store, old)
    cpSync(rows, oldRows, { recursive: true })
    const second = world.start()
    await second.live()
    await pay(world, "B")
    await sent(second, 2)
    await second.stop()
    for (const suffix of ["", "-wal", "-shm"]) if (existsSync(store + suffix)) rmSync(store + suffix)
    copyFileSync(old, store)
    rmSync(rows, { recursive: true })
    cpSync(oldRows, rows, { recursive: true })

    const third = world.start()
    assert.match(await reasonOf(third), /Entry 2 \(epoch 1\) was sent, and the books end at 1 \(epoch 1\)/)
    await pay(world, "C")
    await pay(world, "B")
    await third.status("they are posted", ({ ledger }) => ledger.entries === 3 && ledger.sink?.backlog === 2)
    assert.lengthOf(to.posts, 2)

    const file = join(world.dataDir, "accounting.jsonl")
    writeFileSync(file, to.posts.map(({ body }) => String(body)).join("\n"))
    const shown = await world.run("ledger", "sink", "compare", file, "--yes")
    assert.strictEqual(shown.code, 0, shown.stderr)
    assert.match(shown.stdout, /^in both +[12]/m)
    await third.status("sending goes on", ({ ledger, reasons }) => ledger.sink?.backlog === 0 && reasons.length === 0)
    const totals = new Map<string, number>()
    for (const { key, ipcId, body } of new Map(to.posts.map((post) => [post.key, post])).values()) {
      assert.isNotEmpty(key)
      totals.set(ipcId, (totals.get(ipcId) ?? 0) + Number(entryOf(body).amount))
    }
    assert.deepStrictEqual([...totals].toSorted(), [
      ["A", 12.5],
      ["B", 12.5],
      ["C", 12.5]
    ])
    const after = to.posts.map(({ body }) => entryOf(body)).at(-1)
    assert.strictEqual(after?.epoch, 2)
  })
})

describe("ledger sink compare", () => {
  it("takes over nothing while entries are different or can't be read, and goes on after a pause", async () => {
    const { to, world } = await opened()
    await using _to = to
    await using _world = world
    const worker = world.start()
    await worker.live()
    await pay(world, "A")
    await sent(worker, 1)
    const paused = await world.run("ledger", "sink", "pause", "--by", "Ana", "--reason", "month's end")
    assert.strictEqual(paused.code, 0, paused.stderr)
    assert.match(await reasonOf(worker), /Paused by Ana \(os:[^)]+\): month's end\./)
    await pay(world, "B")
    await worker.status("it is posted", ({ ledger }) => ledger.entries === 2 && ledger.sink?.backlog === 1)

    const file = join(world.dataDir, "accounting.csv")
    const compare = async (...lines: ReadonlyArray<string>) => {
      writeFileSync(file, lines.join("\n"))
      const { code, stderr, stdout } = await world.run("ledger", "sink", "compare", file, "--by", "Ana", "--yes")
      return [code, `${stdout}${stderr}`] as const
    }
    const id = to.posts[0]?.key ?? assert.fail("nothing was sent")
    const refused = async (lines: ReadonlyArray<string>, words: RegExp) => {
      const [code, text] = await compare(...lines)
      assert.strictEqual(code, 1, text)
      assert.match(text, words)
    }
    await refused(["id,amount", `${id},12.5`], /needs the columns entry_id/)
    await refused(["entry_id,amount", `${id},twelve`], /line 2: the amount isn't a number/)
    await refused(["entry_id,amount", `${id},12.5`, `${id},12.5`], /line 3: entry \w+ is there twice/)
    await refused(["entry_id,amount", `${id},12.6`], /has 12\.5000 here and 12\.6000 there[^]*Nothing was taken over/)
    await refused(["entry_id,amount", `${"f".repeat(32)},1`], /the file doesn't say its ipc_id/)
    assert.lengthOf(to.posts, 1)

    const [code, text] = await compare("entry_id,amount,note", `${id},12.50,ours`, "4711,9.99,theirs")
    assert.strictEqual(code, 0, text)
    assert.match(text, /^others +1 lines without an entry's id$/m)
    await sent(worker, 2)
    assert.strictEqual((await worker.stop()).code, 0)
  })
})
