/**
 * Verbs as an operator uses them: through a running worker from a shell that knows only where the data is, without a
 * worker, on an unusable folder, and interrupted. Each says what it did and what it didn't do, and its exit code
 * agrees.
 */
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { describe as describeStatus } from "../../cli/status/Report.ts"
import { type Finished, launch, until } from "../RunningWorker.ts"
import { World } from "./World.ts"

const failure = ({ code, stderr }: Finished): string => {
  assert.strictEqual(code, 1, stderr)
  assert.match(stderr, /^siteledger: [^\n]+\n$/)
  return stderr
}

describe("a verb", () => {
  it("goes through the running worker and needs none of the service's variables", async () => {
    await using world = await World.open({ projects: 3 })
    assert.match(failure(await world.shell({}, "status")), /No worker is running on .* \(SITELEDGER_DATA_DIR\)\./)
    const worker = world.start()
    await worker.live()
    assert.deepInclude(await world.shell({}, "replay"), { code: 0, stdout: "Nothing is in quarantine.\n", stderr: "" })
    const holds = await world.shell({}, "ledger", "holds", "--json")
    assert.deepInclude(holds, { code: 0, stdout: "[]\n", stderr: "Nothing waits for a decision.\n" })
    assert.match((await world.shell({}, "status")).stdout, /^events {8}\d+ applied since the worker's start; last: 2/m)
    const report = await worker.status("it tells")
    const line = (events: typeof report.events) =>
      describeStatus({ ...report, events, lastEventAt: null }).find((each) => each.startsWith("events "))
    assert.strictEqual(line({}), "events        none since the worker's start; last: never")
    assert.strictEqual(
      line({ applied: 3, misfits: 0, replayed: 1 }),
      "events        3 applied, 1 replayed since the worker's start; last: never"
    )
    assert.match(
      failure(await world.shell({}, "secret", "add", "nowhere")),
      /nowhere can't be read: there is no such file/
    )
    assert.match(failure(await world.shell({}, "ledger", "show", "")), /Give the id of an entry or a hold/)
  })

  it("says why its folder is unusable, and doesn't blame another process", async () => {
    await using world = await World.open({ projects: 0 })
    const file = join(world.dataDir, "file")
    writeFileSync(file, "")
    const below = await world.shell({ SITELEDGER_DATA_DIR: join(file, "data") }, "secret", "list")
    assert.include(failure(below), "can't be written to: a file is where a folder should be.")
    mkdirSync(join(world.dataDir, "other", "lock.sqlite"), { recursive: true })
    const odd = await world.shell({ SITELEDGER_DATA_DIR: join(world.dataDir, "other") }, "secret", "list")
    assert.include(failure(odd), "can't be written to: unable to open database file.")
  })

  it("says which number a flag takes, and why a port can't be used", async () => {
    await using world = await World.open({ projects: 0 })
    const misused = await world.run("sandbox", "--port", "65536")
    assert.strictEqual(misused.code, 2)
    assert.match(misused.stderr, /--port: "65536"\. Expected: a whole number, 0 or more, and at most 65535\n$/)
    const taken = await world.run("sandbox", "--port", new URL(world.server.baseUrl).port)
    assert.match(
      failure(taken),
      /The sandbox can't listen on .* \(--port\): another program is already listening there\./
    )
    const { code, stderr, stdout } = await world.shell({}, "rebuild")
    assert.deepInclude(
      { code, stdout },
      { code: 0, stdout: "The warehouse will be rebuilt; `siteledger status --watch` shows how far it is.\n" }
    )
    assert.match(stderr, /No worker is running: the next start rebuilds the warehouse\.\n$/)
  })

  it("that is interrupted has failed", async () => {
    await using world = await World.open({ projects: 0 })
    const { child, output } = launch(world.environment, "login", "--no-browser")
    await until("it waits for a person", async () => (output.stdout.startsWith("http") ? true : undefined))
    child.kill("SIGINT")
    const [code] = (await once(child, "close")) as [number | null]
    assert.strictEqual(code, 1, output.stderr)
    assert.match(output.stderr, /\nsiteledger: Interrupted before it was done\.\n$/)
  })
})
