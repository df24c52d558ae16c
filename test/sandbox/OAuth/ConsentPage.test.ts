/**
 * The login page in a real browser. Only a browser shows whether the page's own policy lets its form through to the
 * client, and whether the page is accessible.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { TestContext } from "vitest"
import { browser, visit } from "../../Browser.ts"
import { administrator, authorizationRequest, redirectUri, start } from "./Login.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const opened = Effect.fnUntraced(function* (
  context: TestContext,
  target: string,
  colorScheme: "light" | "dark" = "light"
) {
  const { page } = yield* visit(yield* browser(context), { colorScheme })
  const { sandbox } = yield* start()
  const query = new URLSearchParams({ ...authorizationRequest, redirect_uri: target })
  yield* Effect.promise(() => page.goto(`${sandbox.authUrl}/oauth/authorize?${query.toString()}`))
  return page
})

/** Where the browser goes once the form is answered; no server needs to listen there. */
const wentTo = async (page: Page, target: string, answer: () => Promise<void>): Promise<string> => {
  const request = page.waitForRequest((request) => request.url().startsWith(target))
  await answer()
  return (await request).url()
}

const fill = async (page: Page, password: string) => {
  await page.getByLabel("User name").fill(administrator.username)
  await page.getByLabel("Password").fill(password)
}

const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe)
  return page.evaluate("axe.run().then(({ violations }) => violations.map(({ id, help }) => `${id}: ${help}`))")
}

describe("The login page in a browser", () => {
  it.live.each([redirectUri, "http://[::1]:49152/callback"])("leads to %s with a code", (target, context) =>
    Effect.gen(function* () {
      const page = yield* opened(context, target)
      const enter = async () => {
        await fill(page, administrator.password)
        await page.keyboard.press("Enter")
      }
      const url = yield* Effect.promise(() => wentTo(page, target, enter))
      assert.isTrue(url.startsWith(`${target}?code=`), url)
    })
  )

  it.live("can be denied without filling anything in", (context) =>
    Effect.gen(function* () {
      const page = yield* opened(context, redirectUri)
      const deny = () => page.getByRole("button", { name: "Deny" }).click({ noWaitAfter: true })
      const url = yield* Effect.promise(() => wentTo(page, redirectUri, deny))
      assert.isTrue(url.startsWith(`${redirectUri}?error=access_denied&`), url)
    })
  )

  it.live.each(["light", "dark"] as const)("passes axe, in %s", (colorScheme, context) =>
    Effect.gen(function* () {
      const page = yield* opened(context, redirectUri, colorScheme)
      const found = yield* Effect.promise(async () => {
        const first = await violations(page)
        await fill(page, "guess")
        await page.getByRole("button", { name: "Allow" }).click()
        await page.getByRole("alert").waitFor()
        return [...first, ...(await violations(page))]
      })
      assert.deepStrictEqual(found, [])
    })
  )
})

describe("The page of a device's code in a browser", () => {
  it.live.each(["light", "dark"] as const)(
    "leads from the code to the consent, and passes axe, in %s",
    (scheme, context) =>
      Effect.gen(function* () {
        const { page } = yield* visit(yield* browser(context), { colorScheme: scheme })
        const { post, sandbox } = yield* start()
        const begun = yield* post("/oauth/device_authorization", { client_id: "sandbox-app" })
        const { user_code: code } = (yield* begun.json) as { readonly user_code: string }
        yield* Effect.promise(async () => {
          const found: Array<string> = []
          const enter = async (text: string) => {
            found.push(...(await violations(page)))
            await page.getByLabel("Code that the device shows").fill(text)
            await page.keyboard.press("Enter")
          }
          await page.goto(`${sandbox.authUrl}/oauth/device`)
          await enter("BBBB-BBBB")
          await page.getByRole("alert").waitFor()
          await enter(code.toLowerCase())
          await page.getByText(code).waitFor()
          found.push(...(await violations(page)))
          await fill(page, administrator.password)
          await page.getByRole("button", { name: "Allow" }).click()
          await page.getByRole("heading", { name: "The device has access" }).waitFor()
          found.push(...(await violations(page)))
          assert.deepStrictEqual(found, [])
        })
      })
  )
})
