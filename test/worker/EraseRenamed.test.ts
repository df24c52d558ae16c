/**
 * A record is erased after its amounts got other names: deliveries keep the facts that the books rest on, by the names
 * of their time.
 */
import { assert, describe, it } from "@effect/vitest"
import { patience } from "../Long.ts"
import { because, isDone, ofRecord, open, witness } from "./ErasedWorld.ts"

const paid = {
  type: "ipc.paid",
  id: "e-1",
  fields: { ipc_id: 7, payment_reference: "P", amt: "100.50", by: witness }
}

describe("a record of which deliveries were read under other names", () => {
  it("is erased, and the books still rest on what they say", { timeout: patience }, async () => {
    await using world = await open()
    const named = (name: string) => ({
      SITELEDGER_FIELD_ALIASES: world.file(`${name}.json`, JSON.stringify({ paid_amount: name }))
    })
    const worker = world.start(named("amt"))
    await worker.live()
    assert.strictEqual(await world.server.deliver(paid), 200)
    await worker.status("it is applied", isDone)
    await worker.stop()
    const next = world.start(named("amount_paid"))
    await next.live()
    await next.stop()
    const verified = async (): Promise<void> => {
      const { code, stdout } = await world.runWith(named("amount_paid"), "ledger", "verify")
      assert.strictEqual(code, 0, stdout)
    }
    await verified()
    const erasing = [...ofRecord(["ipcs", "7"]), "--yes", "--remove-exports", ...because]
    const erased = await world.runWith(named("amount_paid"), "erase", ...erasing)
    assert.strictEqual(erased.code, 0, erased.stderr)
    await verified()
    const again = world.start(named("amount_paid"))
    await again.live()
    assert.deepInclude(await again.verb("ledger-verify"), { differences: [] })
    assert.strictEqual((await again.stop()).code, 0)
  })
})
