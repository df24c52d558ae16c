/**
 * Principals as people use them: each verb works only for those whose role allows it; a revoked token ends at once, on
 * every worker; and every action names who asked.
 */
import { readdirSync, readFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { AdminApi, neededFor, type VerbName } from "../../src/Operate/AdminApi.ts"
import { roles } from "../../src/Operate/AdminApi/Verb.ts"
import { saw } from "../Logged.ts"
import { type RunningWorker, until } from "../RunningWorker.ts"
import { World } from "./World.ts"

const user = `os:${userInfo().username}`
const json = { LOG_FORMAT: "json" }
const verbs = Object.keys(AdminApi.groups.verbs.endpoints) as ReadonlyArray<VerbName>

const post = async (worker: RunningWorker, verb: VerbName, token: string | undefined, body = "{}") => {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await worker.fetch(`/verbs/${verb}`, { method: "POST", headers, body })
  return { status: answer?.status, text: (await answer?.text()) ?? "" }
}

const added = async (world: World, name: string, ...given: ReadonlyArray<string>): Promise<string> => {
  const { code, stderr, stdout } = await world.run(
    "principal",
    "add",
    name,
    ...given.flatMap((role) => ["--role", role])
  )
  assert.strictEqual(code, 0, stderr)
  assert.match(stdout, /^slp_[0-9a-f]{64}\n$/)
  assert.notInclude(stderr, stdout.trim())
  return stdout.trim()
}

/** What is only in memory is not looked at. */
const filesHolding = (folder: string, text: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text))

/** In a shell of somebody who has a token, and no right on the worker's files. */
const elsewhere = (world: World, worker: RunningWorker, token: string, ...verb: ReadonlyArray<string>) =>
  world.shell(
    {
      SITELEDGER_DATA_DIR: join(world.dataDir, "nowhere"),
      SITELEDGER_WORKER_URL: worker.note()?.admin ?? "",
      SITELEDGER_TOKEN: token
    },
    ...verb
  )

const paid = { type: "ipc.paid", fields: { ipc_id: "2", payment_reference: "PAY-2" } }

/** Its token is replaced, and the next one revoked; returns that. */
const endedAtOnce = async (world: World, workers: ReadonlyArray<RunningWorker>, ada: string): Promise<string> => {
  const statuses = async (token: string) => {
    const asked = await Promise.all(workers.map((each) => post(each, "ledger-list", token)))
    return [...new Set(asked.map(({ status }) => status))]
  }
  assert.deepStrictEqual(await statuses(ada), [200])
  const next = (await world.run("principal", "rotate", "ada")).stdout.trim()
  assert.deepStrictEqual([await statuses(ada), await statuses(next)], [[401], [200]])
  assert.strictEqual((await world.run("principal", "revoke", "ada")).code, 0)
  assert.deepStrictEqual(await statuses(next), [401])
  assert.match((await world.run("principal", "list")).stdout, /ada .*decide .*\n.*job .*operate/)
  return next
}

describe("principals", () => {
  it("may do what their roles say, verb by verb, and nothing else", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start(json)
    await worker.live()
    const tokens = new Map<string, string>()
    for (const role of roles) tokens.set(role, await added(world, `only-${role}`, role))
    const unread = { status: 500, text: `{"error":"The arguments aren't a JSON object."}\n` }
    const lacking = (role: string, needed: string) => {
      const what = needed === "admin" ? "the admin token, or the user who runs the worker" : `the role ${needed}`
      return { status: 403, text: `{"error":"only-${role} may not do this: it needs ${what}."}\n` }
    }
    await post(worker, "principal-add", tokens.get("operate"), "{")
    const refused = { level: "WARN", principal: "only-operate", request: "/verbs/principal-add", needs: "admin" }
    await until("it is in the log", async () => worker.stderr.includes('"verb.refused"') || undefined)
    assert.deepInclude(saw(worker.stderr, "verb.refused"), refused)
    await post(worker, "export", `slp_${"0".repeat(64)}`)
    await until("it is in the log", async () => worker.stderr.includes('"token.refused"') || undefined)
    assert.deepInclude(saw(worker.stderr, "token.refused"), { level: "WARN", request: "/verbs/export" })
    // The arguments can't be read, so what is let through does nothing.
    for (const verb of verbs) {
      const needed = neededFor(verb)
      for (const unknown of [undefined, "slp_", `slp_${"0".repeat(64)}`, `${tokens.get("operate")}0`]) {
        const expected = { status: 401, text: '{"error":"A valid token is needed."}\n' }
        assert.deepStrictEqual(await post(worker, verb, unknown, "{"), expected, verb)
      }
      assert.deepStrictEqual(await post(worker, verb, worker.note()?.token, "{"), unread, verb)
      for (const [role, token] of tokens) {
        const expected = needed === role || needed === "read" ? unread : lacking(role, needed)
        assert.deepStrictEqual(await post(worker, verb, token, "{"), expected, `${verb} as ${role}`)
      }
    }
    const asked = await world.store("select distinct verb, principal from admin_log")
    assert.deepStrictEqual(asked, [{ verb: "principal-add", principal: user }])
  })

  it("are named by what they did, and end at once on every worker", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start(json)
    await worker.live()
    const others = world.database === undefined ? [] : [await world.startAnother(json)]
    for (const other of others) await other.status("it is up")
    await world.server.deliver(paid)
    await worker.status("it waits", ({ inbox, ledger }) => inbox.pending === 0 && ledger.holds === 1)
    const [hold] = await world.store("select hold_id from ledger_holds")

    const [ada, job] = [await added(world, "ada", "decide"), await added(world, "job", "operate")]
    const accept = [
      "ledger",
      "accept",
      String(hold?.["hold_id"]),
      "--amount",
      "7",
      "--by",
      "Ada L.",
      "--reason",
      "on paper"
    ]
    const refused = await elsewhere(world, worker, job, ...accept)
    assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
    assert.match(refused.stderr, /^siteledger: job may not do this: it needs the role decide\.$/m)
    const accepted = await elsewhere(world, others[0] ?? worker, ada, ...accept)
    assert.strictEqual(accepted.code, 0, accepted.stderr)
    assert.strictEqual((await elsewhere(world, worker, job, "replay")).code, 0)

    const at = others[0]?.stderr ?? worker.stderr
    const ended = { level: "INFO", principal: "ada", verb: "ledger-accept", by: "Ada L.", outcome: "done" }
    assert.deepInclude(saw(at, "verb.ended"), others[0] === undefined ? { level: "INFO", outcome: "done" } : ended)
    assert.deepInclude(saw(at, "hold.decided"), { by: "Ada L.", principal: "ada" })
    assert.deepStrictEqual(await world.store("select decided_by, principal from ledger_hold_decisions"), [
      { decided_by: "Ada L.", principal: "ada" }
    ])
    assert.deepStrictEqual(await world.store("select principal, verb, noted_by from admin_log order by number"), [
      { principal: user, verb: "principal-add", noted_by: null },
      { principal: user, verb: "principal-add", noted_by: null },
      { principal: "ada", verb: "ledger-accept", noted_by: "Ada L." },
      { principal: "job", verb: "replay", noted_by: null }
    ])
    const explained = await elsewhere(world, worker, ada, "explain", "2")
    assert.match(explained.stdout, /accepted by Ada L\. \(ada\): on paper/)
    assert.match(explained.stdout, / {2}by Ada L\. {2}reason on paper {2}principal ada/)

    const next = await endedAtOnce(world, [worker, ...others], ada)

    const failed = await world.run("ledger", "reject", "none", "--reason", "x")
    assert.strictEqual(failed.code, 1)
    const why = "There is no open hold none."
    assert.deepInclude(saw(worker.stderr, "verb.ended"), { principal: user, outcome: "failed", why })
    for (const each of [worker, ...others]) await each.stop()
    for (const token of [ada, job, next]) {
      assert.deepStrictEqual(filesHolding(world.dataDir, token), [])
      assert.deepStrictEqual(await world.tablesHolding(token), [])
      for (const each of [worker, ...others]) assert.notInclude(each.stderr, token)
    }
  })

  it("are the operating system's user without a worker, and nobody where the named worker is gone", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start(json)
    await worker.live()
    const token = await added(world, "ada", "decide")
    const { admin } = worker.note() ?? assert.fail("no note")
    await worker.stop()
    const closing = ["ledger", "close", "2026-09", "--by", "Ada L."]
    const gone = await world.shell({ SITELEDGER_WORKER_URL: admin, SITELEDGER_TOKEN: token }, ...closing)
    assert.deepStrictEqual([gone.code, gone.stdout], [1, ""])
    assert.strictEqual(gone.stderr, `siteledger: No worker answers at ${admin} (SITELEDGER_WORKER_URL).\n`)
    const closed = await world.run(...closing)
    assert.strictEqual(closed.code, 0, closed.stderr)
    const [terms] = await world.store("select content from ledger_terms order by number desc limit 1")
    const content = JSON.parse(String(terms?.["content"])) as { readonly closed: object }
    assert.deepInclude(content.closed, { by: "Ada L.", principal: user })
    const [newest] = await world.store("select principal, verb, noted_by from admin_log order by number desc limit 1")
    assert.deepStrictEqual(newest, { principal: user, verb: "ledger-close", noted_by: "Ada L." })
  })
})
