/**
 * A day on the dashboard alone, in a real browser beside a real worker: an operator sees the copy proven, decides a hold, sends a
 * refused entry again, and goes on after the worker was started anew.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { browser, on, press, see, visit } from "../../Browser.ts"
import { Accounts, secret, taken } from "../../Ledger/Outbox/SinkWorld.ts"
import { freePort, until } from "../../RunningWorker.ts"
import { World } from "../World.ts"

/** Milliseconds: two processes and a browser. */
const patience = 170_000

const place = Effect.acquireRelease(
  on(
    (async () => {
      const accounts = new Accounts()
      await accounts.open()
      const world = await World.open(
        { projects: 40 },
        {
          SITELEDGER_ADMIN_LISTEN: `127.0.0.1:${await freePort()}`,
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

/** As if it had been refused often enough. */
const giveUp = "update ledger_outbox set state = 'dead', refusals = 5 where last_error is not null"

describe("a day on the dashboard", () => {
  it.live(
    "is seen and done there, also after a restart",
    (context) =>
      Effect.gen(function* () {
        const { accounts, world } = yield* place
        const { complaints, page } = yield* visit(yield* browser(context))
        const worker = world.start()
        yield* on(worker.live())
        const { stdout } = yield* on(world.run("dashboard"))
        yield* on(page.goto(stdout.trim()))
        yield* see(page.getByRole("row", { name: /projects.*40/ }))
        assert.notInclude(page.url(), "code")

        // A payment whose certificate nobody has seen.
        yield* on(world.server.deliver(paid("LATE")))
        yield* see(page.getByRole("link", { name: /Ledger.*1.*to decide/ }))
        yield* press(page, page.getByRole("link", { name: /^Ledger/ }))
        yield* press(page, page.getByRole("link", { name: /^Holds/ }).first())
        yield* press(page, page.getByRole("link", { name: /LATE|certif/i }).first())
        yield* on(page.getByLabel(/^Amount/).fill("1234.50"))
        yield* on(page.getByLabel("Reason").fill("certificate on paper"))
        yield* press(page, page.getByRole("button", { name: "Accept …" }))
        yield* press(page, page.getByRole("dialog").getByRole("button", { name: "Accept" }))
        yield* see(page.getByText("Your decision is recorded."))
        const [decision] = yield* on(world.store("select decided_by, reason from ledger_hold_decisions"))
        assert.strictEqual(decision?.["reason"], "certificate on paper")
        yield* on(until("it has left", async () => (accounts.posts.length === 1 ? true : undefined)))

        accounts.answer = () => ({ status: 400, text: "no such account" })
        yield* on(world.server.deliver(certified("A")))
        yield* on(world.server.deliver(paid("A")))
        yield* on(until("it was refused", async () => (accounts.posts.length === 2 ? true : undefined)))
        yield* on(
          until("it is dead", async () => {
            await world.store(giveUp)
            return (await worker.status("it counts")).ledger.sink?.dead === 1 ? true : undefined
          })
        )
        accounts.answer = () => taken
        yield* press(page, page.getByRole("link", { name: /^Ledger/ }))
        yield* press(page, page.getByRole("link", { name: /^Outbox/ }).first())
        yield* see(page.getByText("no such account"))
        yield* press(page, page.getByRole("button", { name: /again/i }).first())
        yield* on(until("it has left", async () => (accounts.posts.length === 3 ? true : undefined)))

        yield* press(page, page.getByRole("link", { name: "Deliveries" }))
        yield* see(page.getByRole("row", { name: /ipc\.paid.*A/ }))
        yield* on(worker.stop())
        yield* see(page.getByText("Reconnecting"))
        yield* see(page.getByRole("row", { name: /ipc\.paid.*A/ }))
        const next = world.start()
        yield* on(next.live())
        yield* see(page.getByText("Live", { exact: true }))
        yield* on(world.server.deliver(certified("B")))
        yield* see(page.getByRole("row", { name: /ipc\.certified.*B/ }))
        // What was asked of a worker that was gone is no fault of the page.
        assert.deepStrictEqual(
          complaints.filter((text) => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE/.test(text)),
          []
        )
      }).pipe(Effect.scoped),
    patience
  )
})
