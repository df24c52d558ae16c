/**
 * Mistakes of a person or the service, at the start and later: configuration, tokens, addresses. The worker says what to
 * check, and keeps doing all that it still can.
 */
import { join } from "node:path"
import { writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { sign, startInterfaceServer } from "../InterfaceServer.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { freePort, run } from "../RunningWorker.ts"
import { World } from "./World.ts"

const path = process.env["PATH"] ?? ""

/** Bad values, each with a word that no message may repeat. */
const bad: Readonly<Record<string, string>> = {
  SITELEDGER_BASE_URL: "ftp://hush-1.example/v1",
  SITELEDGER_AUTH_URL: "https://user:hush-2@auth.example",
  SITELEDGER_REQUESTS_PER_MINUTE: "hush-3",
  SITELEDGER_WALK_EVERY: "hush-4 hours",
  SITELEDGER_PAGE_SIZE: "-1",
  SITELEDGER_PAGE_PARAM: "hush 5",
  SITELEDGER_WEBHOOK_URL: "/hush-6",
  SITELEDGER_WEBHOOK_SECRET: "hush-77,tiny",
  SITELEDGER_WEBHOOK_LISTEN: "hush-8",
  SITELEDGER_WEBHOOK_MAX_BYTES: "4 MiB hush-9",
  SITELEDGER_TRUST_TYPE_HEADER: "hush-10",
  SITELEDGER_FIELD_ALIASES: "no-such-file-hush-11.json",
  SITELEDGER_ENVELOPE: "no-such-file-hush-18.json",
  SITELEDGER_ADMIN_TOKEN: "hush 12",
  SITELEDGER_WAREHOUSE: "mysql://hush-13@db/x",
  SITELEDGER_LAKE: "s3://key:hush-14@bucket/x",
  SITELEDGER_EXPORT_CRON: "61 hush-15 * * *",
  SITELEDGER_TIMEZONE: "Hush/Sixteen",
  LOG_LEVEL: "hush-17"
}

describe("configuration", () => {
  it("is refused in one message that names every bad variable and no value, with exit code 2", async () => {
    const folder = temporaryFolder()
    const wrong = await run({ PATH: path, SITELEDGER_DATA_DIR: folder, ...bad }, "start")
    assert.strictEqual(wrong.code, 2, wrong.stderr)
    assert.strictEqual(wrong.stdout, "")
    for (const name of [...Object.keys(bad), "SITELEDGER_CLIENT_ID", "SITELEDGER_CLIENT_SECRET"]) {
      assert.strictEqual(wrong.stderr.match(new RegExp(`^\\s*${name} `, "gm"))?.length, 1, `${name}: ${wrong.stderr}`)
    }
    assert.notMatch(wrong.stderr, /hush|tiny/i)
    removeFolder(folder)
  })

  it("that is missing is named, including a secret's empty file", async () => {
    const folder = temporaryFolder()
    const empty = join(folder, "secret")
    writeFileSync(empty, "\n")
    const nothing = await run(
      { PATH: path, SITELEDGER_DATA_DIR: folder, SITELEDGER_CLIENT_SECRET_FILE: empty },
      "start"
    )
    assert.strictEqual(nothing.code, 2)
    const names = ["BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET_FILE", "WEBHOOK_URL"]
    for (const name of names) assert.include(nothing.stderr, `SITELEDGER_${name}`)
    removeFolder(folder)
  })
})

describe("a refused token", () => {
  it("ends the start with exit code 1 and the variables to check", async () => {
    await using world = await World.open({ projects: 3 }, { SITELEDGER_CLIENT_SECRET: "the-wrong-hush-secret" })
    const refused = await world.run("start")
    assert.strictEqual(refused.code, 1, refused.stderr)
    assert.include(refused.stderr, "SITELEDGER_CLIENT_ID")
    assert.include(refused.stderr, "SITELEDGER_CLIENT_SECRET")
    assert.notInclude(refused.stderr, "hush")
    assert.deepStrictEqual(world.server.subscriptions, [])
  })

  it("later on pauses the walks, is shown, stops no delivery, and ends when tokens are granted again", async () => {
    await using world = await World.open({ projects: 30 }, { SITELEDGER_WALK_EVERY: "300 millis" })
    const { server } = world
    const worker = world.start()
    await worker.live()
    server.settings.refuseTokens = { status: 401, error: "invalid_client" }
    server.revokeTokens()
    const degraded = await worker.status("degraded", ({ phase }) => phase === "degraded")
    assert.match(degraded.reasons.join(), /SITELEDGER_CLIENT_ID and SITELEDGER_CLIENT_SECRET/)
    assert.strictEqual(await server.deliver({ type: "ipc.paid" }), 200)
    await worker.status("applied", ({ events, inbox }) => inbox.pending === 0 && (events["applied"] ?? 0) >= 2)
    assert.strictEqual((await worker.fetch("/health/ready"))?.status, 200)
    server.settings.refuseTokens = null
    const passes = world.pagesAsked().get(1) ?? 0
    await worker.live()
    await worker.status("it walks again", () => (world.pagesAsked().get(1) ?? 0) > passes)
    assert.strictEqual((await worker.stop()).code, 0)
  })

  it("of an unsuitable scope is named", async () => {
    await using world = await World.open({ projects: 3, requiredScope: "projects.everything" })
    const worker = world.start()
    const degraded = await worker.status("degraded", ({ phase }) => phase === "degraded")
    assert.match(degraded.reasons.join(), /SITELEDGER_SCOPES/)
  })
})

describe("an unreachable service", () => {
  it("is waited for, and meanwhile deliveries are accepted", async () => {
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const secret = "a secret made by hand"
    await using world = await World.open(
      {},
      {
        SITELEDGER_BASE_URL: `${origin}/api/v1`,
        SITELEDGER_AUTH_URL: `${origin}/identity`,
        SITELEDGER_WEBHOOK_SECRET: secret
      }
    )
    const worker = world.start()
    const degraded = await worker.status("degraded", ({ phase }) => phase === "degraded")
    assert.match(degraded.reasons.join(), /SITELEDGER_AUTH_URL|SITELEDGER_BASE_URL/)
    const body = world.server.eventBody("ipc.paid")
    const headers = { "x-service-signature": sign(secret, body), "x-service-event-type": "ipc.paid" }
    const answer = await fetch(world.environment["SITELEDGER_WEBHOOK_URL"] ?? "", { method: "POST", headers, body })
    assert.strictEqual(answer.status, 200)
    await using late = await startInterfaceServer({ port, projects: 70 })
    const live = await worker.live()
    assert.strictEqual(live.backfill["projects"]?.rows, late.projects.length)
    assert.deepStrictEqual(late.subscriptions, [])
    assert.strictEqual((await worker.stop()).code, 0)
    assert.deepStrictEqual(await world.query("select payment_reference from construction.ipcs"), [
      { payment_reference: "PAY-2026-0501" }
    ])
  })
})
