/** A delivery that no known secret has signed: how long it waits for one, and when it comes again. */
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import * as Webhooks from "../../connectors/construction/ConstructionWebhooks.ts"
import { Keyring } from "../../src/Intake/Secrets/Keyring.ts"
import { Signatures } from "../../src/Intake/Receiver/Signatures.ts"

const layer = Webhooks.layer.pipe(Layer.provideMerge(Layer.merge(Webhooks.Callbacks.layer, Keyring.layer)))

it.effect("waits for another worker's secret and our own concurrently: each may take all the time there is", () =>
  Effect.gen(function* () {
    const keyring = yield* Keyring
    const callbacks = yield* Webhooks.Callbacks
    const signatures = yield* Signatures
    const others = Promise.withResolvers<void>()
    keyring.lookAgain = () => others.promise
    const began: Array<string> = []
    const { whenSettled } = callbacks
    Object.assign(callbacks, {
      whenSettled: () => {
        began.push("our own")
        return whenSettled()
      }
    })
    callbacks.creating()
    const held = signatures.settled().then(() => began.push("ended"))
    assert.deepStrictEqual(began, ["our own"])
    callbacks.settled()
    others.resolve()
    yield* Effect.promise(() => held)
    assert.deepStrictEqual(began, ["our own", "ended"])
  }).pipe(Effect.provide(layer))
)

it("is tried again when the interface document says (§8), which gaps are judged by", () => {
  const minutes = Webhooks.retrySchedule.map(Duration.toMinutes)
  assert.deepStrictEqual(minutes, [0, 1, 5, 30, 2 * 60, 6 * 60, 24 * 60])
})
