/**
 * The violations that axe finds on a page, and by how many pixels it scrolls sideways, in both themes and on a narrow
 * screen.
 */
import axe, { type AxeResults } from "axe-core"
import { Effect } from "effect"
import { on, type Page } from "./Browser.ts"

/** axe reports only violations in full. */
const problems = Effect.fnUntraced(function* (page: Page) {
  yield* on(page.evaluate(`if (window.axe === undefined) { ${axe.source} }`))
  const { violations } = yield* on(page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })"))
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
})

const ways = {
  dark: (page: Page) => page.emulateMedia({ colorScheme: "dark" }),
  light: (page: Page) => page.emulateMedia({ colorScheme: "light" }),
  narrow: (page: Page) => page.setViewportSize({ width: 400, height: 800 })
}

/** These ways of looking at a page differ only in style, so the page is loaded once. */
export const look = Effect.fnUntraced(function* (page: Page) {
  const seen: Record<string, ReadonlyArray<string> | number> = {}
  yield* on(page.setViewportSize({ width: 1280, height: 720 }))
  for (const [way, turn] of Object.entries(ways)) {
    yield* on(turn(page))
    seen[way] = yield* problems(page)
  }
  seen["overflow"] = yield* on(
    page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth")
  )
  return seen
})
