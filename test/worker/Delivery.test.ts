/** `siteledger delivery`: what a person sees of one delivery, beside a worker and without one. */
import { randomUUID } from "node:crypto"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import { World } from "./World.ts"

type Delivery = Answer<"delivery">["deliveries"][number]

const certified = (id: string, amount: string) => ({
  type: "ipc.certified",
  fields: { ipc_id: id, certified_amount: amount, certificate_url: "https://c/1" }
})
const paid = (id: string | undefined) => ({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: "PAY-1" } })

/** As a service might write it: spaces, and a number that a program would write otherwise. */
const written = (day: string, amount: string): string =>
  `{"event_type": "ipc.certified", "event_timestamp": "2026-10-${day}T00:00:00Z", "data": {"ipc_id": "7",\n "certified_amount": ${amount}, "certificate_url": "https://c/\\u001b[31m1"}}`

const shown = async (world: World, id: string): Promise<ReadonlyArray<Delivery>> => {
  const { code, stderr, stdout } = await world.run("delivery", id, "--json")
  assert.deepStrictEqual([code, stderr], [0, ""])
  return (JSON.parse(stdout) as Answer<"delivery">).deliveries
}

describe("siteledger delivery", () => {
  it("shows what was received, what it still says of its record, and what was posted by it", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const [first, second, payment, odd] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    await world.server.deliver(certified("7", "12.50"), { id: first, body: written("01", "12.50") })
    const body = written("02", "20.00")
    await world.server.deliver(certified("7", "20.00"), { id: second, body })
    await world.server.deliver(paid("7"), { id: payment })
    await world.server.deliver(paid(undefined), { id: odd })
    await worker.status(
      "all is applied",
      ({ events, inbox }) => inbox.pending === 0 && (events["quarantined"] ?? 0) === 1
    )

    const found = await shown(world, second)
    const [of] = found
    assert.strictEqual(found.length, 1)
    assert.deepInclude(of, {
      event_id: second,
      event_type: "ipc.certified",
      entity: "ipcs",
      entity_id: "7",
      deliveries: 1
    })
    assert.strictEqual(Buffer.from(of!.bodyBase64 ?? "", "base64").toString(), body)
    assert.strictEqual(of!.body, body)
    assert.include(
      of!.headers.map(({ value }) => value),
      second
    )
    assert.includeMembers([...of!.columns], ["certified_amount", "certificate_url"])
    assert.notInclude((await shown(world, first))[0]!.columns, "certified_amount")
    assert.deepStrictEqual(await shown(world, String(of!.sequence)), found)

    const [entry] = (await shown(world, payment))[0]!.entries
    assert.deepInclude(entry, { kind: "payment", amount: "20.0000", payment_reference: "PAY-1" })
    assert.deepStrictEqual((await shown(world, first))[0]!.entries, [])
    assert.deepStrictEqual((await shown(world, odd))[0]!.entries, [])
    assert.deepInclude((await shown(world, odd))[0], { outcome: "quarantined", reason: "no-key", columns: [] })

    const page = await world.run("delivery", second)
    assert.match(page.stdout, /^Delivery \d+\n {2}event id {8}/)
    assert.notInclude(page.stdout, "\u001B")
    const missing = await world.run("delivery", "no-such-id")
    assert.deepInclude(missing, { code: 1, stdout: "" })
    assert.match(missing.stderr, /No delivery has the event id or the sequence no-such-id\./)
    await worker.stop()
    // Without a worker it reads the stores itself.
    assert.deepStrictEqual(await shown(world, second), found)
  })

  it("says when a body is no text, and has its bytes all the same", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const id = randomUUID()
    await world.server.deliver(certified("7", "1.00"), { id, body: new Uint8Array([0x7b, 0xff, 0x00]) })
    await worker.status("it is in quarantine", ({ inbox }) => inbox.quarantined === 1 && inbox.pending === 0)
    const [of] = await shown(world, id.toUpperCase())
    assert.deepInclude(of, { body: null, bodyBase64: "e/8A", outcome: "quarantined", reason: "not-utf8" })
    assert.match((await world.run("delivery", id)).stdout, /^Body\n {2}no text: 3 bytes, /m)
    await worker.stop()
  })

  it("shows each of several bodies that came under one id, also one that was compressed", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const id = randomUUID()
    const plain = JSON.stringify({
      event_type: "ipc.created",
      event_timestamp: "2026-10-01T00:00:00Z",
      data: { ipc_id: "9" }
    })
    await world.server.deliver(certified("8", "1.00"), { id })
    await world.server.deliver(certified("8", "2.00"), { id, body: gzipSync(plain) })
    await worker.status(
      "both are applied",
      ({ inbox, events }) => inbox.pending === 0 && (events["id-reused"] ?? 0) === 1
    )
    const found = await shown(world, id)
    assert.deepStrictEqual(
      found.map(({ body }) => (body === plain ? "compressed" : "plain")),
      ["plain", "compressed"]
    )
    assert.include(found[1]?.alarms ?? [], "id-reused")
    await worker.stop()
  })
})
