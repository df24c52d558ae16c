/** `siteledger doctor` finds problems, describes each in one sentence, and changes nothing by looking. */
import { chmodSync, existsSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs"
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { freePort, run } from "../RunningWorker.ts"
import { examined, includes, named } from "./Doctor/Examined.ts"
import { live, storyEvents } from "./Past.ts"
import { World } from "./World.ts"

const fileSizes = (folder: string) =>
  readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size, statSync(join(folder, name)).mtimeMs])

describe("doctor, on files", () => {
  it("finds nothing wrong before the first start, while a worker runs and after its end, and changes nothing", async () => {
    await using world = await World.open({ projects: 3 }, {}, "duckdb")
    rmSync(world.dataDir, { recursive: true })
    const before = await examined(world.environment)
    assert.deepStrictEqual([...before.warnings, ...before.failed], [])
    assert.isFalse(existsSync(world.dataDir))
    // One token and one record, and no subscription.
    assert.deepStrictEqual(
      world.server.requests.map(({ method, path, query }) => [method, path.replace(/^.*\//, ""), query["per_page"]]),
      [
        ["POST", "token", undefined],
        ["GET", "projects", "1"]
      ]
    )

    const worker = world.start()
    await live(world, worker, storyEvents(7, 30))
    const during = await examined(world.environment)
    assert.deepStrictEqual(during.failed, [])
    includes(during.ok, /worker: The worker with process id \d+ is running; its phase is live/)
    includes(during.ok, /receiver: .* is held by the running worker/)
    assert.isFalse(worker.hasEnded)
    await worker.stop("SIGKILL")
    await examined(world.environment)

    const again = world.start()
    await again.live()
    await again.stop()
    const files = fileSizes(world.dataDir)
    const after = await examined(world.environment)
    assert.deepStrictEqual([...after.warnings, ...after.failed], [])
    includes(after.ok, /store: .*store.sqlite \(\d+ MB\) is intact/)
    includes(after.ok, /warehouse: .*warehouse.duckdb belongs to the store/)
    includes(after.ok, /secrets: The webhook secrets in the store can be opened \(1\)/)
    assert.deepStrictEqual(fileSizes(world.dataDir), files)
  })

  it("reports what is damaged, lost or open to others, and goes on", async () => {
    await using world = await World.open({ projects: 3 }, {}, "duckdb")
    const worker = world.start()
    await live(world, worker, storyEvents(7, 100))
    await worker.stop()
    const store = join(world.dataDir, "store.sqlite")
    chmodSync(join(world.dataDir, "key"), 0o644)
    truncateSync(store, Math.floor(statSync(store).size / 8192) * 4096)
    rmSync(world.warehouse)
    const found = await examined({
      ...world.environment,
      SITELEDGER_WEBHOOK_LISTEN: new URL(world.server.baseUrl).host
    })
    assert.includeMembers(named(found.failed), ["key", "store", "receiver"])
    includes(found.failed, /store: .* is damaged: .*siteledger restore/)
    includes(found.failed, /receiver: Another program is listening/)
    includes(found.ok, /service: .* lists projects/)
    rmSync(join(world.dataDir, "key"))
    includes((await examined(world.environment)).ok, /key: The key is created at the first start/)
    assert.isFalse(existsSync(join(world.dataDir, "key")))
  })

  it("finds the key that opens nothing", async () => {
    await using world = await World.open({ projects: 3 }, {}, "duckdb")
    const worker = world.start()
    await worker.live()
    await worker.stop()
    const { failed } = await examined({ ...world.environment, SITELEDGER_KEY: "f".repeat(64) })
    assert.deepStrictEqual(failed, [
      "secrets: 1 of 1 webhook secrets were sealed with another key. " +
        "Set SITELEDGER_KEY to the key they were sealed with, or put its file back."
    ])
  })

  it("names every bad variable, and the service that is wrong, refuses or is away, without a secret", async () => {
    await using world = await World.open({ projects: 3 }, {}, "duckdb")
    const nowhere = `http://127.0.0.1:${await freePort()}`
    const bad = await examined({ ...world.environment, SITELEDGER_WALK_EVERY: "soon", SITELEDGER_BASE_URL: "" })
    assert.deepStrictEqual(named(bad.failed), ["configuration", "configuration"])
    includes(bad.ok, /data directory/)
    const refused = await examined({ ...world.environment, SITELEDGER_CLIENT_SECRET: "not-this-one-9f31" })
    includes(refused.failed, /token: .*check SITELEDGER_CLIENT_ID and SITELEDGER_CLIENT_SECRET/)
    assert.notInclude(JSON.stringify(refused), "9f31")
    const away = await examined({
      ...world.environment,
      SITELEDGER_BASE_URL: `${nowhere}/v1`,
      SITELEDGER_AUTH_URL: nowhere
    })
    assert.deepStrictEqual(named(away.failed), ["token", "service"])
    includes(away.failed, /service: .*can't be reached: nothing is listening there \(ECONNREFUSED\)/)
    const wrong = await examined({ ...world.environment, SITELEDGER_BASE_URL: `${world.server.authUrl}/v2` })
    includes(wrong.failed, /service: .*answered 404\. Check SITELEDGER_BASE_URL/)
    const { code, stderr, stdout } = await run(
      { ...world.environment, SITELEDGER_CLIENT_SECRET: "not-this-one" },
      "doctor"
    )
    assert.strictEqual(code, 1)
    assert.match(stderr, /siteledger: 2 checks failed\.|siteledger: 1 check failed\./)
    for (const line of stdout.trim().split("\n")) assert.match(line, /^(ok|warn|fail) +\S.{14}/)
  })
})

describe("doctor", () => {
  it("waits a few seconds for a server that accepts the connection and doesn't answer", async () => {
    await using world = await World.open({ projects: 3 }, {}, "duckdb")
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => void sockets.add(socket)).listen(0, "127.0.0.1")
    await once(silent, "listening")
    const { port } = silent.address() as AddressInfo
    const { failed } = await examined({
      ...world.environment,
      SITELEDGER_WAREHOUSE: `postgres://user:hidden-9f31@127.0.0.1:${port}/database`,
      SITELEDGER_BASE_URL: `http://127.0.0.1:${port}/v1`,
      SITELEDGER_AUTH_URL: `http://127.0.0.1:${port}`
    })
    for (const socket of sockets) socket.destroy()
    silent.close()
    assert.deepStrictEqual(named(failed), ["PostgreSQL", "token", "service"])
    assert.match(failed[0] ?? "", /^PostgreSQL: PostgreSQL at .* doesn't answer: .*timeout/)
    for (const line of failed.slice(1)) assert.match(line, /: No answer within 6 seconds\.$/)
    assert.notInclude(JSON.stringify(failed), "9f31")
  })
})
