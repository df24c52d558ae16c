/**
 * A good warehouse that can't be opened for now is never set aside: the worker takes deliveries, Status says what to do, and
 * the same file is used again once the cause has gone.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { keptBeside } from "../../../src/Stores/DuckDb/SetAside.ts"
import { applied, deliver, live, storyEvents } from "../Past.ts"
import { model, read } from "../Story.ts"
import { fill, onDisk, unmountable } from "../../SmallDisk.ts"
import { query, type RunningWorker, until } from "../../RunningWorker.ts"
import { World } from "../World.ts"

const events = storyEvents(9, 120)

interface Trouble {
  readonly begin: (warehouse: string) => void
  readonly end: (warehouse: string) => void
  /** What Status says. */
  readonly sentence: RegExp
  readonly extra?: Readonly<Record<string, string>>
}

const isShown = (sentence: RegExp) => (report: Awaited<ReturnType<RunningWorker["status"]>>) =>
  report.reasonDetails.some(({ key, sentence: shown }) => key === "warehouse" && sentence.test(shown))

const pagesIn = (requests: World["server"]["requests"]): number =>
  requests.filter(({ method, path }) => method === "GET" && path.endsWith("/projects")).length

const survives = async ({ begin, end, extra = {}, sentence }: Trouble): Promise<void> => {
  await using world = await World.open({ projects: 30 }, { ...extra, SITELEDGER_WALK_EVERY: "300 millis" })
  const warehouse = extra["SITELEDGER_WAREHOUSE"]?.replace("duckdb:", "") ?? world.warehouse
  const first = world.start()
  await live(world, first, events.slice(0, 60))
  await first.stop("SIGKILL")
  const asked = world.server.requests.length
  begin(warehouse)
  const worker = world.start()
  const report = await worker.status("it waits", isShown(sentence))
  assert.strictEqual(report.phase, "degraded")
  assert.deepStrictEqual(
    report.reasonDetails.filter(({ level }) => level !== "notice").map(({ key }) => key),
    ["warehouse"]
  )
  assert.strictEqual((await worker.fetch("/health/ready"))?.status, 503)
  await deliver(world, events.slice(60))
  assert.strictEqual((await worker.status("they are stored", ({ inbox }) => inbox.pending === 60)).phase, "degraded")
  assert.strictEqual(pagesIn(world.server.requests.slice(asked)), 0, "no list is read in vain")
  end(warehouse)
  await worker.status("it is live again", ({ inbox, phase }) => phase === "live" && inbox.pending === 0)
  await applied(worker)
  const { stderr } = await worker.stop()
  assert.notMatch(stderr, /rebuilt|set-aside|crashed/)
  assert.deepStrictEqual(keptBeside(warehouse), [])
  assert.deepStrictEqual(await read((sql) => query(warehouse, sql)), model(events))
}

const mounted = (name: string, trouble: Omit<Trouble, "extra">) =>
  it.skipIf(unmountable !== undefined)(unmountable === undefined ? name : `${name} (skipped: ${unmountable})`, () =>
    onDisk((folder) =>
      survives({ ...trouble, extra: { SITELEDGER_WAREHOUSE: `duckdb:${join(folder, "warehouse.duckdb")}` } })
    )
  )

const filler = (warehouse: string): string => join(dirname(warehouse), "filler")

const fillDisk = (warehouse: string): void => fill(filler(warehouse))

const remount = (how: string) => (warehouse: string) =>
  void execFileSync("mount", ["-o", `remount,${how}`, dirname(warehouse)])

describe("a warehouse that can't be opened is kept", () => {
  it("with something else in its place", () =>
    survives({
      begin: (warehouse) => {
        renameSync(warehouse, `${warehouse}.away`)
        mkdirSync(warehouse)
      },
      end: (warehouse) => {
        rmdirSync(warehouse)
        renameSync(`${warehouse}.away`, warehouse)
      },
      sentence: /warehouse\.duckdb can't be opened: it is a folder\. Remove the folder/
    }))

  mounted("on a full disk", {
    begin: fillDisk,
    end: (warehouse) => rmSync(filler(warehouse)),
    sentence: /can't be opened: the disk is full\. Free space on its disk\./
  })

  mounted("on a file system that is read-only", {
    begin: remount("ro"),
    end: remount("rw"),
    sentence: /can't be opened: the file system is read-only\. Mount its file system/
  })
})

/** No disk, no 2xx: but the worker stays, and goes on when there is room. */
describe("a worker that starts while the disk of its data directory is full", () => {
  it.skipIf(unmountable !== undefined)("answers 503, keeps its files and is live once there is room", () =>
    onDisk(async (folder) => {
      await using world = await World.open({ projects: 30 }, { SITELEDGER_DATA_DIR: folder })
      const warehouse = join(folder, "warehouse.duckdb")
      const first = world.start()
      await live(world, first, events.slice(0, 60))
      await first.stop("SIGKILL")
      fillDisk(warehouse)
      const worker = world.start()
      await until(
        "it waits",
        async () => /warehouse.duckdb can't be opened: the disk is full/.test(worker.stderr) || undefined
      )
      const [next] = events.slice(60)
      assert.isDefined(next)
      await until("the receiver answers", async () => (await world.server.deliver(next)) === 503 || undefined)
      assert.isFalse(worker.hasEnded)
      rmSync(filler(warehouse))
      await worker.live()
      await deliver(world, events.slice(60))
      await applied(worker)
      await worker.stop()
      assert.deepStrictEqual(keptBeside(warehouse), [])
      assert.deepStrictEqual(await read((sql) => query(warehouse, sql)), model(events))
    })
  )
})
