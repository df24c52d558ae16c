/**
 * A real worker's audit: any change of a copy of the books from outside, for analysts or on the lake, is noticed, and a
 * person sees it in status.
 */
import { randomUUID } from "node:crypto"
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, describe, it } from "@effect/vitest"
import { World } from "../World.ts"
import { Sender } from "./Sender.ts"

const event = (type: string, contents: object) => ({ type, id: randomUUID(), body: JSON.stringify(contents) })

const at = "2026-11-19T09:00:00Z"
const events = [1, 2].flatMap((ipc) => [
  event("ipc.certified", { ipc_id: ipc, certified_amount: "118750.25", event_timestamp: at }),
  event("ipc.paid", { ipc_id: ipc, payment_reference: `PAY-${ipc}`, event_timestamp: at })
])

const change = async (file: string, statement: string): Promise<void> => {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  await connection.run(statement)
  connection.closeSync()
  instance.closeSync()
}

const verify = async (worker: ReturnType<World["start"]>, since?: string) =>
  (await worker.verb("ledger-verify", since === undefined ? {} : { since })) as {
    readonly head: string | null
    readonly differences: ReadonlyArray<string>
  }

describe("a worker's audit", () => {
  it("names what was changed in the copy for analysts and in the exported journal", async () => {
    await using world = await World.open({ projects: 3 })
    using sender = new Sender(world)
    const worker = world.start()
    await worker.live()
    await sender.deliver(events)
    await worker.status("it is posted", ({ inbox, ledger }) => ledger.entries === 2 && inbox.pending === 0)
    await worker.verb("publish")
    await worker.verb("export")
    assert.deepStrictEqual((await verify(worker)).differences, [])

    const journals = join(world.dataDir, "lake", "ledger_entries")
    const journal = join(journals, readdirSync(journals).find((name) => name.endsWith("-journal.csv")) ?? "")
    const text = readFileSync(journal, "utf8")
    const last = text.lastIndexOf("118750.2500")
    writeFileSync(journal, `${text.slice(0, last)}9${text.slice(last + 1)}`)
    await change(
      join(world.dataDir, "analytics.duckdb"),
      "update construction.ledger_entries set amount = 1 where sequence = 1"
    )
    const { differences: found } = await verify(worker)
    assert.deepStrictEqual(
      found[0],
      "The copy for analysts has amount 1.0000 for entry 1; in the books it is 118750.2500."
    )
    assert.match(found[1] ?? "", /-journal\.csv on .* differs from the books at entry 2\.$/)
    assert.lengthOf(found, 2)
    await worker.status("a person sees it", ({ reasons }) =>
      reasons.some((reason) => reason.startsWith("The books don't agree with what was signed and stored. The copy for"))
    )
    await worker.stop()
  })

  it("knows by a head from an export whether the books are still those", async () => {
    await using world = await World.open({ projects: 3 })
    using sender = new Sender(world)
    const worker = world.start()
    await worker.live()
    await sender.deliver(events.slice(0, 2))
    await worker.status("it is posted", ({ inbox, ledger }) => ledger.entries === 1 && inbox.pending === 0)
    await worker.verb("export")
    const lake = join(world.dataDir, "lake")
    const { manifest } = JSON.parse(readFileSync(join(lake, "latest.json"), "utf8")) as { readonly manifest: string }
    const { head } = JSON.parse(readFileSync(join(lake, manifest), "utf8")) as { readonly head: string }
    assert.match(head, /^1:[0-9a-f]{64}$/)
    assert.deepStrictEqual(await verify(worker), { ...(await verify(worker)), head })
    await sender.deliver(events.slice(2))
    await worker.status("more is posted", ({ inbox, ledger }) => ledger.entries === 2 && inbox.pending === 0)
    const later = await verify(worker, head)
    assert.deepStrictEqual(later.differences, [])
    assert.match(later.head ?? "", /^2:/)
    const others = "The books up to entry 1 aren't those of the head that you gave: they were changed since."
    assert.deepStrictEqual((await verify(worker, `1:${"0".repeat(64)}`)).differences, [others])
    // Whoever mistypes one raises no alarm.
    await worker.status("no reason", ({ reasons }) => reasons.length === 0)
    await worker.stop()
    const run = await world.run("ledger", "verify", "--json", "--since", later.head ?? "")
    assert.deepInclude(JSON.parse(run.stdout) as object, { head: later.head, differences: [] })
    const unknown = await world.run("ledger", "verify", "--since", "1")
    assert.strictEqual(unknown.code, 1)
    assert.include(unknown.stderr, "--since is a head of the books")
  })
})
