/** The User-Agent of a worker, `login` and `doctor` in the logs of the servers that they ask. */
import { assert, describe, it } from "@effect/vitest"
import packageJson from "../../package.json" with { type: "json" }
import { startReceiver } from "../InterfaceServer/Peer.ts"
import { Accounts, secret } from "../Ledger/Outbox/SinkWorld.ts"
import { until } from "../RunningWorker.ts"
import { logIn } from "./Login/LoggedIn.ts"
import { World } from "./World.ts"

const name = `siteledger/${packageJson.version} (+${packageJson.homepage})`
const hour = 3_600_000

/** Each kind of request with the names that it came with. */
const namesOf = ({ server }: World) => {
  const names = new Map<string, Set<string | undefined>>()
  for (const { headers, method, path } of server.requests) {
    const kind = `${method} ${path.replace(/^.*\//, "")}`
    names.set(kind, (names.get(kind) ?? new Set()).add(headers["user-agent"]))
  }
  return Object.fromEntries([...names].map(([kind, each]) => [kind, [...each]]))
}

/** As a forged redirect, so that the verb asks for a token. */
const forged = async (url: string) => {
  const { searchParams } = new URL(url)
  const redirect = new URL(searchParams.get("redirect_uri") ?? "")
  redirect.search = `code=forged&state=${searchParams.get("state")}`
  return redirect.href
}

describe("siteledger", () => {
  it("names itself to the API, the token endpoint, the accounting sink and the alert URL", async () => {
    const accounts = new Accounts()
    await accounts.open()
    await using world = await World.open(
      { projects: 3 },
      { SITELEDGER_LEDGER_SINK_URL: accounts.url.href, SITELEDGER_LEDGER_SINK_SECRET: secret }
    )
    using alerts = await startReceiver()
    const first = world.start()
    await first.live()
    const fields = { ipc_id: "A", certified_amount: "12.5", certificate_url: "https://c/A" }
    await world.server.deliver({ type: "ipc.certified", fields })
    await world.server.deliver({ type: "ipc.paid", fields: { ipc_id: "A", payment_reference: "PAY" } })
    await until("the entry is posted", async () => (accounts.posts.length > 0 ? true : undefined))
    await first.stop()
    // A gap that is lost is a reason for an alert.
    await world.store("delete from uptime")
    const downSince = Date.now() - 30 * hour
    await world.store(`insert into uptime (from_ms, to_ms) values (${downSince - hour}, ${downSince})`)
    world.start({ SITELEDGER_ALERT_URL: alerts.url })
    await until("the alert is sent", async () => (alerts.received.length > 0 ? true : undefined))
    await accounts.close()
    const expected = { "POST token": [name], "GET projects": [name], "POST webhooks": [name] }
    assert.deepStrictEqual(namesOf(world), expected)
    for (const { headers } of [...accounts.posts, ...alerts.received]) assert.strictEqual(headers["user-agent"], name)
  })

  it("names itself in doctor's requests and in those of a login", async () => {
    await using world = await World.open({ projects: 3 })
    await world.run("doctor")
    assert.strictEqual((await logIn(world.environment, forged)).code, 1)
    const tokens = world.server.requests.filter(({ path }) => path.endsWith("/token"))
    assert.strictEqual(tokens.length, 2)
    assert.deepStrictEqual(namesOf(world), { "POST token": [name], "GET projects": [name] })
  })
})
