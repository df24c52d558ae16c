/**
 * The pictures of docs/dashboard.md: each that it shows is there, and no other. They are made of a stand-in worker on a fixed day;
 * after a change of a view: UPDATE_DOCS=1 npx vitest run test/dashboard/Pictures.test.ts
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"
import { browser, on, type Page, see, visit } from "../Browser.ts"
import { root } from "../Tidy/Sources.ts"
import { answers, sql } from "./Pictured/Asked.ts"
import { events, newest, now } from "./Pictured/Day.ts"
import { holdId, ipc } from "./Pictured/Held.ts"
import { status } from "./Pictured/Now.ts"
import { smaller } from "./Pictured/Png.ts"
import { StandIn } from "./StandIn.ts"

const folder = join(root, "docs/pictures")
const mostBytes = 60_000
/** Milliseconds. */
const slow = 180_000

interface Picture {
  readonly path: string
  /** A text that its answer brings. */
  readonly text: string
  /** On another afternoon: something is wrong. */
  readonly status?: StatusReport
  readonly act?: (page: Page) => Promise<void>
}

const run = (page: Page): Promise<void> => page.getByRole("button", { name: "Run" }).click()

const refused: StatusReport = {
  ...status,
  ledger: { ...status.ledger, sink: { backlog: 3, dead: 2, oldestPendingAgeMs: 4_260_000 } }
}

const pictures: Readonly<Record<string, Picture>> = {
  now: { path: "/", text: "Requests per minute" },
  deliveries: { path: "/deliveries", text: "IPC-2304" },
  delivery: { path: `/deliveries/${newest}`, text: "Treasury" },
  quarantine: { path: "/quarantine", text: "amount-does-not-fit" },
  records: { path: "/records/ipcs", text: "IPC-2281" },
  record: { path: `/records/ipcs/${ipc}`, text: "ipc.submitted" },
  entries: { path: "/ledger", text: "IPC-2262" },
  holds: { path: "/ledger/holds", text: "IPC-2107" },
  outbox: { path: "/ledger/outbox", text: "GB20", status: refused },
  setup: { path: "/setup", text: "9aad5968" },
  hold: { path: `/ledger/holds/${holdId}`, text: "Your answer" },
  ipc: { path: `/ipcs/${ipc}`, text: "What happened" },
  balances: { path: "/ledger/balances?day=2026-10-31", text: "construction-in-progress" },
  lake: { path: "/lake", text: "readers see this" },
  sql: { path: `/sql?q=${encodeURIComponent(sql)}`, text: "340122918.6000", act: run }
}

const shown = (document: string): ReadonlyArray<string> =>
  [...readFileSync(join(root, document), "utf8").matchAll(/\((?:docs\/)?pictures\/([^)]+)\)/g)].map(
    ([, name]) => name ?? ""
  )

const take = Effect.fnUntraced(function* (page: Page, address: string, name: string, picture: Picture) {
  yield* on(page.goto(`${address}${picture.path}`))
  yield* on(picture.act?.(page) ?? Promise.resolve())
  yield* see(page.getByText(picture.text))
  yield* see(page.getByText("Live", { exact: true }))
  yield* on(page.mouse.move(0, 0))
  const png = yield* on(page.screenshot({ animations: "disabled", caret: "hide" }))
  writeFileSync(join(folder, `${name}.png`), smaller(png))
})

const make = Effect.fnUntraced(function* (context: Parameters<typeof browser>[0]) {
  const standIn = yield* StandIn.started
  Object.assign(standIn, { answers, events, status })
  const { complaints, page } = yield* visit(yield* browser(context), {
    viewport: { width: 1280, height: 800 },
    colorScheme: "light",
    timezoneId: "UTC"
  })
  yield* on(page.clock.setFixedTime(now))
  // A statement takes as long in every picture.
  yield* on(page.addInitScript("let ms = 0; performance.now = () => (ms += 38)"))
  for (const [name, picture] of Object.entries(pictures)) {
    standIn.status = picture.status ?? status
    yield* take(page, standIn.address, name, picture)
  }
  assert.deepStrictEqual(complaints, [])
})

describe("The pictures of the dashboard", () => {
  it.live(
    "are those that docs/dashboard.md shows, and README.md no other, each of at most 60 kB",
    (context) =>
      Effect.gen(function* () {
        if (process.env["UPDATE_DOCS"] !== undefined) yield* make(context)
        const there = readdirSync(folder).toSorted()
        assert.deepStrictEqual(there, [...new Set(shown("docs/dashboard.md"))].toSorted())
        assert.deepStrictEqual(
          there,
          Object.keys(pictures)
            .map((name) => `${name}.png`)
            .toSorted()
        )
        assert.deepStrictEqual(
          shown("README.md").filter((name) => !there.includes(name)),
          []
        )
        assert.deepStrictEqual(
          there.filter((name) => statSync(join(folder, name)).size > mostBytes),
          []
        )
      }),
    slow
  )
})
