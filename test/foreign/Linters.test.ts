/** Third-party linters find no problem in the sandbox's OpenAPI documents. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import spectralCore, { type RulesetDefinition } from "@stoplight/spectral-core"
import spectralRulesets from "@stoplight/spectral-rulesets"
import { Effect } from "effect"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { execute } from "../Package/Tree.ts"

const redocly = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"))
const config = join(import.meta.dirname, "redocly.yaml")
const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }

const folder = mkdtempSync(join(tmpdir(), "siteledger-documents-"))
afterAll(() => rmSync(folder, { recursive: true }))

const documents = new Map<string, string>()

beforeAll(() =>
  Effect.gen(function* () {
    const { authUrl } = yield* Sandbox.start({ eventsPerSecond: 0, v2: true })
    for (const version of ["v1", "v2"]) {
      const answer = yield* Effect.promise(() => fetch(`${authUrl}/${version}/openapi.json`))
      const document = yield* Effect.promise(() => answer.text())
      documents.set(version, document)
      writeFileSync(join(folder, `${version}.json`), document)
    }
  }).pipe(Effect.scoped, Effect.runPromise)
)

for (const version of ["v1", "v2"]) {
  describe(`the document of ${version}`, () => {
    const text = () => documents.get(version) ?? assert.fail("there is no document")

    it("is accepted by Redocly, by its strict rules and those about words", async () => {
      const options = ["lint", "--format=json", "--config", config, `${version}.json`]
      const { stdout } = await execute(process.execPath, [redocly, ...options], folder, quiet)
      const { totals } = JSON.parse(stdout) as { readonly totals: unknown }
      assert.deepStrictEqual(totals, { errors: 0, warnings: 0, ignored: 0 })
    })

    it("is accepted by Spectral, by all but two of its rules for OpenAPI", async () => {
      const spectral = new spectralCore.Spectral()
      spectral.setRuleset({
        extends: [[spectralRulesets.oas as RulesetDefinition, "all"]],
        rules: {
          // A stand-in has no support desk to write to.
          "contact-properties": "off",
          // The tags are in the order of the interface document.
          "openapi-tags-alphabetical": "off"
        }
      })
      const problems = await spectral.run(text())
      assert.deepStrictEqual(
        problems.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`),
        []
      )
    })
  })
}
