/**
 * A real browser for tests: Chromium from the devDependencies, or the one that CHROME_PATH names. If neither can be
 * started, a test that needs it is skipped, with the reason, which is also printed to stderr.
 */
import chromium from "@sparticuz/chromium"
import { Effect, Schedule, Schema, type Scope } from "effect"
import { type Browser, type BrowserContextOptions, chromium as driver, type Locator, type Page } from "playwright-core"
import type { TestContext } from "vitest"

export type { Browser, Page } from "playwright-core"

class NoBrowser extends Schema.TaggedError<NoBrowser>()("NoBrowser", { message: Schema.String }) {}

const flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions"]
const patience = 30_000

const start = Effect.tryPromise({
  try: async () => {
    const executablePath = process.env["CHROME_PATH"] ?? (await chromium.executablePath())
    return driver.launch({ executablePath, args: flags, headless: true, timeout: patience })
  },
  catch: (cause) => new NoBrowser({ message: String(cause).split("\n")[0] ?? "" })
})

/** Another process may be unpacking it at this moment. */
const launched = Effect.acquireRelease(
  Effect.retry(start, { schedule: Schedule.spaced("1 second"), times: 5 }),
  (browser) => Effect.promise(() => browser.close())
)

/** Closed with the scope. `context`: the argument of the test. */
export const browser = (context: TestContext): Effect.Effect<Browser, never, Scope.Scope> =>
  launched.pipe(
    Effect.catch(({ message }) =>
      Effect.sync(() => {
        process.stderr.write(`skipped: ${context.task.name}: no browser can be started (${message})\n`)
        return context.skip(`no browser can be started: ${message}`)
      })
    )
  )

/** A page that shares nothing with other pages. `complaints`: errors of its scripts and violations of its policy. */
export const visit = Effect.fnUntraced(function* (browser: Browser, options: BrowserContextOptions = {}) {
  const context = yield* Effect.acquireRelease(on(browser.newContext(options)), (context) => on(context.close()))
  const page = yield* on(context.newPage())
  page.setDefaultTimeout(patience)
  const complaints: Array<string> = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text())
  })
  return { page, complaints }
})

/** A page's promise as an effect. */
export const on = <A>(asked: Promise<A>): Effect.Effect<A> => Effect.promise(() => asked)

/** Waits until it is visible. */
export const see = (what: Locator): Effect.Effect<void> => on(what.first().waitFor())

/** Clicks, and then moves the pointer away, as a person does. */
export const press = (page: Page, what: Locator): Effect.Effect<void> =>
  Effect.andThen(on(what.click()), on(page.mouse.move(0, 0)))
