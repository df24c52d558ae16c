/** The settings in force: every variable, as it was given, and no secret in any of them, wherever a person has put it. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { inForce, masked } from "../../config/InForce.ts"
import { sections, variables } from "../../config/Sections.ts"
import { temporaryFolder } from "../Folders.ts"
import { type Env, settings } from "./Reading.ts"

const read = (env: Env) =>
  Effect.provideService(inForce, ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(env))

const of = (env: Env, name: string) =>
  Effect.map(read(env), (all) => all.find((each) => each.name === name) ?? assert.fail(name))

const secrets = variables.filter(({ isSecret }) => isSecret)

const planted = (place: number): string => `planted-${place}-0123456789`

describe("the settings in force", () => {
  it.effect("are all variables in their order, with what each means and the value as it was given", () =>
    Effect.gen(function* () {
      const all = yield* read({})
      assert.deepStrictEqual(
        all.map(({ meaning, name, section }) => [section, name, meaning]),
        sections.flatMap(([section, group]) =>
          Object.values(group).map(({ meaning, name }) => [section, name, meaning])
        )
      )
      const page = "SITELEDGER_PAGE_SIZE"
      assert.deepInclude(yield* of({}, page), { state: "default", value: "1000" })
      assert.deepInclude(yield* of({ [page]: " 50 " }, page), { state: "set", value: "50" })
      assert.deepInclude(yield* of({}, "SITELEDGER_SCOPES"), { state: "not-set", value: null })
      const bad = yield* of({ [page]: "planted" }, page)
      assert.deepInclude(bad, { state: "bad", value: null, problem: "must be a positive whole number." })
      const used = yield* settings({ SITELEDGER_TIMEZONE: "Europe/London" })
      assert.deepInclude(used.inForce, {
        ...(yield* of({}, "SITELEDGER_TIMEZONE")),
        state: "set",
        value: "Europe/London"
      })
    })
  )

  it.effect("say of a secret only whether it is set, from its variable or its file", () =>
    Effect.gen(function* () {
      assert.isAbove(secrets.length, 10)
      const direct = Object.fromEntries(secrets.map(({ name }, place) => [name, planted(place)]))
      const file = join(temporaryFolder(), "secret")
      writeFileSync(file, planted(0))
      const byFile = Object.fromEntries(secrets.map(({ name }) => [`${name}_FILE`, file]))
      for (const env of [direct, byFile]) {
        const all = yield* read(env)
        assert.notInclude(JSON.stringify(all), "planted")
        assert.notInclude(JSON.stringify(all), file)
        for (const { isSecret, name, state, value } of all) {
          if (!isSecret) continue
          assert.isNull(value, name)
          assert.include(["set", "bad"], state, name)
        }
      }
      for (const { isSecret, state } of yield* read({})) if (isSecret) assert.strictEqual(state, "not-set")
    })
  )

  it.effect("hold no secret that a person has put into another variable", () =>
    Effect.gen(function* () {
      const env = { SITELEDGER_WEBHOOK_SECRET: `other-secret,${planted(1)}` }
      const url = `https://me.example.com/hooks/${planted(1)}`
      assert.deepInclude(yield* of({ ...env, SITELEDGER_WEBHOOK_URL: url }, "SITELEDGER_WEBHOOK_URL"), { value: "***" })
      for (const { isSecret, name } of variables) {
        if (isSecret) continue
        const all = yield* read({ ...env, [name]: `https://u:planted@h.example/x?key=planted#planted` })
        assert.notInclude(JSON.stringify(all), "planted", name)
      }
    })
  )

  it.each([
    ["https://h.example/v1", "https://h.example/v1"],
    ["https://u:p@h.example/v1?a=b&c=d#e", "https://***@h.example/v1?a=***&c=***#***"],
    ["postgres://u:p@a@h:5432/d?sslpassword=x", "postgres://***@h:5432/d?sslpassword=***"],
    ["https://h.example/?token", "https://h.example/?***"],
    ["a https://u@h/?k=1 b", "a https://***@h/?k=*** b"],
    ["projects.read ipcs.read", "projects.read ipcs.read"],
    ["EUR 4711=USD", "EUR 4711=USD"]
  ])("show %s as %s", (text, shown) => {
    assert.strictEqual(masked(text), shown)
  })
})
