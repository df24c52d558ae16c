/** Pages that are large, and answers that are too large or have no end: the first are applied, the others stopped, and memory stays bounded. */
import { existsSync, readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Front } from "../../Front.ts"
import type { RunningWorker } from "../../RunningWorker.ts"
import { World } from "../World.ts"

const mebibyte = 2 ** 20
const project = (index: number) => ({ id: index + 1, name: `${index} ${"n".repeat(10_000)}`, status: "awarded" })

/** The most memory that a worker has used, in MiB; zero where the system doesn't tell. */
const peak = (worker: RunningWorker): number => {
  const file = `/proc/${worker.note()?.pid}/status`
  return existsSync(file) ? Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(file, "utf8"))?.[1]) / 1024 : 0
}

const endless = (response: ServerResponse): void => {
  const chunk = Buffer.alloc(mebibyte, " ")
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.writeHead(200).on("drain", more)
  more()
}

const bomb = gzipSync(Buffer.alloc(300 * mebibyte, " "))

const tooLarge: Readonly<Record<string, readonly [answer: (response: ServerResponse) => unknown, size: string]>> = {
  "300 MiB": [(response) => endless(response.setHeader("content-length", 300 * mebibyte)), "300 MiB, "],
  "an endless answer": [endless, ""],
  "300 MiB in a gzip of 300 kB": [(response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb), ""]
}

describe("a page", () => {
  it.each([null, "gzip"] as const)("of 10 MB (content encoding %s) is read and applied", async (encoding) => {
    await using world = await World.open({ projects: 1000, project, maxPerPage: 1000, encoding })
    const worker = world.start()
    const { backfill } = await worker.live()
    assert.deepInclude(backfill["projects"], { rows: 1000, pagesTotal: 1, proof: "counts-agree" })
    await worker.stop()
    const sums = "select count(*)::int as rows, sum(length(name))::int as characters from construction.projects"
    const characters = Array.from({ length: 1000 }, (_, index) => project(index).name.length).reduce((a, b) => a + b)
    assert.deepStrictEqual(await world.query(sums), [{ rows: 1000, characters }])
  })

  it("of more than 32 MiB is stopped there with a reason, deliveries go on, and a smaller one is taken", async () => {
    await using world = await World.open({ projects: 120, maxPerPage: 10 }, { SITELEDGER_WALK_EVERY: "300 millis" })
    await using front = await Front.start(new URL(world.server.baseUrl).origin)
    const worker = world.start({ SITELEDGER_BASE_URL: front.at(world.server.baseUrl) })
    await worker.live()
    const before = peak(worker)
    for (const [answer, size] of Object.values(tooLarge)) {
      front.take = (response, what) => (what.endsWith("/projects") ? answer(response) : "pass")
      const sentence = new RegExp(
        `\\(SITELEDGER_BASE_URL\\) answered with ${size}more than the 32 MiB that are read of a list page: lower SITELEDGER_PAGE_SIZE, or raise SITELEDGER_PAGE_MAX_BYTES\\.`
      )
      await worker.status("it is a reason", ({ reasons }) => sentence.test(reasons.join()))
      assert.strictEqual(await world.server.deliver({ type: "ipc.paid" }), 200)
      front.take = () => "pass"
      await worker.live()
    }
    // One at a time, though twelve pages are under way: measured 190 MiB, and 470 side by side.
    assert.isBelow(peak(worker) - before, 300)
  })
})

describe("an answer without end", () => {
  it("to the request for a token is stopped with a reason, and memory stays bounded", async () => {
    await using world = await World.open({ projects: 3 })
    await using front = await Front.start(new URL(world.server.authUrl).origin)
    front.take = (response, what) => (what.endsWith("/oauth/token") ? endless(response) : "pass")
    const worker = world.start({ SITELEDGER_AUTH_URL: front.at(world.server.authUrl) })
    const sentence =
      /\(SITELEDGER_AUTH_URL\) answered with more than the 1 MiB that are read of a token: raise SITELEDGER_TOKEN_MAX_BYTES/
    await worker.status("it is a reason", ({ reasons }) => sentence.test(reasons.join()))
    assert.isBelow(peak(worker), 450)
    front.take = () => "pass"
    await worker.live()
  })

  it("that is a list which claims 100,000,000 records, one a page, is walked in bounded memory", async () => {
    await using world = await World.open({ projects: 3 })
    await using front = await Front.start(new URL(world.server.baseUrl).origin)
    front.take = (response, what) => {
      if (!what.endsWith("/projects")) return "pass"
      const { searchParams } = new URL(response.req.url ?? "/", "http://service.test")
      const page = Number(searchParams.get("page"))
      const pagination = { total: 100_000_000, page, per_page: 1 }
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ data: [{ id: page, name: `${page}`, status: "awarded" }], pagination }))
    }
    const worker = world.start({ SITELEDGER_BASE_URL: front.at(world.server.baseUrl) })
    const { backfill } = await worker.status(
      "pages arrive",
      ({ backfill }) => (backfill["projects"]?.pagesDone ?? 0) >= 100
    )
    assert.deepInclude(backfill["projects"], { pagesTotal: 100_000_000, proof: "running" })
    assert.isBelow(peak(worker), 450)
  })
})
