/** The reference page has everything that the document has, and is accessible without a mouse. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { browser, visit } from "../Browser.ts"
import { operations, started } from "./Described.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

describe("The reference page", () => {
  it.effect("has every endpoint at its anchor, every schema, and loads nothing", () =>
    Effect.gen(function* () {
      const { document, http, sandbox } = yield* started()
      const answer = yield* http.get(`${sandbox.baseUrl}/docs`)
      assert.match(answer.headers["content-type"] ?? "", /^text\/html/)
      const page = yield* answer.text
      for (const { base, method, operation, path } of operations(document)) {
        const [, article = ""] = page.split(`<article id="${operation.operationId}"`)
        const own = article.slice(0, article.indexOf("</article>"))
        assert.include(own, `<strong>${method}</strong> <code>${base.replace(/\/$/, "")}${path}</code>`)
        assert.include(page, `<a href="#${operation.operationId}">`)
      }
      for (const name of Object.keys(document.components.schemas)) assert.include(page, `id="schema-${name}"`)
      const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target)
      for (const target of targets) assert.include(page, `id="${target}"`)
      assert.notMatch(page, /<script|\bsrc=|url\(|@import/)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("is accessible, by keyboard, in light and dark, on a wide and a narrow screen", (context) =>
    Effect.gen(function* () {
      const { sandbox } = yield* started()
      const chromium = yield* browser(context)
      for (const [colorScheme, width] of [
        ["light", 1200],
        ["dark", 390]
      ] as const) {
        const { complaints, page } = yield* visit(chromium, { colorScheme, viewport: { width, height: 900 } })
        yield* Effect.promise(() => page.goto(`${sandbox.baseUrl}/docs`))
        yield* Effect.promise(() => page.keyboard.press("Tab"))
        yield* Effect.promise(() => page.keyboard.press("Enter"))
        yield* Effect.promise(() => page.waitForURL(/#reference$/)) // The first link skips the navigation.
        const isDark = "getComputedStyle(document.body).backgroundColor === 'rgb(13, 17, 23)'"
        assert.strictEqual(yield* Effect.promise(() => page.evaluate<boolean>(isDark)), colorScheme === "dark")
        const overflow = "document.documentElement.scrollWidth - innerWidth"
        assert.isAtMost(yield* Effect.promise(() => page.evaluate<number>(overflow)), 0)
        assert.deepStrictEqual(complaints, [])
        yield* Effect.promise(() => page.evaluate(axe))
        const violations = "axe.run().then(({ violations }) => violations.map(({ id, help }) => `${id}: ${help}`))"
        assert.deepStrictEqual(yield* Effect.promise(() => page.evaluate(violations)), [])
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici), Effect.scoped)
  )
})
