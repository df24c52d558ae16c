/**
 * A day on the dashboard alone, in a real browser beside a real worker: an operator sees the copy proven, decides a hold, sends a
 * refused entry again, has a delivery read again once its field has an alias, closes a gap, verifies an export and asks the copy; and
 * a restart of the worker takes nothing off the page.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { browser, on, type Page, press, see, visit } from "../../Browser.ts"
import { Accounts, secret, taken } from "../../Ledger/Outbox/SinkWorld.ts"
import { mark } from "../../Marked.ts"
import { freePort, until } from "../../RunningWorker.ts"
import { World } from "../World.ts"

/** Milliseconds: two workers, one after the other, and a browser. */
const patience = 175_000

const place = Effect.acquireRelease(
  on(
    (async () => {
      const accounts = new Accounts()
      await accounts.open()
      const world = await World.open(
        { projects: 40 },
        {
          SITELEDGER_ADMIN_LISTEN: `127.0.0.1:${await freePort()}`,
          SITELEDGER_WALK_EVERY: "2 seconds",
          SITELEDGER_LEDGER_SINK_URL: accounts.url.href,
          SITELEDGER_LEDGER_SINK_SECRET: secret
        }
      )
      return { accounts, world }
    })()
  ),
  ({ accounts, world }) => on(world[Symbol.asyncDispose]().then(() => accounts.close()))
)

const certified = (id: string) => ({
  type: "ipc.certified",
  fields: { ipc_id: id, certified_amount: "12.5", certificate_url: `https://c/${id}` }
})

const paid = (id: string) => ({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })

/** In words that only an alias explains. */
const foreign = {
  type: "ipc.certified",
  body: JSON.stringify({
    event_type: "ipc.certified",
    number: "ODD",
    certified_amount: "7.5",
    certificate_url: "https://c/ODD",
    event_timestamp: "2026-11-19T10:00:00Z"
  })
}

/** As if it had been refused often enough. */
const giveUp = "update ledger_outbox set state = 'dead', refusals = 5 where last_error is not null"

const hour = 3_600_000

/** As if the receiver had last been up thirty hours ago, so that no retry of the service heals what it missed. */
const beDown = (world: World) =>
  on(
    (async () => {
      const fromMs = Date.now() - 30 * hour
      await world.store("delete from uptime")
      await world.store(`insert into uptime (from_ms, to_ms) values (${fromMs - hour}, ${fromMs})`)
    })()
  )

const confirm = (page: Page, name: string) => press(page, page.getByRole("dialog").getByRole("button", { name }))

const area = (page: Page, name: string) =>
  press(page, page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name }))

const waitUntil = (what: string, is: () => Promise<boolean>) =>
  on(until(what, async () => ((await is()) ? true : undefined)))

interface Day {
  readonly accounts: Accounts
  readonly page: Page
  readonly world: World
}

const looksBack = Effect.fnUntraced(function* ({ page }: Day) {
  yield* press(page, page.getByRole("link", { name: "projects", exact: true }))
  yield* see(page.getByRole("heading", { name: "Walks of projects" }))
  yield* see(page.getByRole("row", { name: /proven.*40.*nothing/ }).first())
  yield* on(page.reload())
  yield* see(page.getByRole("row", { name: /proven.*40.*nothing/ }).first())
})

const decides = Effect.fnUntraced(function* ({ accounts, page, world }: Day) {
  yield* on(world.server.deliver(paid("LATE")))
  yield* see(page.getByRole("link", { name: /Ledger.*1.*to decide/ }))
  yield* area(page, "Ledger")
  yield* press(page, page.getByRole("link", { name: /^Holds/ }).first())
  yield* press(page, page.getByRole("link", { name: "Paid, but no certificate is known" }))
  yield* on(page.getByLabel("Amount").first().fill("1234.50"))
  yield* on(page.getByLabel("Reason").fill("certificate on paper"))
  yield* press(page, page.getByRole("button", { name: "Accept …" }))
  yield* confirm(page, "Accept")
  yield* see(page.getByText("Your decision is recorded."))
  const [decision] = yield* on(world.store("select why, principal from ledger_hold_decisions"))
  assert.match(String(decision?.["principal"]), /^os:/)
  assert.strictEqual(decision?.["why"], "certificate on paper")
  yield* waitUntil("it has left", async () => accounts.posts.length === 1)
})

const resends = Effect.fnUntraced(function* ({ accounts, page, world }: Day) {
  accounts.answer = () => ({ status: 400, text: "no such account" })
  yield* on(world.server.deliver(certified("A")))
  yield* on(world.server.deliver(paid("A")))
  yield* waitUntil("it was refused", async () => accounts.posts.length === 2)
  yield* waitUntil("it is dead", async () => {
    await world.store(giveUp)
    const dead = await world.store("select sequence from ledger_outbox where state = 'dead'")
    return dead.length === 1
  })
  accounts.answer = () => taken
  yield* area(page, "Ledger")
  yield* press(page, page.getByRole("link", { name: /^Outbox/ }).first())
  yield* see(page.getByText("no such account"))
  yield* press(page, page.getByRole("button", { name: /^Send/ }).first())
  yield* confirm(page, "Send again")
  yield* waitUntil("it has left", async () => accounts.posts.length === 3)
  yield* see(page.getByText("The accounting system has refused nothing."))
})

const exports = Effect.fnUntraced(function* ({ page }: Day) {
  yield* area(page, "Lake")
  yield* press(page, page.getByRole("button", { name: "Export now" }))
  yield* see(page.getByText("readers see this"))
  yield* press(page, page.getByRole("button", { name: /^Verify/ }).first())
  yield* see(page.getByText("Every count and hash matches"))
  yield* area(page, "SQL")
  yield* on(page.getByLabel("Statement").fill("select count(*) as projects from construction.projects"))
  yield* press(page, page.getByRole("button", { name: "Run" }))
  yield* see(page.getByRole("cell", { name: "40", exact: true }))
})

const rotates = Effect.fnUntraced(function* ({ page, world }: Day) {
  const added = `whsec_${mark}_by-hand`
  const subscription = { ...world.server.subscriptions[0]!, secret: added }
  const deliver = () => on(world.server.deliver(certified("ROTATED"), { subscription }))
  assert.strictEqual(yield* deliver(), 401)
  yield* area(page, "Set-up")
  yield* press(page, page.getByRole("button", { name: "Add a secret …" }))
  yield* on(page.getByLabel("The secret").fill(added))
  yield* confirm(page, "Add it")
  yield* see(page.getByText("are accepted from now on."))
  assert.strictEqual(yield* deliver(), 200)
  const row = page.getByRole("row").filter({ hasText: "by hand" })
  yield* press(page, row.getByRole("button", { name: /^Retire/ }))
  yield* on(page.getByLabel("At once").check())
  yield* confirm(page, "Retire it")
  yield* see(page.getByText("has ended."))
  assert.strictEqual(yield* deliver(), 401)
})

const readsAgain = Effect.fnUntraced(function* ({ page, world }: Day) {
  yield* press(page, page.getByRole("link", { name: /Deliveries.*1.*in quarantine/ }))
  yield* on(page.goto(new URL("/quarantine", page.url()).href))
  yield* see(page.getByText("SITELEDGER_FIELD_ALIASES").first())
  yield* press(page, page.getByRole("button", { name: "Read all of them again …" }))
  yield* confirm(page, "Read again")
  yield* see(page.getByText("1 delivery was read again, and 1 was applied."))
  yield* see(page.getByText("Nothing is in quarantine"))
  const [row] = yield* on(world.store("select count(*) as n from quarantine"))
  assert.strictEqual(Number(row?.["n"]), 0)
})

const closes = Effect.fnUntraced(function* ({ page }: Day) {
  yield* area(page, "Now")
  yield* press(page, page.getByRole("button", { name: /^Close/ }).first())
  yield* confirm(page, "Close it")
  yield* see(page.getByText("Say how it was seen to"))
  yield* on(page.getByLabel("How it was seen to").fill("the service sent them again"))
  yield* confirm(page, "Close it")
  yield* see(page.getByText("None: the receiver has been up"))
})

/** What was asked of a worker that was gone is no fault of the page. */
const isOfRestart = (complaint: string): boolean => /ERR_(CONNECTION|INCOMPLETE|EMPTY)/.test(complaint)

describe("a day on the dashboard", () => {
  it.live(
    "is seen and done there, also after a restart",
    (context) =>
      Effect.gen(function* () {
        const { accounts, world } = yield* place
        const { complaints, page } = yield* visit(yield* browser(context))
        const day = { accounts, page, world }
        const worker = world.start()
        yield* on(worker.live())
        const { stdout } = yield* on(world.run("dashboard"))
        yield* on(page.goto(stdout.trim()))
        yield* see(page.getByRole("row", { name: /projects.*40/ }))
        yield* see(page.getByText("proven", { exact: true }))
        assert.notInclude(page.url(), "code")
        yield* looksBack(day)
        yield* decides(day)
        yield* resends(day)
        yield* exports(day)
        yield* rotates(day)
        assert.deepStrictEqual(complaints, [])

        yield* area(page, "Deliveries")
        yield* see(page.getByRole("row", { name: /ipc\.paid.*A/ }))
        yield* on(world.server.deliver(foreign))
        yield* see(page.getByRole("row", { name: /in quarantine/ }))
        yield* on(worker.stop())
        yield* see(page.getByText("Reconnecting"))
        yield* see(page.getByRole("row", { name: /ipc\.paid.*A/ }))
        yield* beDown(world)
        const next = world.start({ SITELEDGER_FIELD_ALIASES: world.file("aliases.json", '{"ipc_id":"number"}') })
        yield* on(next.status("it is up"))
        yield* see(page.getByText("Live", { exact: true }))
        yield* on(world.server.deliver(certified("B")))
        yield* see(page.getByRole("row", { name: /ipc\.certified.*B/ }))
        yield* readsAgain(day)
        yield* closes(day)
        assert.deepStrictEqual(
          complaints.filter((text) => !isOfRestart(text)),
          []
        )
      }).pipe(Effect.scoped),
    patience
  )
})
