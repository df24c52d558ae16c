/** Reports of the books in the built page, and the tables that it offers for a statement. */
import { readFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import axe, { type AxeResults } from "axe-core"
import { Effect } from "effect"
import { foundIn, isDay, reportIn, shownOf } from "../../dashboard/Reported.ts"
import { until } from "../RunningWorker.ts"
import { browser, on, see, visit } from "../Browser.ts"
import { StandIn } from "./StandIn.ts"

/** Milliseconds. A browser is slow while many tests run. */
const slow = 180_000

const opened = Effect.fnUntraced(function* (context: Parameters<typeof browser>[0]) {
  const standIn = yield* StandIn.started
  return { standIn, ...(yield* visit(yield* browser(context), { acceptDownloads: true })) }
})

describe("A report", () => {
  it("leaves out what no row has, and the currency that stands beside each amount, but not of its file", () => {
    const report = {
      columns: ["company", "currency", "account", "debit", "added"],
      rows: [{ company: null, currency: "EUR", account: "4000", debit: "1.0000", added: "0.0000" }]
    }
    assert.deepStrictEqual(shownOf(report), ["account", "debit"])
    assert.deepStrictEqual(foundIn(report), {
      columns: [
        { name: "company", isNumber: false },
        { name: "currency", isNumber: false },
        { name: "account", isNumber: false },
        { name: "debit", isNumber: true },
        { name: "added", isNumber: true }
      ],
      rows: [[null, "EUR", "4000", "1.0000", "0.0000"]]
    })
  })

  it("is the trial balance unless the address names one that there is", () => {
    assert.deepStrictEqual(["aged", "toString", null].map(reportIn), ["aged", "trial-balance", "trial-balance"])
  })

  it("is made of a day once its year is typed to the end", () => {
    assert.deepStrictEqual(["0002-11-01", "0202-11-01", "2026-11-01", ""].map(isDay), [false, false, true, false])
  })
})

describe("The page", () => {
  it.live(
    "keeps report and day in the address, says if there is nothing, and saves what the worker wrote",
    (context) =>
      Effect.gen(function* () {
        const { complaints, page, standIn } = yield* opened(context)
        const asked = () => standIn.asked.filter(({ name }) => name === "report").map(({ payload }) => payload)
        yield* on(page.goto(`${standIn.address}/ledger/balances`))
        yield* see(page.getByTitle("-1234567.5678"))
        const download = page.waitForEvent("download")
        yield* on(page.getByRole("button", { name: "Download CSV" }).click())
        const file = yield* on(download)
        assert.strictEqual(file.suggestedFilename(), "siteledger-trial-balance.csv")
        const [head, , second] = readFileSync(yield* on(file.path()), "utf8").split("\r\n")
        assert.strictEqual(head, "company,currency,account,code,debit,credit,balance")
        assert.match(second ?? "", /,0\.0000,1234567\.5678,-1234567\.5678$/)
        yield* on(page.getByRole("link", { name: "Aged" }).click())
        yield* see(page.getByRole("link", { name: "IPC-7" }))
        yield* on(page.getByLabel("By the end of the day").fill("2026-01-01"))
        yield* see(page.getByText("Nothing was open on that day."))
        assert.strictEqual(page.url(), `${standIn.address}/ledger/balances?report=aged&day=2026-01-01`)
        assert.deepStrictEqual(asked().at(-1), { name: "aged", asOf: "2026-01-01" })
        assert.deepStrictEqual(complaints, [])
        standIn.answers = {}
        yield* on(page.goto(`${standIn.address}/ledger/balances?report=statement`))
        yield* see(page.getByText("There is no such thing here."))
      }),
    slow
  )

  it.live(
    "narrows the balances by what the address says, leads there from a statement, and lays out the first of many",
    (context) =>
      Effect.gen(function* () {
        const { complaints, page, standIn } = yield* opened(context)
        const asked = () => standIn.asked.filter(({ name }) => name === "report").map(({ payload }) => payload)
        const rows = page.getByRole("table").getByRole("row")
        yield* on(page.goto(`${standIn.address}/ledger/balances?report=statement&day=2026-11-30`))
        yield* on(page.getByRole("link", { name: "PROJ-1", exact: true }).click())
        yield* see(page.getByRole("columnheader", { name: "Brought forward" }))
        assert.deepStrictEqual(asked().at(-1), { name: "balances", asOf: "2026-11-30", project: "PROJ-1" })
        yield* on(page.getByLabel("Month", { exact: true }).fill("2026-10"))
        yield* on(page.getByLabel("Month", { exact: true }).press("Enter"))
        yield* on(page.waitForURL(/month=2026-10/))
        yield* on(page.getByLabel("Account", { exact: true }).fill("4000"))
        yield* on(page.getByLabel("Account", { exact: true }).press("Enter"))
        const wanted = { project: "PROJ-1", account: "4000", month: "2026-10" }
        const isAsked = () => isDeepStrictEqual(asked().at(-1), { name: "balances", asOf: "2026-11-30", ...wanted })
        yield* on(until("it is asked so", async () => isAsked() || undefined))
        assert.strictEqual(yield* on(rows.count()), 2)
        const [file] = yield* on(
          Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download CSV" }).click()])
        )
        assert.strictEqual(file.suggestedFilename(), "siteledger-balances-PROJ-1-4000-2026-10-2026-11-30.csv")
        yield* on(page.goto(`${standIn.address}/ledger/balances?report=balances`))
        yield* see(page.getByText("300 of 301 rows"))
        assert.strictEqual(yield* on(rows.count()), 301)
        yield* on(page.getByRole("button", { name: "Show more" }).click())
        yield* see(page.getByRole("link", { name: "PROJ-300", exact: true }))
        assert.deepStrictEqual(complaints, [])
      }),
    slow
  )

  it.live(
    "offers the tables with what their columns mean, and puts one that is chosen into the statement",
    (context) =>
      Effect.gen(function* () {
        const { complaints, page, standIn } = yield* opened(context)
        yield* on(page.goto(`${standIn.address}/sql`))
        yield* on(page.getByText("Tables and their columns").click())
        yield* on(page.getByText("columns of ipcs").click())
        yield* see(page.getByText("as the service says it."))
        yield* on(page.setViewportSize({ width: 400, height: 800 }))
        yield* on(page.evaluate(axe.source))
        const { violations } = yield* on(page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })"))
        assert.deepStrictEqual(violations, [])
        yield* on(page.getByRole("button", { name: "ipcs" }).click())
        assert.strictEqual(yield* on(page.getByLabel("Statement").inputValue()), "from construction.ipcs limit 100")
        assert.deepStrictEqual(complaints, [])
      }),
    slow
  )
})
