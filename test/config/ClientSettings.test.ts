/** Who we are to the service: with a secret, with a login, or on the way to one. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { clientSettings, type Env, serviceSettings } from "./Reading.ts"

const client: Env = { SITELEDGER_AUTH_URL: "https://auth.example.com", SITELEDGER_CLIENT_ID: "desk-app" }
const worker: Env = {
  ...client,
  SITELEDGER_BASE_URL: "https://service.example.com/v1",
  SITELEDGER_WEBHOOK_URL: "https://me.example.com/hooks"
}

describe("a client secret", () => {
  it.effect("is not needed after a login; without either, one problem names both ways", () =>
    Effect.gen(function* () {
      const dataDir = mkdtempSync(join(tmpdir(), "siteledger-settings-"))
      const env = { ...worker, SITELEDGER_DATA_DIR: dataDir }
      const { problems } = yield* Effect.flip(serviceSettings(env))
      assert.strictEqual(problems.length, 1)
      assert.strictEqual(problems[0]?.variable, "SITELEDGER_CLIENT_SECRET")
      assert.match(problems[0]?.sentence ?? "", /client credentials.*`siteledger login`/)
      writeFileSync(join(dataDir, "login"), "")
      assert.isTrue(Option.isNone((yield* serviceSettings(env)).clientSecret))
      rmSync(dataDir, { recursive: true })
    })
  )
})

describe("logging in", () => {
  it.effect("requires the authorization server and the client, and nothing that only the worker needs", () =>
    Effect.gen(function* () {
      const { problems } = yield* Effect.flip(clientSettings({}))
      assert.sameMembers(
        problems.map(({ variable }) => variable),
        Object.keys(client)
      )
      const read = yield* clientSettings({ ...client, SITELEDGER_SCOPES: "ipcs.read" })
      assert.deepInclude(read, { clientId: "desk-app", clientSecret: Option.none(), scopes: ["ipcs.read"] })
    })
  )
})
