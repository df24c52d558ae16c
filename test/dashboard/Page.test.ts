/** The built page in a real browser, served by a stand-in worker under the strict policy. */
import { readFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { browser, on, see, visit } from "../Browser.ts"
import { look } from "../Looked.ts"
import { until } from "../RunningWorker.ts"
import { event, holdId } from "./Shown.ts"
import { exported } from "./ShownLake.ts"
import { longAgo } from "./ShownStatus.ts"
import { code, parquet, StandIn, token } from "./StandIn.ts"
import { views } from "./Views.ts"

/** Milliseconds. A browser is slow while many tests run. */
const slow = 180_000

const opened = Effect.fnUntraced(function* (context: Parameters<typeof browser>[0]) {
  const standIn = yield* StandIn.started
  return { standIn, ...(yield* visit(yield* browser(context), { acceptDownloads: true, timezoneId: "Europe/Berlin" })) }
})

describe("The page", () => {
  it.live(
    "shows each view without a complaint of axe or of the browser, in dark, in light and in 400 px",
    (context) =>
      Effect.gen(function* () {
        const { complaints, page, standIn } = yield* opened(context)
        for (const [path, text] of Object.entries(views)) {
          yield* on(page.goto(`${standIn.address}${path}`))
          yield* see(page.getByText(text))
          assert.deepStrictEqual(yield* look(page), { light: [], dark: [], narrow: [], overflow: 0 }, path)
        }
        assert.deepStrictEqual(complaints, [])
      }),
    slow
  )

  it.live(
    "takes the code out of its address at once, or a token, and shows a reader no button that acts",
    (context) =>
      Effect.gen(function* () {
        const { page, standIn } = yield* opened(context)
        standIn.session = null
        yield* on(page.goto(`${standIn.address}/ledger/holds/${holdId}#code=${code}`))
        yield* see(page.getByText("answering it needs the role"))
        assert.strictEqual(page.url(), `${standIn.address}/ledger/holds/${holdId}`)
        assert.strictEqual(yield* on(page.getByRole("button", { name: /accept|reject/i }).count()), 0)
        yield* on(page.getByRole("button", { name: "Sign out" }).click())
        yield* on(page.getByLabel("Token").fill("slp_wrong"))
        yield* on(page.getByRole("button", { name: "Sign in" }).click())
        yield* see(page.getByText("This token isn't valid."))
        yield* on(page.getByLabel("Token").fill(token))
        yield* on(page.getByRole("button", { name: "Sign in" }).click())
        yield* see(page.getByText("answering it needs the role"))
        yield* on(page.goto(`${standIn.address}/ledger/outbox`))
        yield* see(page.getByText("No such tax code."))
        assert.strictEqual(yield* on(page.getByRole("button", { name: /again/i }).count()), 0)
      }),
    slow
  )

  it.live(
    "answers a hold only once it was asked again in words",
    (context) =>
      Effect.gen(function* () {
        const { page, standIn } = yield* opened(context)
        const answered = () => standIn.asked.filter(({ name }) => name === "ledger-accept")
        yield* on(page.goto(`${standIn.address}/ledger/holds/${holdId}`))
        yield* on(page.getByLabel("Amount in EUR").fill("1,50"))
        yield* on(page.getByRole("button", { name: "Accept …" }).click())
        yield* see(page.getByText("Write the amount like 1234.50"))
        yield* see(page.getByText("Say why"))
        yield* on(page.getByLabel("Amount in EUR").fill("100"))
        yield* on(page.getByLabel("Reason").fill("certificate 12, page 3"))
        yield* on(page.getByRole("button", { name: "Accept …" }).click())
        yield* see(page.getByRole("dialog").getByText("100.00 EUR is posted in addition"))
        // What it would do is asked of the worker, and changes nothing.
        const dialog = page.getByRole("dialog")
        yield* see(dialog.getByText("Posts adjustment 100.00 EUR for IPC IPC-7 on 2026-11-20:"))
        yield* see(dialog.getByText("Open for the IPC: 100.00 EUR now, 0.00 EUR afterwards."))
        yield* see(dialog.getByRole("listitem").getByText("12.00 EUR").first())
        yield* see(dialog.getByRole("listitem").getByText("IPC-8: "))
        assert.strictEqual(yield* on(dialog.getByTitle("100.0000").count()), 2)
        assert.deepStrictEqual(standIn.asked.find(({ name }) => name === "ledger-foresee")?.payload, {
          hold: holdId,
          verdict: "accept",
          by: "Ada Lovelace",
          amount: "100"
        })
        assert.deepStrictEqual(yield* look(page), { light: [], dark: [], narrow: [], overflow: 0 })
        assert.deepStrictEqual(answered(), [])
        yield* on(page.getByRole("dialog").getByRole("button", { name: "Accept" }).click())
        yield* see(page.getByText("Your decision is recorded."))
        const payload = { hold: holdId, amount: "100", by: "Ada Lovelace", reason: "certificate 12, page 3" }
        assert.deepStrictEqual(
          answered().map((one) => one.payload),
          [payload]
        )
      }),
    slow
  )

  it.live(
    "keeps its filters in the address, and what was there when the reader goes back",
    (context) =>
      Effect.gen(function* () {
        const { page, standIn } = yield* opened(context)
        const asked = () => standIn.asked.filter(({ name }) => name === "events").map(({ payload }) => payload)
        yield* on(page.goto(`${standIn.address}/deliveries`))
        yield* on(page.getByLabel("Type").fill("ipc.paid, ipc.certified"))
        yield* on(page.getByLabel("Type").press("Enter"))
        yield* on(page.getByLabel("Alarm").selectOption("replayed"))
        yield* on(page.getByLabel("Received from").fill("2026-10-01T08:30"))
        yield* on(page.getByLabel("Outcome").selectOption("applied"))
        yield* on(page.waitForURL(/type=ipc\.paid.*outcome=applied/))
        yield* see(page.getByRole("link", { name: "2", exact: true }))
        const { searchParams } = new URL(page.url())
        assert.strictEqual(searchParams.get("from"), "2026-10-01T06:30Z")
        const chosen = { types: ["ipc.paid", "ipc.certified"], outcome: "applied", alarm: "replayed" }
        const payload = { last: 100, ...chosen, from: "2026-10-01T06:30Z" }
        yield* on(until("it is asked so", async () => isDeepStrictEqual(asked().at(-1), payload) || undefined))
        yield* on(page.getByRole("button", { name: "Show earlier ones" }).click())
        yield* see(page.getByText("ncr.created"))
        assert.deepStrictEqual(asked().at(-1), { ...payload, before: `${longAgo} 1` })
        assert.strictEqual(yield* on(page.getByRole("button", { name: "Show earlier ones" }).count()), 0)
        yield* see(page.getByRole("link", { name: "2", exact: true }))
        yield* on(page.reload())
        assert.strictEqual(yield* on(page.getByLabel("Type").inputValue()), "ipc.paid, ipc.certified")
        assert.strictEqual(yield* on(page.getByLabel("Received from").inputValue()), "2026-10-01T08:30")
        yield* on(page.getByRole("link", { name: "2", exact: true }).click())
        yield* see(page.getByText("X-Service-Event"))
        yield* on(page.goBack())
        yield* see(page.getByRole("link", { name: "2", exact: true }))
        assert.strictEqual(yield* on(page.getByLabel("Outcome").inputValue()), "applied")
      }),
    slow
  )

  it.live(
    "follows the stream while it can be seen, and keeps what it showed while that is lost",
    (context) =>
      Effect.gen(function* () {
        const { page, standIn } = yield* opened(context)
        yield* on(page.goto(`${standIn.address}/deliveries`))
        yield* see(page.getByRole("link", { name: "2", exact: true }))
        standIn.send([event(3)])
        yield* see(page.getByRole("link", { name: "3", exact: true }))
        standIn.tell("The store is away.")
        yield* see(page.getByText("The worker can't tell its status now: The store is away."))
        standIn.tell(undefined)
        yield* on(page.getByText("The store is away.").waitFor({ state: "detached" }))
        standIn.isAway = true
        yield* see(page.getByText("Reconnecting"))
        yield* see(page.getByRole("link", { name: "3", exact: true }))
        standIn.isAway = false
        yield* see(page.getByText("Live", { exact: true }))
        yield* on(page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })"))
        yield* on(page.evaluate("document.dispatchEvent(new Event('visibilitychange'))"))
        yield* on(until("the stream is closed", async () => (standIn.hasStream ? undefined : true)))
      }),
    slow
  )

  it.live(
    "reads one or some of the quarantine again, and saves it whole",
    (context) =>
      Effect.gen(function* () {
        const { complaints, page, standIn } = yield* opened(context)
        const asked = (verb: string) => standIn.asked.filter(({ name }) => name === verb).map((one) => one.payload)
        yield* on(page.goto(`${standIn.address}/quarantine`))
        yield* on(page.getByRole("button", { name: "Read again … delivery 7" }).click())
        assert.deepStrictEqual(asked("replay"), [])
        yield* on(page.getByRole("dialog").getByRole("button", { name: "Read again" }).click())
        yield* see(page.getByText("1 delivery was read again, and 1 was applied."))
        assert.deepStrictEqual(asked("replay"), [{ ids: ["7"] }])
        assert.isTrue(yield* on(page.getByRole("button", { name: "Read the chosen again …" }).isDisabled()))
        yield* on(page.getByRole("button", { name: "Choose all shown" }).click())
        yield* on(page.getByRole("checkbox", { name: "Choose delivery 7" }).uncheck())
        yield* on(page.getByRole("button", { name: "Read the chosen again …" }).click())
        yield* on(page.getByRole("dialog").getByRole("button", { name: "Read again" }).click())
        yield* on(page.getByRole("dialog").waitFor({ state: "detached" }))
        assert.deepStrictEqual(asked("replay").slice(1), [{ ids: ["9"] }])
        yield* on(page.goto(`${standIn.address}/quarantine?reason=no-key`))
        const [file] = yield* on(
          Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: "Download with bodies" }).click()
          ])
        )
        assert.strictEqual(file.suggestedFilename(), "quarantine-no-key.jsonl")
        const lines = readFileSync(yield* on(file.path()), "utf8")
          .trimEnd()
          .split("\n")
        assert.deepStrictEqual(
          lines.map((line) => JSON.parse(line) as unknown),
          exported
        )
        assert.deepStrictEqual(asked("quarantine-export"), [
          { reason: "no-key", after: 0 },
          { reason: "no-key", after: 7 }
        ])
        assert.deepStrictEqual(complaints, [])
      }),
    slow
  )

  it.live(
    "verifies an export, and shows and saves what a statement found",
    (context) =>
      Effect.gen(function* () {
        const { complaints, page, standIn } = yield* opened(context)
        const asked = (verb: string) => standIn.asked.filter(({ name }) => name === verb).map((one) => one.payload)
        yield* on(page.goto(`${standIn.address}/lake`))
        yield* on(page.getByRole("button", { name: "Verify 20261127T020000Z-1a2b" }).click())
        yield* see(page.getByText("Something differs from the manifest"))
        assert.deepStrictEqual(yield* look(page), { light: [], dark: [], narrow: [], overflow: 0 })
        yield* on(page.goto(`${standIn.address}/sql`))
        yield* on(page.getByLabel("Statement").fill("select 1"))
        yield* on(page.getByLabel("Statement").press("Control+Enter"))
        yield* see(page.getByRole("cell", { name: "1234.5000" }))
        assert.strictEqual(page.url(), `${standIn.address}/sql?q=select+1`)
        assert.deepStrictEqual(yield* look(page), { light: [], dark: [], narrow: [], overflow: 0 })
        yield* on(page.getByLabel("Statement").fill("select 2"))
        const [whole] = yield* on(
          Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: /Parquet/ }).click()])
        )
        assert.strictEqual(whole.suggestedFilename(), "siteledger.parquet")
        assert.deepStrictEqual(readFileSync(yield* on(whole.path())), parquet)
        // Of the answer that is shown, not of what is being written.
        assert.deepStrictEqual(asked("query.parquet"), [{ sql: "select 1" }])
        yield* on(page.getByLabel("Statement").press("Control+Enter"))
        yield* on(page.waitForURL(/select\+2/))
        yield* see(page.getByRole("cell", { name: "1234.5000" }))
        yield* on(page.getByRole("button", { name: /Parquet/ }).click())
        yield* see(page.getByText("The file can't be made."))
        // The browser's own word for it.
        assert.match(complaints.splice(0).join(), /status of 500/)
        yield* on(page.getByRole("button", { name: "As a chart" }).click())
        yield* see(page.getByRole("rowheader", { name: "2026-10" }))
        assert.deepStrictEqual(yield* look(page), { light: [], dark: [], narrow: [], overflow: 0 })
        assert.deepStrictEqual(complaints, [])
      }),
    slow
  )
})
