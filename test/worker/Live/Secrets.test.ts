/** Webhook secrets of a worker as an operator handles them: added, ended, and never readable. */
import { once } from "node:events"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { launch } from "../../RunningWorker.ts"
import { filesHolding } from "../../Marked.ts"
import { deliver, isVerified, live, storyEvents } from "../Past.ts"
import { World } from "../World.ts"

interface Listed {
  readonly fingerprint: string
  readonly source: string
  readonly state: string
}

const list = async (world: World): Promise<ReadonlyArray<Listed>> => {
  const { code, stderr, stdout } = await world.run("secret", "list", "--json")
  assert.strictEqual(code, 0, stderr)
  return (JSON.parse(stdout) as { readonly secrets: ReadonlyArray<Listed> }).secrets
}

/** As through a pipe in a shell. */
const addFromStandardInput = async (world: World, secret: string): Promise<void> => {
  const { child } = launch(world.environment, "secret", "add")
  child.stdin.end(`${secret}\n`)
  const [code] = (await once(child, "close")) as [number]
  assert.strictEqual(code, 0)
}

const addFromFile = async (world: World, secret: string): Promise<string> => {
  const folder = temporaryFolder()
  const file = join(folder, "secret")
  writeFileSync(file, secret)
  const { code, stderr, stdout } = await world.run("secret", "add", file, "--json")
  removeFolder(folder)
  assert.strictEqual(code, 0, stderr)
  assert.notInclude(stdout + stderr, secret)
  return (JSON.parse(stdout) as { readonly added: Listed }).added.fingerprint
}

const deliverSignedBy = (world: World, secret: string): Promise<number> => {
  const url = world.environment["SITELEDGER_WEBHOOK_URL"] ?? ""
  return world.server.deliver({ type: "ipc.paid" }, { subscription: { url, secret, events: ["ipc.paid"] } })
}

describe("the secrets of a running worker", () => {
  it("are added and ended by verbs, from the next delivery on; one that ends and is still used is named", async () => {
    await using world = await World.open({ projects: 3 })
    const worker = world.start()
    await worker.status("verified", isVerified)
    const [first] = await list(world)
    assert.deepInclude(first, { source: "subscription 1", state: "valid" })
    const ours = world.server.subscriptions[0]?.secret ?? ""

    assert.strictEqual(await deliverSignedBy(world, "whsec_successor"), 401)
    const successor = await addFromFile(world, "whsec_successor\n")
    assert.strictEqual(await deliverSignedBy(world, "whsec_successor"), 200)
    assert.strictEqual(await deliverSignedBy(world, ours), 200)

    const retire = (...words: ReadonlyArray<string>) => world.run("secret", "retire", ...words)
    assert.strictEqual((await retire(first?.fingerprint ?? "", "--in", "24 hours")).code, 0)
    assert.strictEqual((await worker.live()).secrets.ending, 1)
    assert.strictEqual(await deliverSignedBy(world, ours), 200)
    // The sentence may be a moment ahead of the number: a report reads its sentences last.
    const report = await worker.status("the use is counted", ({ secrets }) => secrets.signedByEnding === 1)
    assert.strictEqual(report.phase, "degraded")
    assert.match(report.reasons.join(), new RegExp(`webhook secret ${first?.fingerprint}, which ends at `))

    const refused = await retire(successor)
    assert.strictEqual(refused.code, 1)
    assert.match(refused.stderr, /last webhook secret that stays valid/)
    assert.strictEqual((await retire(first?.fingerprint ?? "", "--in", "soon")).code, 1)
    assert.strictEqual((await retire(first?.fingerprint ?? "")).code, 0)
    await worker.live()
    assert.strictEqual(await deliverSignedBy(world, ours), 401)
    await worker.stop()

    // It was replaced by a person: no other subscription is made.
    const next = world.start()
    await next.live()
    assert.strictEqual(world.server.subscriptions.length, 1)
    assert.strictEqual(await deliverSignedBy(world, "whsec_successor"), 200)
  })

  it("may be given before the first start, through a pipe; then no subscription is made", async () => {
    await using world = await World.open({ projects: 3 })
    await addFromStandardInput(world, "whsec_given_before")
    const [added, ...none] = await list(world)
    assert.deepStrictEqual(none, [])
    assert.deepInclude(added, { source: "by hand", state: "valid" })
    const worker = world.start()
    await worker.live()
    assert.strictEqual(await deliverSignedBy(world, "whsec_given_before"), 200)
    await worker.status("verified", isVerified)
    assert.strictEqual(world.server.subscriptions.length, 0)
    await worker.stop()
    const next = world.start()
    assert.isTrue(isVerified(await next.live()), "verification is remembered")
  })
})

describe("no secret can be read", () => {
  it("in any file of the data directory, in the log, in Status or in the metrics, also after kill -9", async () => {
    const lent = "MARKED_by_the_environment"
    await using world = await World.open({ projects: 30 }, { LOG_LEVEL: "All" })
    const worker = world.start()
    await live(world, worker, storyEvents(7, 60))
    await addFromFile(world, "MARKED_by_hand_of_a_person")
    assert.strictEqual(await deliverSignedBy(world, "MARKED_by_hand_of_a_person"), 200)
    assert.strictEqual((await world.run("export")).code, 0)
    assert.strictEqual((await world.run("publish")).code, 0)
    const shown = [await (await worker.fetch("/status"))?.text(), await (await worker.fetch("/metrics"))?.text()]
    const killed = await worker.stop("SIGKILL")
    const next = world.start({ SITELEDGER_WEBHOOK_SECRET: lent, SITELEDGER_WEBHOOK_EVENTS: "ipc.paid" })
    await next.live()
    assert.strictEqual(await deliverSignedBy(world, lent), 200)
    await deliver(world, storyEvents(8, 20))
    shown.push((await world.run("secret", "list", "--json")).stdout, JSON.stringify(await next.verb("secret-list")))
    const stopped = await next.stop("SIGKILL")

    const secrets = [lent, "MARKED_by_hand_of_a_person", ...world.server.subscriptions.map(({ secret }) => secret)]
    assert.isAtLeast(secrets.length, 3)
    const names = readdirSync(world.dataDir, { recursive: true, encoding: "utf8" })
    const own = ["store.sqlite", "store.sqlite-wal", "warehouse.duckdb", "key"]
    assert.includeMembers(names, ["analytics.duckdb", ...(world.database === undefined ? own : [])])
    assert.isTrue(names.some((name) => name.endsWith(".parquet")))
    for (const secret of secrets) {
      for (const text of [...shown, killed.stderr, killed.stdout, stopped.stderr]) assert.notInclude(text, secret)
      assert.deepStrictEqual(await world.tablesHolding(secret), [])
      assert.deepStrictEqual(filesHolding(world.dataDir, secret), [])
    }
  })
})
