import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { browser, on, type Page, press, see, visit } from "../../Browser.ts"
import * as CallbackReceiver from "../CallbackReceiver.ts"
import { started } from "./Started.ts"

/** Milliseconds. A browser is slow while many tests run. */
const slow = 180_000

/** All retries within a second or so. */
const hurried = { timeScale: 100_000 }

const row = (page: Page, ...texts: ReadonlyArray<string>) =>
  texts.reduce((rows, text) => rows.filter({ hasText: text }), page.locator("tbody tr"))
const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name })
const open = (page: Page, name: string) => press(page, page.getByRole("link", { name, exact: true }).first())

/** Once it has a secret, it refuses what isn't signed with it. */
const strictReceiver = Effect.gen(function* () {
  const held = { secret: "" }
  const receiver = yield* CallbackReceiver.make((received) =>
    Effect.sync(() => (held.secret === "" || CallbackReceiver.signedWith(held.secret, received) ? 204 : 401))
  )
  return { ...receiver, held }
})

const createWebhook = Effect.fnUntraced(function* (page: Page, url: string) {
  yield* open(page, "Webhooks")
  yield* on(page.getByLabel("URL").fill(url))
  yield* press(page, button(page, "None"))
  yield* on(page.getByLabel("ipc.paid").check())
  yield* press(page, button(page, "Create webhook"))
  yield* see(page.getByRole("status").filter({ hasText: "Webhook 1 created." }))
  return yield* on(page.locator("#secret").innerText())
})

describe("In a browser", () => {
  it.live(
    "a webhook is created, receives, is paused, tested, failed on purpose, replayed and deleted",
    (context) =>
      Effect.gen(function* () {
        const receiver = yield* strictReceiver
        const { sandbox } = yield* started(hurried)
        const { complaints, page } = yield* visit(yield* browser(context), {
          permissions: ["clipboard-read", "clipboard-write"]
        })
        yield* on(page.goto(sandbox.adminUrl))
        const secret = yield* createWebhook(page, receiver.url)
        assert.strictEqual(secret, sandbox.subscriptions()[0]?.secret)
        assert.deepStrictEqual(sandbox.subscriptions()[0]?.events, ["ipc.paid"])
        yield* press(page, button(page, "Copy"))
        yield* see(button(page, "Copied"))
        assert.strictEqual(yield* on(page.evaluate("navigator.clipboard.readText()")), secret)
        // A notice stays while the page refreshes itself.
        yield* see(row(page, "webhook.ping", "delivered"))
        assert.isTrue(yield* on(page.locator("#secret").isVisible()))
        yield* on(page.reload())
        assert.strictEqual(yield* on(page.getByText(secret).count()), 0)

        receiver.held.secret = secret
        yield* press(page, button(page, "Pause"))
        yield* see(page.getByText("Paused: its deliveries wait."))
        yield* press(page, button(page, "Fire a test event"))
        yield* see(row(page, "webhook.test", "waiting").filter({ hasText: "when resumed" }))
        yield* press(page, button(page, "Resume"))
        yield* see(row(page, "webhook.test", "delivered"))

        yield* open(page, "Faults")
        const fault = page.locator("[data-key=wrong-signature]")
        yield* on(fault.getByRole("spinbutton").fill("100"))
        yield* press(page, fault.getByRole("button", { name: "Turn on" }))
        yield* see(fault.getByText("on: 100 %"))
        yield* on(page.goto(`${sandbox.adminUrl}/subscriptions/1`))
        yield* press(page, button(page, "Fire a test event"))
        yield* see(row(page, "webhook.test", "failed", "401"))
        yield* press(page, row(page, "webhook.test", "failed").getByRole("link").first())
        yield* see(page.getByText("7 of 7"))
        assert.strictEqual(yield* on(page.locator(".attempts tbody tr").filter({ hasText: "401" }).count()), 7)
        yield* see(page.getByRole("region", { name: "Body" }).filter({ hasText: "nothing has happened" }))

        yield* open(page, "Faults")
        yield* press(page, button(page, "Turn off Wrong signature"))
        yield* see(fault.getByText("off", { exact: true }))
        yield* on(page.goto(`${sandbox.adminUrl}/deliveries?state=failed`))
        yield* press(page, button(page, /^Replay delivery/))
        yield* see(page.locator(".facts").getByText("delivered"))
        const last = (yield* Queue.takeAll(receiver.inbox)).at(-1)
        assert.strictEqual(last && CallbackReceiver.eventType(last), "webhook.test")

        yield* on(page.goto(`${sandbox.adminUrl}/subscriptions/1`))
        yield* on(page.getByText("Delete", { exact: true }).click())
        yield* press(page, button(page, "Delete this webhook"))
        yield* see(page.getByText("Webhook 1 deleted."))
        assert.strictEqual(yield* on(page.locator("tbody tr").count()), 0)
        assert.strictEqual(sandbox.subscriptions()[0]?.state, "deleted")
        assert.deepStrictEqual(complaints, [])
      }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
    slow
  )

  it.live(
    "an IPC moves through its life in one row",
    (context) =>
      Effect.gen(function* () {
        const { sandbox } = yield* started()
        const paid = sandbox.events.block(0).find(({ type }) => type === "ipc.paid")
        assert.isDefined(paid)
        const { page } = yield* visit(yield* browser(context))
        yield* on(page.goto(`${sandbox.adminUrl}/records`))
        yield* see(page.getByText("None yet."))
        const followed = page.locator(`[data-key="${paid.id}"]`)
        const seen: Array<string> = []
        for (const [step, { id, status }] of sandbox.events.block(0).entries()) {
          if (id !== paid.id) continue
          yield* sandbox.emit(step + 1 - sandbox.truth().steps)
          yield* see(followed.getByText(status, { exact: true }))
          assert.strictEqual(yield* on(page.locator("tbody tr").first().getAttribute("data-key")), id)
          if (seen.length === 0)
            yield* on(followed.evaluate((element) => void Object.assign(element, { isFirst: true })))
          assert.isTrue(yield* on(followed.evaluate((element) => "isFirst" in element)))
          seen.push(status)
        }
        assert.deepStrictEqual([...new Set(seen)], ["created", "submitted", "certified", "paid"])
        const { steps } = sandbox.truth()
        const isPaid = sandbox.events
          .block(0)
          .slice(0, steps)
          .filter(({ type }) => type === "ipc.paid").length
        yield* see(page.locator(".flow li", { hasText: "paid" }).getByText(String(isPaid), { exact: true }))
      }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
    slow
  )

  it.live(
    "the page refreshes around what is being typed, and holds still under the pointer or when switched off",
    (context) =>
      Effect.gen(function* () {
        const receiver = yield* CallbackReceiver.make()
        const { sandbox, subscribe } = yield* started()
        const { page } = yield* visit(yield* browser(context))
        yield* on(page.goto(`${sandbox.adminUrl}/subscriptions`))
        yield* on(page.getByLabel("URL").pressSequentially("http://half-typ"))
        yield* subscribe(receiver.url)
        yield* see(row(page, receiver.url, "active"))
        assert.strictEqual(yield* on(page.getByLabel("URL").inputValue()), "http://half-typ")
        yield* on(page.keyboard.type("ed"))
        assert.strictEqual(yield* on(page.getByLabel("URL").inputValue()), "http://half-typed")

        yield* on(page.goto(`${sandbox.adminUrl}/deliveries`))
        yield* on(row(page, "webhook.ping").hover())
        yield* see(button(page, "Live: held"))
        yield* sandbox.emit(3)
        yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
        assert.strictEqual(yield* on(page.locator("tbody tr").count()), 1)
        yield* on(page.mouse.move(0, 0))
        yield* see(page.locator("tbody tr:nth-child(4)"))

        yield* press(page, button(page, "Live: on"))
        yield* see(button(page, "Live: off"))
        yield* on(page.reload())
        yield* see(button(page, "Live: off"))
      }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
    slow
  )

  it.live(
    "everything but the refreshing works without scripts",
    (context) =>
      Effect.gen(function* () {
        const receiver = yield* CallbackReceiver.make()
        const { sandbox } = yield* started()
        const { page } = yield* visit(yield* browser(context), { javaScriptEnabled: false })
        yield* on(page.goto(`${sandbox.adminUrl}/subscriptions`))
        yield* on(page.getByLabel("URL").fill(receiver.url))
        yield* press(page, button(page, "Create webhook"))
        assert.strictEqual(yield* on(page.locator("#secret").innerText()), sandbox.subscriptions()[0]?.secret)
        assert.isFalse(yield* on(page.locator("[data-copy]").isVisible()))
        yield* press(page, button(page, "Pause"))
        yield* see(page.getByText("Paused: its deliveries wait."))
        assert.strictEqual(sandbox.subscriptions()[0]?.state, "paused")
        yield* on(page.goto(`${sandbox.adminUrl}/faults`))
        yield* press(page, button(page, /^Turn on Outage/))
        yield* see(button(page, /^Turn off Outage/))
        assert.isAbove(sandbox.faults.value("outage"), 0)
      }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
    slow
  )
})
