/**
 * A worker on a person's login: it walks although its tokens expire, says when only a person can help, keeps receiving,
 * and never shows a secret.
 */
import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { mark } from "../connectors/ConstructionAuth/AuthServer.ts"
import { type Environment, run } from "../RunningWorker.ts"
import { collector, guarded, logIn, markedFiles } from "./Login/LoggedIn.ts"
import type { World } from "./World.ts"

const rowsOf = (world: World) =>
  world.query("select count(*)::int as projects from construction.projects where _deleted_at is null")

/** Everything that the admin listener shows. */
const shown = async (worker: ReturnType<World["start"]>): Promise<string> => {
  const paths = ["/status", "/metrics", "/health/ready", "/health/live"]
  const answers = await Promise.all(paths.map(async (path) => (await worker.fetch(path))?.text()))
  return answers.join("\n")
}

describe("a login", () => {
  it("is all that a worker needs; the walk completes although each page's token has ended", async () => {
    await using service = await guarded({ uses: 1 }, { projects: 117, maxPerPage: 20 })
    const { auth, world } = service
    const loggedOut = await world.run("start")
    assert.strictEqual(loggedOut.code, 2)
    assert.match(loggedOut.stderr, /SITELEDGER_CLIENT_SECRET is missing.*siteledger login/)
    const { code, page, stderr } = await logIn(world.environment)
    assert.strictEqual(code, 0, stderr)
    assert.include(page, "You can close this window")
    const worker = world.start()
    const { backfill } = await worker.live()
    assert.strictEqual(backfill["projects"]?.rows, 117)
    assert.isAbove(auth.refreshes, 5)
    assert.strictEqual((await worker.stop()).code, 0)
    assert.deepStrictEqual(await rowsOf(world), [{ projects: 117 }])
  })

  it("that has ended pauses the walks but not the deliveries, even across a restart, until a person logs in", async () => {
    using traces = await collector()
    const tracing: Environment = { LOG_LEVEL: "All", ...traces.environment }
    await using service = await guarded({}, { projects: 30 }, tracing)
    const { auth, world } = service
    const { server } = world
    const outputs = [JSON.stringify(await logIn(world.environment))]
    const ended = /The login has ended \(.*\): run `siteledger login`\./
    const first = world.start()
    await first.live()
    auth.revokeAll()
    const refreshes = auth.refreshes
    const report = await first.status("the reason is shown", ({ reasons }) => ended.test(reasons.join()))
    assert.strictEqual(report.phase, "degraded")
    assert.strictEqual(await server.deliver({ type: "ipc.paid" }), 200)
    await first.status("applied", ({ inbox, events }) => inbox.pending === 0 && (events["applied"] ?? 0) >= 2)
    outputs.push(await shown(first), JSON.stringify(await first.stop()))

    const second = world.start()
    await second.status("the reason is shown again", ({ reasons }) => ended.test(reasons.join()))
    assert.strictEqual(await server.deliver({ type: "ipc.certified" }), 200)
    assert.strictEqual(auth.refreshes, refreshes + 1)
    const status = await run(world.environment, "login", "--status")
    assert.strictEqual(status.code, 1)
    assert.match(status.stderr, ended)
    outputs.push(await shown(second), JSON.stringify(status), JSON.stringify(await logIn(world.environment)))
    const passes = world.pagesAsked().get(1) ?? 0
    await second.live()
    await second.status("it walks again", () => (world.pagesAsked().get(1) ?? 0) > passes)
    outputs.push(JSON.stringify(await run(world.environment, "login", "--status")), await shown(second))
    outputs.push(JSON.stringify(await run(world.environment, "publish")), JSON.stringify(await second.stop()))

    assert.include(outputs.join(), "projects.read")
    assert.notInclude(outputs.join(), mark)
    assert.include(traces.text(), "Token.refresh")
    assert.include(traces.text(), "/oauth/token")
    assert.notInclude(traces.text(), mark)
    const own = world.database === undefined ? ["key", "warehouse.duckdb"] : []
    assert.includeMembers(readdirSync(world.dataDir), ["login", "analytics.duckdb", ...own])
    assert.deepStrictEqual(markedFiles(world.dataDir), [])
    assert.deepStrictEqual(await world.tablesHolding(mark), [])
  })

  it("that lacks a scope is reported with the scope's name, and a wider login resolves it", async () => {
    await using service = await guarded({ requiredScope: "projects.everything" }, { projects: 30 })
    const { world } = service
    assert.strictEqual((await logIn(world.environment)).code, 0)
    const worker = world.start()
    const { reasons } = await worker.status("the scope is named", (report) =>
      /projects\.everything/.test(report.reasons.join())
    )
    assert.match(reasons.join(), /SITELEDGER_SCOPES/)
    assert.strictEqual((await worker.fetch("/health/ready"))?.status, 200)
    const wider = { ...world.environment, SITELEDGER_SCOPES: "projects.read projects.everything" }
    assert.strictEqual((await logIn(wider)).code, 0)
    await worker.status("complete", ({ backfill }) => backfill["projects"]?.proof === "proven")
  })

  it("that is refused at the redirect fails the verb with one sentence, and nothing is stored", async () => {
    await using service = await guarded()
    const { world } = service
    const denied = await logIn(world.environment, async (url) => {
      const { searchParams } = new URL(url)
      const redirect = new URL(searchParams.get("redirect_uri") ?? "")
      redirect.search = `error=access_denied&state=${searchParams.get("state")}`
      return redirect.href
    })
    assert.strictEqual(denied.code, 1)
    assert.match(denied.stderr, /^siteledger: Access was denied: no consent was given\.$/m)
    assert.include(denied.page, "Access was denied")
    assert.notInclude(readdirSync(world.dataDir), "login")
  })

  it("is also forgotten by a running worker, which then waits for another", async () => {
    await using service = await guarded({}, { projects: 30 })
    const { auth, world } = service
    await logIn(world.environment)
    const worker = world.start()
    await worker.live()
    const forgotten = await run(world.environment, "login", "--forget")
    assert.match(forgotten.stdout, /revoked/)
    assert.strictEqual(auth.revoked.length, 1)
    await worker.status("the reason is shown", ({ reasons }) =>
      /neither a login nor a client secret/.test(reasons.join())
    )
    await logIn(world.environment)
    await worker.live()
  })
})
