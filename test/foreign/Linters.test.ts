/**
 * Third-party linters find no problem in the sandbox's OpenAPI documents; in the full one, only its deliberate parts of
 * OpenAPI 3.0.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import spectralCore, { type RulesetDefinition } from "@stoplight/spectral-core"
import spectralRulesets from "@stoplight/spectral-rulesets"
import { Effect } from "effect"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { seed } from "../Long.ts"
import { execute } from "../Package/Tree.ts"

const redocly = fileURLToPath(import.meta.resolve("@redocly/cli/bin/cli.js"))
const config = join(import.meta.dirname, "redocly.yaml")
const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }

const folder = mkdtempSync(join(tmpdir(), "siteledger-documents-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Of the full documents. */
const seeds = [1, seed]

const documents = new Map<string, string>()

const keep = Effect.fnUntraced(function* (name: string, address: string) {
  const answer = yield* Effect.promise(() => fetch(address))
  const document = yield* Effect.promise(() => answer.text())
  documents.set(name, document)
  writeFileSync(join(folder, `${name}.json`), document)
})

beforeAll(() =>
  Effect.gen(function* () {
    const { authUrl } = yield* Sandbox.start({ eventsPerSecond: 0, v2: true })
    for (const version of ["v1", "v2"]) yield* keep(version, `${authUrl}/${version}/openapi.json`)
    for (const each of seeds) {
      const { baseUrl } = yield* Sandbox.start({ eventsPerSecond: 0, openapi: "full", seed: each })
      yield* keep(`full-${each}`, `${baseUrl}/openapi.json`)
    }
  }).pipe(Effect.scoped, Effect.runPromise)
)

interface Found {
  readonly problems: ReadonlyArray<{ readonly message: string }>
}

for (const name of ["v1", "v2", ...seeds.map((each) => `full-${each}`)]) {
  describe(`the document ${name}`, () => {
    const text = () => documents.get(name) ?? assert.fail("there is no document")

    it("is accepted by Redocly, by its strict rules and those about words", async () => {
      const options = ["lint", "--format=json", "--max-problems=1000", "--config", config, `${name}.json`]
      const refused = ({ cause }: Error) => cause
      const ended = await execute(process.execPath, [redocly, ...options], folder, quiet).catch(refused)
      const { problems } = JSON.parse(String(Object(ended).stdout)) as Found
      const messages = new Set(problems.map(({ message }) => message))
      assert.deepStrictEqual(
        [...messages],
        name.startsWith("full") ? ["Property `nullable` is not expected here."] : []
      )
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
