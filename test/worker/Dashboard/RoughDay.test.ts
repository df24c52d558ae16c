/**
 * The sandbox's rough day, followed on the dashboard alone, in a real browser: deliveries come late, twice, mislabelled and wrongly
 * signed while the page shows them; then an operator does what is left for a person, and a restart of the worker takes nothing
 * off the page.
 */
import { randomUUID } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Sandbox } from "../../../sandbox/Sandbox.ts"
import * as Scenario from "../../../sandbox/Scenario.ts"
import { browser, on, see, visit } from "../../Browser.ts"
import { sign } from "../../InterfaceServer.ts"
import { Accounts, secret } from "../../Ledger/Outbox/SinkWorld.ts"
import { freePort, run } from "../../RunningWorker.ts"
import { placeOf, startedOn } from "../SandboxWorld.ts"
import * as Acts from "./Acts.ts"

const file = resolve(import.meta.dirname, "../../../sandbox/scenarios/rough-day.json")
/** 34 hours in some seconds. */
const timeScale = 28_800
/** Milliseconds: a scenario, two workers, one after the other, and a browser. */
const patience = 175_000

const accounting = Effect.acquireRelease(
  on(
    (async () => {
      const accounts = new Accounts()
      await accounts.open()
      return accounts
    })()
  ),
  (accounts) => on(accounts.close())
)

/** As the service sends it. */
const deliverBy =
  (sandbox: Sandbox): Acts.Day["deliver"] =>
  async ({ body, fields, type }, signedWith) => {
    const { secret: own, url } = sandbox.subscriptions().at(-1) ?? assert.fail("there is no subscription")
    const sent = body ?? JSON.stringify({ event_type: type, event_timestamp: "2026-11-19T10:00:00Z", ...fields })
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-service-signature": sign(signedWith ?? own, sent),
        "x-service-event-id": randomUUID(),
        "x-service-event-type": type
      },
      body: sent
    })
    return answer.status
  }

const begun = Effect.gen(function* () {
  const scenario = { ...(yield* Scenario.read(file)), timeScale }
  const sandbox = yield* Sandbox.start({ ...Scenario.options(scenario), plan: Infinity })
  const accounts = yield* accounting
  const place = yield* placeOf({ ...sandbox.options, authUrl: sandbox.authUrl, baseUrl: sandbox.baseUrl })
  const environment = {
    SITELEDGER_SCOPES: "projects.read webhooks.write",
    SITELEDGER_ADMIN_LISTEN: `127.0.0.1:${yield* on(freePort())}`,
    SITELEDGER_WALK_EVERY: "2 seconds",
    SITELEDGER_LEDGER_SINK_URL: accounts.url.href,
    SITELEDGER_LEDGER_SINK_SECRET: secret
  }
  const start = (extra: Readonly<Record<string, string>> = {}) => startedOn(place, { ...environment, ...extra })
  return { accounts, place, sandbox, scenario, start }
})

describe("the sandbox's rough day", () => {
  it.live(
    "is followed on the dashboard, and what it leaves for a person is done there",
    (context) =>
      Effect.gen(function* () {
        const { accounts, place, sandbox, scenario, start } = yield* begun
        const { complaints, page } = yield* visit(yield* browser(context))
        const worker = yield* start()
        yield* on(worker.status("it is up"))
        const day: Acts.Day = {
          accounts,
          page,
          projects: sandbox.truth().projectCount,
          store: (sql) => place.store(sql),
          deliver: deliverBy(sandbox)
        }
        const { stdout } = yield* on(run(worker.environment, "dashboard"))
        yield* on(page.goto(stdout.trim()))
        yield* Acts.area(page, "Deliveries")
        const played = yield* Effect.forkChild(Scenario.play(sandbox, scenario))
        yield* see(page.getByRole("row", { name: /ipc\.paid/ }))
        yield* see(page.getByRole("row", { name: /relabelled/ }))
        yield* see(page.getByRole("row", { name: /id-reused/ }))
        yield* Fiber.join(played)
        yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
        const settled = yield* on(worker.status("all is applied", ({ inbox }) => inbox.pending === 0))
        assert.isAbove(settled.ledger.entries, 30)
        yield* Acts.area(page, "Now")
        yield* see(page.getByRole("row", { name: new RegExp(`projects.*${day.projects}`) }))
        yield* see(page.getByText("proven", { exact: true }))
        yield* see(page.getByRole("definition").filter({ hasText: new RegExp(`^${settled.ledger.entries}$`) }))
        yield* see(page.getByText("This machine's clock is 600 s ahead of the service's"))
        yield* Acts.looksBack(day)
        yield* Acts.decides(day)
        yield* Acts.resends(day)
        yield* Acts.exports(day)
        assert.deepStrictEqual(complaints, [])

        yield* Acts.area(page, "Deliveries")
        yield* on(day.deliver(Acts.foreign))
        yield* see(page.getByRole("row", { name: /in quarantine/ }))
        yield* on(worker.stop())
        yield* see(page.getByText("Reconnecting"))
        yield* see(page.getByRole("row", { name: /in quarantine/ }))
        yield* Acts.beDown(day)
        const aliases = join(place.dataDir, "aliases.json")
        writeFileSync(aliases, '{"ipc_id":"number"}')
        const next = yield* start({ SITELEDGER_FIELD_ALIASES: aliases })
        yield* on(next.status("it is up"))
        yield* see(page.getByText("Live", { exact: true }))
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
