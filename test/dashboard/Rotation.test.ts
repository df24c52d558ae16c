/** Webhook secrets on the built page: what is asked before one is added or retired, and who isn't asked at all. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { browser, on, see, visit } from "../Browser.ts"
import { look } from "../Looked.ts"
import * as ShownSetup from "./ShownSetup.ts"
import { StandIn } from "./StandIn.ts"

/** Milliseconds. A browser is slow while many tests run. */
const slow = 180_000

const secret = "whsec_a-secret-of-the-service"
const whole = { light: [], dark: [], narrow: [], overflow: 0 }

const opened = Effect.fnUntraced(function* (context: Parameters<typeof browser>[0]) {
  const standIn = yield* StandIn.started
  const visited = yield* visit(yield* browser(context))
  const asked = (verb: string) => standIn.asked.filter(({ name }) => name === verb).map((one) => one.payload)
  yield* on(visited.page.goto(`${standIn.address}/setup`))
  yield* see(visited.page.getByText("9aad5968"))
  return { standIn, asked, ...visited }
})

describe("webhook secrets on the page", () => {
  it.live(
    "are added and retired once it was asked in words, and none is shown again",
    (context) =>
      Effect.gen(function* () {
        const { asked, complaints, page } = yield* opened(context)
        const dialog = page.getByRole("dialog")
        yield* on(page.getByRole("button", { name: "Add a secret …" }).click())
        yield* on(dialog.getByRole("button", { name: "Add it" }).click())
        yield* see(dialog.getByText("Paste exactly one secret"))
        yield* on(dialog.getByLabel("The secret").fill(secret))
        assert.strictEqual(yield* on(dialog.getByLabel("The secret").getAttribute("type")), "password")
        assert.deepStrictEqual(yield* look(page), whole)
        assert.deepStrictEqual(asked("secret-add"), [])
        yield* on(dialog.getByRole("button", { name: "Add it" }).click())
        yield* see(page.getByText("Deliveries signed with c0ffee12 are accepted from now on."))
        assert.deepStrictEqual(asked("secret-add"), [{ secret }])
        yield* on(page.getByRole("button", { name: "Add a secret …" }).click())
        assert.strictEqual(yield* on(dialog.getByLabel("The secret").inputValue()), "")
        yield* on(dialog.getByRole("button", { name: "Back" }).click())
        assert.notInclude(yield* on(page.content()), secret)

        // One of the environment ends where it is set.
        assert.strictEqual(yield* on(page.getByRole("button", { name: /^Retire/ }).count()), 1)
        yield* on(page.getByRole("button", { name: "Retire … 9aad5968" }).click())
        assert.deepStrictEqual(yield* look(page), whole)
        yield* on(dialog.getByLabel("It stays valid for").fill("2 days"))
        yield* on(dialog.getByRole("button", { name: "Retire it" }).click())
        yield* see(page.getByText("9aad5968 ends in 2 days."))
        yield* on(page.getByRole("button", { name: "Retire … 9aad5968" }).click())
        yield* on(dialog.getByLabel("At once").check())
        yield* see(dialog.getByText("is refused from now on"))
        yield* on(dialog.getByRole("button", { name: "Retire it" }).click())
        yield* see(page.getByText("9aad5968 has ended."))
        assert.deepStrictEqual(asked("secret-retire"), [
          { fingerprint: "9aad5968", in: "2 days" },
          { fingerprint: "9aad5968" }
        ])
        assert.deepStrictEqual(complaints, [])
      }),
    slow
  )

  it.live(
    "don't lose the last one unless the reader says that every delivery may be refused",
    (context) =>
      Effect.gen(function* () {
        const { asked, page, standIn } = yield* opened(context)
        const [first] = ShownSetup.answers["secret-list"]().secrets
        standIn.answers = { ...standIn.answers, "secret-list": () => ({ secrets: [first] }) }
        yield* on(page.reload())
        yield* see(page.getByText("9aad5968"))
        assert.strictEqual(yield* on(page.getByText("7be0c411").count()), 0)
        yield* on(page.getByRole("button", { name: "Retire … 9aad5968" }).click())
        const dialog = page.getByRole("dialog")
        yield* on(dialog.getByRole("button", { name: "Retire it" }).click())
        yield* see(dialog.getByText("Add its successor first"))
        assert.deepStrictEqual(asked("secret-retire"), [])
        yield* on(dialog.getByLabel("Every delivery may be refused").check())
        yield* on(dialog.getByRole("button", { name: "Retire it" }).click())
        yield* see(page.getByText("9aad5968 ends in 24 hours."))
        assert.deepStrictEqual(asked("secret-retire"), [{ fingerprint: "9aad5968", in: "24 hours", force: true }])
      }),
    slow
  )

  it.live(
    "have no buttons for those who may not",
    (context) =>
      Effect.gen(function* () {
        const { page, standIn } = yield* opened(context)
        standIn.session = { principal: "Bo", may: ["read", "decide"] }
        yield* on(page.reload())
        yield* see(page.getByText("9aad5968"))
        assert.strictEqual(yield* on(page.getByRole("button", { name: /secret|retire/i }).count()), 0)
      }),
    slow
  )
})
