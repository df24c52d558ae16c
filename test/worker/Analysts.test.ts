/**
 * Analysts open `analytics.duckdb` at any moment, while the worker accepts deliveries, walks, publishes and exports. Every
 * attempt succeeds and shows one point in time.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, it } from "@effect/vitest"
import { blocks } from "../Lake/ReadingWorld.ts"
import type { Seen } from "./Analyst.ts"
import { rounds as length } from "../Long.ts"
import { Sender } from "./Ledger/Sender.ts"
import { World } from "./World.ts"

const ipcsInRound = 60
const rounds = length(2, 4)
const ipcs = rounds * ipcsInRound
const program = new URL("./Analyst.ts", import.meta.url).pathname

/** Looks until `end` is called. */
const analyst = (file: string) => {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, file], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const output = text(child.stdout)
  const ended = once(child, "exit")
  return {
    end: async (): Promise<Seen> => {
      child.stdin.end()
      await ended
      return JSON.parse(await output) as Seen
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL")
  }
}

it("the analysts' copy can always be opened and is consistent, while the worker does everything else", async () => {
  await using world = await World.open({ projects: 2_000, maxPerPage: 50 }, { SITELEDGER_WALK_EVERY: "2 seconds" })
  const worker = world.start()
  await worker.live()
  await worker.verb("publish")
  using looking = analyst(join(world.dataDir, "analytics.duckdb"))

  using sender = new Sender(world)
  const deliveries = async (first: number): Promise<void> => {
    const some = Array.from({ length: ipcsInRound }, (_, place) => first + place)
    for (const type of ["ipc.certified", "ipc.paid"]) {
      await sender.deliver(some.map((ipc) => ({ type, id: `${type}-${ipc}`, body: body(type, ipc) })))
    }
  }
  for (let round = 0; round < rounds; round++) {
    await Promise.all([deliveries(round * ipcsInRound), worker.verb("publish").then(() => worker.verb("export"))])
  }
  await worker.status("all is applied", ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === ipcs)
  await worker.verb("publish")

  const { copies: events, entries, failures, openings } = await looking.end()
  assert.deepStrictEqual(failures, [])
  assert.isAbove(openings, rounds)
  assert.isAbove(events.length, 1)
  const [last] = await world.published("select count(*) as n from construction.ledger_entries")
  assert.strictEqual(Number(last?.["n"]), ipcs)
  assert.isAtMost(entries, ipcs)
  const { code, stdout } = await world.run("lake", "sql")
  assert.deepStrictEqual([code, stdout], [0, readFileSync(join(world.dataDir, "lake", "lake.sql"), "utf8")])
  const { ageMs, at } = (await worker.status("its age")).published
  assert.isNotNull(at)
  assert.isAtLeast(ageMs ?? -1, 0)
})

it("docs/reading-the-lake.md's questions have the same answers on what the worker exports and on its copy for analysts", async () => {
  await using world = await World.open({ projects: 20 })
  const worker = world.start()
  await worker.live()
  for (const ipc of [1, 2, 3]) {
    for (const type of ["ipc.certified", "ipc.paid"]) {
      assert.strictEqual(await world.server.deliver({ type, body: body(type, ipc) }), 200)
    }
  }
  await worker.status("all is posted", ({ inbox, ledger }) => inbox.pending === 0 && ledger.entries === 3)
  await worker.verb("publish")
  await worker.verb("export")
  const connection = await (await DuckDBInstance.create()).connect()
  await connection.run(readFileSync(join(world.dataDir, "lake/lake.sql"), "utf8"))
  const questions = blocks("Questions, answered")
  assert.isAbove(questions.length, 5)
  let answers = 0
  for (const question of questions) {
    const onLake = (await connection.runAndReadAll(question)).getRowObjectsJson()
    assert.strictEqual(JSON.stringify(onLake), JSON.stringify(await world.published(question)), question)
    answers += onLake.length
  }
  assert.isAbove(answers, 1)
  connection.closeSync()
})

const body = (type: string, ipc: number): string => {
  const fields =
    type === "ipc.paid"
      ? { payment_reference: `P-${ipc}` }
      : { certified_amount: `${ipc}.2500`, certificate_url: `https://c/${ipc}` }
  const second = String(type === "ipc.paid" ? 30 : 10)
  return JSON.stringify({ ipc_id: `IPC-${ipc}`, ...fields, event_timestamp: `2026-11-19T10:00:${second}.000000Z` })
}
