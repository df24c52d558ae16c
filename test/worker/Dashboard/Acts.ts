/**
 * What an operator does in a day on the dashboard: look back on walks, decide a hold, send a refused entry again, verify an export,
 * rotate a secret, have a delivery read again, close a gap. Whoever plays the service delivers.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { on, type Page, press, see } from "../../Browser.ts"
import { type Accounts, taken } from "../../Ledger/Outbox/SinkWorld.ts"
import { mark } from "../../Marked.ts"
import { until } from "../../RunningWorker.ts"
import type { Rows } from "../Place.ts"

/** What the service tells: as fields, or as the bytes of a body. */
export interface Told {
  readonly type: string
  readonly fields?: Readonly<Record<string, unknown>>
  readonly body?: string
}

export const certified = (id: string) => ({
  type: "ipc.certified",
  fields: { ipc_id: id, certified_amount: "12.5", certificate_url: `https://c/${id}` }
})

const paid = (id: string) => ({ type: "ipc.paid", fields: { ipc_id: id, payment_reference: `PAY-${id}` } })

/** In words that only an alias explains. */
export const foreign = {
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
export const beDown = ({ store }: Pick<Day, "store">) =>
  on(
    (async () => {
      const fromMs = Date.now() - 30 * hour
      await store("delete from uptime")
      await store(`insert into uptime (from_ms, to_ms) values (${fromMs - hour}, ${fromMs})`)
    })()
  )

const confirm = (page: Page, name: string) => press(page, page.getByRole("dialog").getByRole("button", { name }))

export const area = (page: Page, name: string) =>
  press(page, page.getByRole("navigation", { name: "Areas" }).getByRole("link", { name }))

const waitUntil = (what: string, is: () => Promise<boolean>) =>
  on(until(what, async () => ((await is()) ? true : undefined)))

export interface Day {
  readonly accounts: Accounts
  readonly page: Page
  /** What the store has; numbers as numbers. */
  readonly store: (sql: string) => Promise<Rows>
  /** Signed by the subscription, or with this secret; the status that is answered. */
  readonly deliver: (event: Told, secret?: string) => Promise<number>
  readonly projects: number
}

export const looksBack = Effect.fnUntraced(function* ({ page, projects }: Day) {
  yield* press(page, page.getByRole("link", { name: "projects", exact: true }))
  yield* see(page.getByRole("heading", { name: "Walks of projects" }))
  yield* see(page.getByRole("row", { name: new RegExp(`proven.*${projects}.*nothing`) }).first())
  yield* on(page.reload())
  yield* see(page.getByRole("row", { name: new RegExp(`proven.*${projects}.*nothing`) }).first())
})

export const decides = Effect.fnUntraced(function* ({ accounts, deliver, page, store }: Day) {
  const sent = accounts.posts.length
  yield* on(deliver(paid("LATE")))
  yield* see(page.getByRole("link", { name: /Ledger.*1.*to decide/ }))
  yield* area(page, "Ledger")
  yield* press(page, page.getByRole("link", { name: /^Holds/ }).first())
  yield* press(page, page.getByRole("link", { name: "Paid, but no certificate is known" }))
  yield* on(page.getByLabel("Amount").first().fill("1234.50"))
  yield* on(page.getByLabel("Reason").fill("certificate on paper"))
  yield* press(page, page.getByRole("button", { name: "Accept …" }))
  yield* confirm(page, "Accept")
  yield* see(page.getByText("Your decision is recorded."))
  const [decision] = yield* on(store("select why, principal from ledger_hold_decisions where ipc_id = 'LATE'"))
  assert.match(String(decision?.["principal"]), /^os:/)
  assert.strictEqual(decision?.["why"], "certificate on paper")
  yield* waitUntil("it has left", async () => accounts.posts.length > sent)
})

export const resends = Effect.fnUntraced(function* ({ accounts, deliver, page, store }: Day) {
  const sent = accounts.posts.length
  accounts.answer = () => ({ status: 400, text: "no such account" })
  yield* on(deliver(certified("A")))
  yield* on(deliver(paid("A")))
  yield* waitUntil("it was refused", async () => accounts.posts.length > sent)
  yield* waitUntil("it is dead", async () => {
    await store(giveUp)
    const dead = await store("select sequence from ledger_outbox where state = 'dead'")
    return dead.length === 1
  })
  const refused = accounts.posts.length
  accounts.answer = () => taken
  yield* area(page, "Ledger")
  yield* press(page, page.getByRole("link", { name: /^Outbox/ }).first())
  yield* see(page.getByText("no such account"))
  yield* press(page, page.getByRole("button", { name: /^Send/ }).first())
  yield* confirm(page, "Send again")
  yield* waitUntil("it has left", async () => accounts.posts.length > refused)
  yield* see(page.getByText("The accounting system has refused no entry."))
})

export const exports = Effect.fnUntraced(function* ({ page, projects }: Day) {
  yield* area(page, "Lake")
  yield* press(page, page.getByRole("button", { name: "Export now" }))
  yield* see(page.getByText("readers see this"))
  yield* press(page, page.getByRole("button", { name: /^Verify/ }).first())
  yield* see(page.getByText("Every count and hash matches"))
  yield* area(page, "SQL")
  yield* on(page.getByLabel("Statement").fill("select count(*) as projects from construction.projects"))
  yield* press(page, page.getByRole("button", { name: "Run" }))
  yield* see(page.getByRole("cell", { name: String(projects), exact: true }))
})

export const rotates = Effect.fnUntraced(function* ({ deliver, page }: Day) {
  const added = `whsec_${mark}_by-hand`
  const attempt = () => on(deliver(certified("ROTATED"), added))
  assert.strictEqual(yield* attempt(), 401)
  yield* area(page, "Set-up")
  yield* press(page, page.getByRole("button", { name: "Add a secret …" }))
  yield* on(page.getByLabel("The secret").fill(added))
  yield* confirm(page, "Add it")
  yield* see(page.getByText("are accepted from now on."))
  assert.strictEqual(yield* attempt(), 200)
  const row = page.getByRole("row").filter({ hasText: "by hand" })
  yield* press(page, row.getByRole("button", { name: /^Retire/ }))
  yield* on(page.getByLabel("At once").check())
  yield* confirm(page, "Retire it")
  yield* see(page.getByText("has ended."))
  assert.strictEqual(yield* attempt(), 401)
})

export const readsAgain = Effect.fnUntraced(function* ({ page, store }: Day) {
  yield* press(page, page.getByRole("link", { name: /Deliveries.*1.*in quarantine/ }))
  yield* on(page.goto(new URL("/quarantine", page.url()).href))
  yield* see(page.getByText("SITELEDGER_FIELD_ALIASES").first())
  yield* press(page, page.getByRole("button", { name: "Read all of them again …" }))
  yield* confirm(page, "Read again")
  yield* see(page.getByText("1 delivery was read again, and 1 was applied."))
  yield* see(page.getByText("Nothing is in quarantine"))
  const [row] = yield* on(store("select count(*) as n from quarantine"))
  assert.strictEqual(Number(row?.["n"]), 0)
})

export const closes = Effect.fnUntraced(function* ({ page }: Day) {
  yield* area(page, "Now")
  yield* press(page, page.getByRole("button", { name: /^Close/ }).first())
  yield* confirm(page, "Close it")
  yield* see(page.getByText("Say how it was dealt with"))
  yield* on(page.getByLabel("How it was dealt with").fill("the service sent them again"))
  yield* confirm(page, "Close it")
  yield* see(page.getByText("None: the receiver has been up"))
})

/** What was asked of a worker that was gone is no fault of the page. */
export const isOfRestart = (complaint: string): boolean => /ERR_(CONNECTION|INCOMPLETE|EMPTY)/.test(complaint)
