/** Pages and lists that break the interface document's promises, one worker and one fault at a time. */
import { assert, describe, it } from "@effect/vitest"
import type { Fault, ProjectSource } from "../../InterfaceServer.ts"
import { World } from "../World.ts"

const projectRows = "select id::int as id, name, status from construction.projects order by id"

/** Runs `then` once, right after the answer to page 1 has left and before another page is asked for. */
const afterFirstPage = (world: World, then: () => void): Promise<void> =>
  world.server.waitFor(() => {
    const isAnswered = world.server.requests.some(({ path, status }) => path.endsWith("/projects") && status === 200)
    if (isAnswered) then()
    return isAnswered
  })

const asked = (world: World): number => [...world.pagesAsked().values()].reduce((sum, each) => sum + each, 0)

describe("a page that is not what it should be", () => {
  const faults: ReadonlyArray<Fault> = ["html", "cut-json", "cut-body", "500", "502", "503", "wrong-shape", "reset"]

  it("is requested again as a whole, and the walk ends well", async () => {
    await using world = await World.open({ projects: 380, maxPerPage: 40 })
    world.server.fail("500")
    const spoiled = afterFirstPage(world, () => {
      for (const fault of faults) world.server.fail(fault)
    })
    const worker = world.start()
    await spoiled
    const report = await worker.live()
    assert.deepInclude(report.backfill["projects"], { rows: 380, proof: "counts-agree", quarantined: 0 })
    assert.strictEqual(asked(world), 10 + 1 + faults.length)
    await worker.stop()
    assert.deepStrictEqual(await world.query(projectRows), world.server.projects as Array<never>)
  })

  it("moves no checkpoint, even if the worker is killed meanwhile", async () => {
    await using world = await World.open({ projects: 380, maxPerPage: 40 })
    const spoiled = afterFirstPage(world, () => {
      for (let round = 0; round < 3; round++) world.server.fail(round % 2 ? "html" : "cut-json", 9)
    })
    const worker = world.start()
    await spoiled
    const report = await worker.status("the trouble is shown", ({ phase }) => phase === "degraded")
    assert.match(report.reasons.join(), /GET \/projects answered with/)
    assert.deepInclude(report.backfill["projects"], { pagesDone: 1, pagesTotal: 10, rows: 40, proof: "running" })
    await worker.stop("SIGKILL")
    const before = world.server.requests.length
    const again = world.start()
    const live = await again.live()
    assert.deepInclude(live.backfill["projects"], { pagesDone: 10, rows: 380, proof: "counts-agree" })
    assert.deepStrictEqual(
      [...world.pagesAsked(before).keys()].toSorted((a, b) => a - b),
      [2, 3, 4, 5, 6, 7, 8, 9, 10]
    )
    await again.stop()
    assert.deepStrictEqual(await world.query(projectRows), world.server.projects as Array<never>)
  })
})

describe("a record that is not what it should be", () => {
  const bad: ReadonlyArray<readonly [what: string, record: string]> = [
    ["without an id", '{"name": "No id", "status": "awarded"}'],
    ["with a word for an id", '{"id": "P-7", "name": "Word", "status": "awarded"}'],
    ["with a fraction for an id", '{"id": 7.5, "name": "Fraction", "status": "awarded"}'],
    ["with an id beyond 64 bits", '{"id": 99999999999999999999, "name": "Large", "status": "awarded"}'],
    ["that is no object", '"just text"']
  ]

  it("waits in quarantine while its page goes on", async () => {
    const projects: Array<ProjectSource> = Array.from({ length: 95 }, (_, index) => ({
      id: index + 1,
      name: `Project ${index}`,
      status: "awarded"
    }))
    const good = projects.slice()
    bad.forEach(([, record], index) => projects.splice(10 + 20 * index, 0, record))
    await using world = await World.open({ projects, maxPerPage: 30 })
    const worker = world.start()
    const found = await worker.status("they are counted", ({ backfill, phase }) => {
      return phase === "live" && backfill["projects"]?.quarantined === bad.length
    })
    assert.deepInclude(found.backfill["projects"], { quarantined: bad.length, proof: "counts-agree" })
    await worker.stop()
    assert.deepStrictEqual(await world.query(projectRows), good as Array<never>)
  })

  it("is one in quarantine however often it is seen, and keeps its verbatim text in the store", async () => {
    const [, record] = bad[0] ?? ["", ""]
    await using world = await World.open({ projects: [record] }, { SITELEDGER_WALK_EVERY: "300 millis" })
    const worker = world.start()
    const { backfill } = await worker.status("two passes", (report) => report.backfill["projects"]?.proof === "proven")
    assert.strictEqual(backfill["projects"]?.quarantined, 1)
  })
})

describe("paging that is not as assumed", () => {
  it("is noticed and named when the server ignores the page", async () => {
    await using world = await World.open({ projects: 120 })
    world.server.fail("ignore-page", 10_000)
    const worker = world.start()
    const report = await worker.status("degraded", ({ phase }) => phase === "degraded")
    assert.match(report.reasons.join(), /page 1 when asked for page 2.*SITELEDGER_PAGE_PARAM/)
    assert.notInclude(["counts-agree", "proven"], report.backfill["projects"]?.proof)
  })

  it("is walked under other names", async () => {
    const names = { SITELEDGER_PAGE_PARAM: "p", SITELEDGER_PER_PAGE_PARAM: "page[size]" }
    await using world = await World.open({ projects: 120, pageParam: "p", perPageParam: "page[size]" }, names)
    const worker = world.start()
    const { backfill } = await worker.live()
    assert.deepInclude(backfill["projects"], { rows: 120, pagesTotal: 2, proof: "counts-agree" })
    const asked = world.server.requests.filter(({ path }) => path.endsWith("/projects")).map(({ query }) => query)
    assert.deepStrictEqual(new Set(asked.flatMap((query) => Object.keys(query))), new Set(["p", "page[size]"]))
  })

  it("is walked with the page size that the service grants, refused or shortened", async () => {
    await using world = await World.open({ projects: 230, rejectLargePages: true })
    const refused = world.start()
    assert.deepInclude((await refused.live()).backfill["projects"], { rows: 230, pagesTotal: 3, proof: "counts-agree" })
    const refusals = world.server.requests.filter(({ status }) => status === 422)
    assert.deepStrictEqual(
      refusals.map(({ query }) => query["per_page"]),
      ["1000", "500", "200"]
    )
    await refused.stop()
    await using other = await World.open({ projects: 230, maxPerPage: 70 })
    const shortened = other.start()
    assert.deepInclude((await shortened.live()).backfill["projects"], { rows: 230, pagesTotal: 4 })
  })
})
