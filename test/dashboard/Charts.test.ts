/** What the charts write on their axes, in a real browser: each mark has its own value. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { browser, on, see, visit } from "../Browser.ts"
import { StandIn } from "./StandIn.ts"

/** Milliseconds. A browser is slow while many tests run. */
const slow = 60_000

declare global {
  var written: Array<string>
}

interface Context {
  fillText: (text: string, ...place: ReadonlyArray<number>) => void
}

/** In the page: keeps what is written on a canvas. */
const keepTexts = (): void => {
  globalThis.written = []
  const { prototype } = (globalThis as unknown as Record<string, { readonly prototype: Context }>)[
    "CanvasRenderingContext2D"
  ]!
  const write = prototype.fillText
  prototype.fillText = function (text, ...place) {
    globalThis.written.push(text)
    write.call(this, text, ...place)
  }
}

/** A worker that is fast: half of its payments are posted within four milliseconds. */
const fast = () => ({
  stepSeconds: 60,
  points: Array.from({ length: 4 }, (_, minute) => ({
    at: new Date(Date.now() - (5 - minute) * 60_000).toISOString(),
    deliveries: 1000,
    visibleP50Ms: 53,
    visibleP99Ms: 131,
    postedP50Ms: 3.9,
    postedP99Ms: 25,
    requests: 289,
    limit: 600
  }))
})

describe("A chart", () => {
  it.live(
    "names the marks of a logarithmic axis, also between powers of ten",
    (context) =>
      Effect.gen(function* () {
        const standIn = yield* StandIn.started
        standIn.answers = { ...standIn.answers, history: fast }
        const { page } = yield* visit(yield* browser(context), {})
        yield* on(page.addInitScript(keepTexts))
        yield* on(page.goto(standIn.address))
        yield* see(page.getByText("From received to posted"))
        yield* on(page.waitForFunction(() => globalThis.written.some((text) => text === "10 ms")))
        const texts = new Set(yield* on(page.evaluate(() => globalThis.written)))
        assert.notInclude([...texts], "0 ms")
        for (const mark of ["2 ms", "5 ms", "10 ms", "20 ms", "50 ms", "100 ms", "200 ms"]) {
          assert.include([...texts], mark)
        }
      }),
    slow
  )
})
