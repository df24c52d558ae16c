/** The walks of the past on the page: more of them as long as there are more, and where the rest is. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { browser, on, see, visit } from "../Browser.ts"
import { StandIn } from "./StandIn.ts"

/** Milliseconds. A browser is slow while many tests run. */
const slow = 60_000

describe("The walks of all lists", () => {
  it.live(
    "are shown up to the newest 500, and then it says where those before are",
    (context) =>
      Effect.gen(function* () {
        const standIn = yield* StandIn.started
        const { page } = yield* visit(yield* browser(context), {})
        yield* on(page.goto(`${standIn.address}/walks`))
        const asked = () => standIn.asked.filter(({ name }) => name === "walks").map(({ payload }) => payload)
        for (const last of [50, 150, 450]) {
          yield* on(page.getByRole("button", { name: "Show more" }).click())
          assert.deepInclude(asked(), { last })
        }
        yield* see(page.getByText("These are the newest 500: a list's own page has older ones."))
        assert.deepStrictEqual(asked().at(-1), { last: 500 })
        assert.strictEqual(yield* on(page.getByRole("button", { name: "Show more" }).count()), 0)
      }),
    slow
  )
})
