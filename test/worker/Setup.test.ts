/**
 * A worker's setup, seen through the worker: its settings without any secret, and what `siteledger doctor` finds where
 * it runs.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Answer } from "../../src/Operate/AdminApi.ts"
import { World } from "./World.ts"

type Settings = Answer<"settings">
type Findings = Answer<"doctor">

const planted = {
  SITELEDGER_ALERT_URL: "http://127.0.0.1:9/planted-alert?key=planted-key",
  SITELEDGER_WEBHOOK_SECRET: "planted-webhook-1,planted-webhook-2",
  SITELEDGER_LEDGER_SINK_SECRET: "planted-sink-secret",
  SITELEDGER_LEDGER_SINK_URL: "http://127.0.0.1:9/entries?token=planted-token",
  OTEL_EXPORTER_OTLP_HEADERS: "api-key=planted-header"
}

const without = async (world: World, extra: Readonly<Record<string, string>>) =>
  JSON.parse((await world.runWith(extra, "settings", "--json")).stdout) as Settings

describe("through the worker", () => {
  it("the settings are those in force there, without any secret, also from the command line alone", async () => {
    await using world = await World.open({ projects: 3 }, planted)
    const alone = await without(world, { SITELEDGER_ADMIN_TOKEN: "planted-admin-token" })
    const worker = world.start({ SITELEDGER_PAGE_SIZE: "77" })
    await worker.live()
    const { settings } = (await worker.verb("settings")) as Settings
    const of = (name: string, among = settings) => among.find((each) => each.name === name)
    assert.deepInclude(of("SITELEDGER_PAGE_SIZE"), { state: "set", value: "77", isSecret: false })
    assert.deepInclude(of("SITELEDGER_PAGE_SIZE", alone.settings), { state: "default", value: "1000" })
    assert.deepInclude(of("SITELEDGER_CLIENT_SECRET"), { state: "set", value: null, isSecret: true })
    assert.deepInclude(of("SITELEDGER_ADMIN_TOKEN", alone.settings), { state: "set", value: null })
    assert.deepInclude(of("SITELEDGER_LEDGER_SINK_URL"), { value: "http://127.0.0.1:9/entries?token=***" })
    const shown = await world.run("settings")
    assert.match(shown.stdout, /^ {2}SITELEDGER_WEBHOOK_SECRET +set$/m)
    assert.match(shown.stdout, /^ {2}SITELEDGER_TOKEN +not set$/m)
    assert.match(shown.stdout, /^ {2}SITELEDGER_PAGE_SIZE +77$/m)
    const { password } = new URL(world.environment["SITELEDGER_WAREHOUSE"] ?? "postgres://u:none-such@h/d")
    for (const text of [JSON.stringify(settings), JSON.stringify(alone), shown.stdout]) {
      assert.notInclude(text, "planted")
      assert.notInclude(text, world.server.settings.clientSecret)
      if (password !== "") assert.notInclude(text, `:${password}@`)
    }
    const note = worker.note()
    const elsewhere = { SITELEDGER_WORKER_URL: note?.admin ?? "", SITELEDGER_TOKEN: note?.token ?? "" }
    const asked = JSON.parse((await world.shell(elsewhere, "settings", "--json")).stdout) as Settings
    assert.deepStrictEqual(asked.settings, settings)
    const unusable = await without(world, { SITELEDGER_EXPORT_CRON: "planted" })
    assert.deepInclude(of("SITELEDGER_EXPORT_CRON", unusable.settings), { state: "bad", value: null })
    assert.notInclude(JSON.stringify(unusable), "planted")
    await worker.stop()
  })

  it("the doctor runs where the worker runs, and says what the command line finds there", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.live()
    const [first, second] = (await Promise.all([worker.verb("doctor"), worker.verb("doctor")])) as [Findings, Findings]
    const local = JSON.parse((await world.run("doctor", "--json")).stdout) as Findings
    const checks = ({ findings }: Findings) => findings.map(({ check, verdict }) => `${verdict} ${check}`)
    assert.deepStrictEqual(checks(first), checks(local))
    assert.deepStrictEqual(checks(second), checks(local))
    assert.strictEqual(first.ok, local.ok)
    assert.isTrue(first.findings.some(({ sentence }) => sentence.includes(String(worker.note()?.pid))))
    const through = await world.run("doctor", "--worker", "--json")
    assert.deepStrictEqual(checks(JSON.parse(through.stdout) as Findings), checks(local))
    await worker.stop()
    const none = await world.run("doctor", "--worker")
    assert.strictEqual(none.code, 1)
    assert.match(none.stderr, /No worker is running/)
  })
})
