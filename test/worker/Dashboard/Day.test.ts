/**
 * A day on the dashboard alone, in a real browser beside a real worker: an operator sees the copy proven, decides a hold, sends a
 * refused entry again, has a delivery read again once its field has an alias, closes a gap, verifies an export and asks the copy; and
 * a restart of the worker takes nothing off the page.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { browser, on, see, visit } from "../../Browser.ts"
import { Accounts, secret } from "../../Ledger/Outbox/SinkWorld.ts"
import { freePort } from "../../RunningWorker.ts"
import { World } from "../World.ts"
import * as Acts from "./Acts.ts"

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

describe("a day on the dashboard", () => {
  it.live(
    "is seen and done there, also after a restart",
    (context) =>
      Effect.gen(function* () {
        const { accounts, world } = yield* place
        const { complaints, page } = yield* visit(yield* browser(context))
        const day: Acts.Day = {
          accounts,
          page,
          projects: 40,
          store: (sql) => world.store(sql),
          deliver: (event, signedWith) => {
            const [subscription] = world.server.subscriptions
            if (subscription === undefined) return Promise.resolve(0)
            return world.server.deliver(event, {
              subscription: { ...subscription, secret: signedWith ?? subscription.secret }
            })
          }
        }
        const worker = world.start()
        yield* on(worker.live())
        const { stdout } = yield* on(world.run("dashboard"))
        yield* on(page.goto(stdout.trim()))
        yield* see(page.getByRole("row", { name: /projects.*40/ }))
        yield* see(page.getByText("proven", { exact: true }))
        assert.notInclude(page.url(), "code")
        yield* Acts.looksBack(day)
        yield* Acts.decides(day)
        yield* Acts.resends(day)
        yield* Acts.exports(day)
        yield* Acts.rotates(day)
        assert.deepStrictEqual(complaints, [])

        yield* Acts.area(page, "Deliveries")
        yield* see(page.getByRole("row", { name: /ipc\.paid.*A/ }))
        yield* on(day.deliver(Acts.foreign))
        yield* see(page.getByRole("row", { name: /in quarantine/ }))
        yield* on(worker.stop())
        yield* see(page.getByText("Reconnecting"))
        yield* see(page.getByRole("row", { name: /ipc\.paid.*A/ }))
        yield* Acts.beDown(day)
        const next = world.start({ SITELEDGER_FIELD_ALIASES: world.file("aliases.json", '{"ipc_id":"number"}') })
        yield* on(next.status("it is up"))
        yield* see(page.getByText("Live", { exact: true }))
        yield* on(day.deliver(Acts.certified("B")))
        yield* see(page.getByRole("row", { name: /ipc\.certified.*B/ }))
        yield* Acts.readsAgain(day)
        yield* Acts.closes(day)
        assert.deepStrictEqual(
          complaints.filter((text) => !Acts.isOfRestart(text)),
          []
        )
      }).pipe(Effect.scoped),
    patience
  )
})
