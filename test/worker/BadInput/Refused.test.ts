/** A delivery that the worker refuses for its size: shown until a person says that they know, or until it comes through. */
import { assert, describe, it } from "@effect/vitest"
import { World } from "../World.ts"

const limit = { SITELEDGER_WEBHOOK_MAX_BYTES: "1000" }
const id = "0190d1c2-0000-7000-8000-00000000000a"

const large = {
  type: "ipc.paid",
  id,
  body: JSON.stringify({
    ipc_id: 7,
    payment_reference: "PAY-7",
    event_timestamp: "2026-11-19T10:00:00Z",
    note: "x".repeat(1000)
  })
}

describe("a delivery that is larger than allowed", () => {
  it("is a reason, also after a restart, until a person has seen it", async () => {
    await using world = await World.open({ projects: 3 })
    const first = world.start(limit)
    await first.live()
    for (const _ of [1, 2]) assert.strictEqual(await world.server.deliver(large), 413)
    const named = new RegExp(`^A delivery larger than 1000 bytes .*event id ${id}; first at .*, last at .*, 2 times`)
    await first.status("it is named", ({ reasons }) => named.test(reasons.join()))
    await first.stop()
    const alone = await world.run("replay", "--refused-seen")
    assert.strictEqual(alone.code, 1)
    assert.match(alone.stderr, /running worker/)

    const second = world.start(limit)
    const report = await second.status("it is still named", ({ reasons }) => named.test(reasons.join()))
    assert.strictEqual(report.phase, "degraded")
    const seen = await world.run("replay", "--refused-seen", "--json")
    assert.strictEqual(seen.code, 0, seen.stderr)
    const [refused, ...others] = (JSON.parse(seen.stdout) as { readonly seen: ReadonlyArray<object> }).seen
    assert.deepInclude(refused, { for: "too-large", eventId: id, times: 2, isSigned: true })
    assert.deepStrictEqual(others, [])
    await second.live()
  })

  it("is a reason until it comes through", async () => {
    await using world = await World.open({ projects: 3 })
    const first = world.start(limit)
    await first.live()
    for (const _ of [1, 2]) assert.strictEqual(await world.server.deliver(large), 413)
    await first.status("it is named", ({ reasons }) => reasons.join().includes("A delivery larger"))
    await first.stop()
    const second = world.start()
    await second.status("it is still named", ({ reasons }) => reasons.join().includes("A delivery larger"))
    assert.strictEqual(await world.server.deliver(large), 200)
    await second.live()
  })
})
