/** Deliveries that arrive before their secret, and unknown secrets. */
import { assert, describe, it } from "@effect/vitest"
import { secret } from "../../../src/Intake/Secrets/Keyring.ts"
import type { Delivery } from "../../../src/Stores/Deliveries.ts"
import { deliver, keeping, send, sign, signedRequest, startReceiver, until } from "../Receiver/Running.ts"

const request = (by: string) => signedRequest("{}", { "X-Service-Signature": sign("{}", by) })

describe("while a subscription is being created", () => {
  it("a delivery that can't be verified waits, and is accepted when its secret arrives", async () => {
    const kept: Array<Delivery> = []
    await using receiver = await startReceiver(keeping(kept))
    receiver.callbacks.creating()
    const ours = send(receiver.port, request("whsec_new"))
    const forged = send(receiver.port, request("whsec_other"))
    await until(() => receiver.looked.count === 2)
    // A delivery that can be verified doesn't wait.
    assert.strictEqual(await deliver(receiver.port, signedRequest("[]")), 200)
    assert.deepStrictEqual([ours.statuses, forged.statuses], [[], []])
    receiver.keyring.hold(secret("whsec_new", { fingerprint: "new" }))
    receiver.callbacks.settled()
    assert.deepStrictEqual([await ours.status(), await forged.status()], [200, 401])
    assert.deepStrictEqual(
      kept.map(({ body }) => String(body)),
      ["[]", "{}"]
    )
    ours.socket.destroy()
    forged.socket.destroy()
  })

  it("the wait ends after 5 s", async () => {
    await using receiver = await startReceiver(keeping([]))
    receiver.callbacks.creating()
    const from = performance.now()
    assert.strictEqual(await deliver(receiver.port, request("whsec_new")), 401)
    assert.isAtLeast(performance.now() - from, 4_990)
    assert.isBelow(performance.now() - from, 8_000)
  })
})

describe("an unknown secret", () => {
  it("is reported after three deliveries in a row, until one is signed correctly", async () => {
    await using receiver = await startReceiver(keeping([]))
    for (const by of ["a", "b"]) assert.strictEqual(await deliver(receiver.port, request(by)), 401)
    assert.deepStrictEqual(await receiver.reasons(), [])
    assert.strictEqual(await deliver(receiver.port, request("c")), 401)
    assert.match((await receiver.reasons()).join(), /SITELEDGER_WEBHOOK_SECRET/)
    assert.strictEqual(await deliver(receiver.port, signedRequest("{}")), 200)
    assert.deepStrictEqual(await receiver.reasons(), [])
  })
})
