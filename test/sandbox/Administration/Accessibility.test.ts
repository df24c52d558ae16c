import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { browser, on, visit } from "../../Browser.ts"
import { look } from "../../Looked.ts"
import { deliveryId, started } from "./Started.ts"

/** Milliseconds. A browser is slow while many tests run. */
const slow = 180_000

const long = `http://127.0.0.1:1/${"a-very-long-path-without-any-break".repeat(6)}`

const views = [
  "",
  "/subscriptions",
  "/subscriptions/1",
  "/subscriptions/2",
  "/deliveries",
  "/deliveries?state=waiting",
  "/deliveries?state=failed&type=ipc.created",
  `/deliveries/${deliveryId(1)}`,
  "/records",
  "/records?kind=vos",
  "/records?kind=transmittals",
  "/records?kind=projects",
  "/faults",
  "/clients",
  "/subscriptions/99"
]

/** Subscriptions in every state, deliveries in every state, faults on, IPCs at every stage. */
const busy = Effect.gen(function* () {
  const { ask, sandbox, subscribe } = yield* started({ timeScale: 1_000_000, concurrency: 64 })
  yield* subscribe(long)
  yield* subscribe("http://127.0.0.1:1/")
  yield* ask("faults/wrong-signature", { value: 0.3 })
  yield* ask("subscriptions/2/pause", {})
  yield* sandbox.emit(sandbox.events.blockLength)
  yield* sandbox.deliveries.until(({ failed }) => failed > 100)
  return sandbox
})

describe("Every view", () => {
  it.live(
    "passes axe in dark, in light and in a window of 400 px, which it fits",
    (context) =>
      Effect.gen(function* () {
        const { adminUrl } = yield* busy
        const { complaints, page } = yield* visit(yield* browser(context))
        for (const view of views) {
          yield* on(page.goto(`${adminUrl}${view}`))
          yield* on(page.locator("details").evaluateAll((all) => all.forEach((each) => each.setAttribute("open", ""))))
          assert.deepStrictEqual(yield* look(page), { light: [], dark: [], narrow: [], overflow: 0 }, view)
        }
        // The last view doesn't exist.
        assert.deepStrictEqual(
          complaints.filter((each) => !each.includes("404")),
          []
        )
      }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
    slow
  )
})
