import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import axe, { type AxeResults } from "axe-core"
import { Effect } from "effect"
import { type Browser, browser, on, type Page, visit } from "../../Browser.ts"
import { started } from "./Started.ts"

/** Milliseconds: a browser takes its time where many tests run. */
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
  "/deliveries/1",
  "/records",
  "/records?kind=vos",
  "/records?kind=transmittals",
  "/records?kind=projects",
  "/faults",
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

const problems = Effect.fnUntraced(function* (page: Page) {
  yield* on(page.evaluate(axe.source))
  const { violations } = yield* on(page.evaluate<AxeResults>("axe.run()"))
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
})

const overflow = (page: Page): Effect.Effect<number> =>
  on(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))

const eachView = <A>(browser: Browser, url: string, options: object, look: (page: Page) => Effect.Effect<A>) =>
  Effect.gen(function* () {
    const { complaints, page } = yield* visit(browser, options)
    const seen: Record<string, A> = {}
    for (const view of views) {
      yield* on(page.goto(`${url}${view}`))
      yield* on(page.locator("details").evaluateAll((all) => all.forEach((each) => each.setAttribute("open", ""))))
      seen[view] = yield* look(page)
    }
    // The last view is one that isn't there.
    assert.deepStrictEqual(
      complaints.filter((each) => !each.includes("404")),
      []
    )
    return seen
  })

const every = <A>(a: A) => Object.fromEntries(views.map((view) => [view, a]))

describe("Every view", () => {
  it.live(
    "has nothing for axe to find, in light and in dark",
    (context) =>
      Effect.gen(function* () {
        const { adminUrl } = yield* busy
        const opened = yield* browser(context)
        for (const colorScheme of ["light", "dark"] as const) {
          assert.deepStrictEqual(yield* eachView(opened, adminUrl, { colorScheme }, problems), every([]), colorScheme)
        }
      }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
    slow
  )

  it.live(
    "fits a window of 400 px, and is no less accessible in it",
    (context) =>
      Effect.gen(function* () {
        const { adminUrl } = yield* busy
        const narrow = { viewport: { width: 400, height: 800 } }
        const seen = yield* eachView(yield* browser(context), adminUrl, narrow, (page) =>
          Effect.all({ overflow: overflow(page), problems: problems(page) })
        )
        assert.deepStrictEqual(seen, every({ overflow: 0, problems: [] as Array<string> }))
      }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
    slow
  )
})
