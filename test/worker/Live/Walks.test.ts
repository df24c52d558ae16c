/**
 * Lists that change while they are walked, records that disappear and come back, and a plan that no restart exceeds. Walks
 * repeat all the time here; the requests for page 1 tell the passes apart.
 */
import { assert, describe, it } from "@effect/vitest"
import { patience, rounds } from "../../Long.ts"
import { until } from "../../RunningWorker.ts"
import { World } from "../World.ts"

const again = { SITELEDGER_WALK_EVERY: "300 millis" }

const projects = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `Project ${index + 1}`, status: "awarded" }))

const passesBegun = (world: World, from = 0): number => world.pagesAsked(from).get(1) ?? 0

/** Until this many passes have begun after the request `from`: all but the last have ended. */
const passes = (world: World, count: number, from: number) =>
  until(`${count} passes`, async () => (passesBegun(world, from) >= count ? true : undefined))

/** Once, when a page is asked for the nth time, before it is answered. */
const whenAsked = (world: World, page: number, time: number, then: () => void): void => {
  void world.server
    .waitFor(() => {
      const isAsked = (world.pagesAsked().get(page) ?? 0) >= time
      if (isAsked) then()
      return isAsked
    })
    .catch(() => undefined)
}

/**
 * Once, in the first pass, when the pages up to this one have been requested and no later one: before this page is
 * answered. (Concurrent requests may overtake each other.)
 */
const whenReached = (world: World, page: number, then: () => void): void => {
  void world.server
    .waitFor(() => {
      const asked = [...world.pagesAsked().keys()]
      const isReached = asked.length >= page && asked.at(-1) === asked.length && Math.max(...asked) === asked.length
      if (isReached) then()
      return isReached
    })
    .catch(() => undefined)
}

/** Lets a worker walk once; the pass after it is held up until the worker ends. */
const onePass = async (world: World): Promise<void> => {
  const from = world.server.requests.length
  whenAsked(world, 1, passesBegun(world) + 2, () => world.server.fail("hang"))
  const worker = world.start()
  await passes(world, 2, from)
  await worker.stop()
}

const current = (world: World) =>
  world.query("select id::int as id, name, status from construction.projects where _deleted_at is null order by id")

const deleted = async (world: World) =>
  (await world.query("select id::int as id from construction.projects where _deleted_at is not null order by id")).map(
    (row) => row["id"]
  )

describe("a list", () => {
  it("that swaps one record for another between two pages is not proven before two passes agree", async () => {
    const list = projects(200)
    await using world = await World.open(
      { projects: list, maxPerPage: 20 },
      { ...again, SITELEDGER_REQUESTS_PER_MINUTE: "1500" }
    )
    // Record 25 has been shown on page 2; everything after it moves up, so that one is on no page that is still to come.
    whenReached(world, 5, () => {
      list.splice(24, 1)
      list.push({ id: 900, name: "New", status: "awarded" })
    })
    const worker = world.start()
    const proofs = new Map<string | null, string>()
    await worker.status("proven", ({ backfill }) => {
      const walk = backfill["projects"]
      if (walk !== undefined) proofs.set(walk.at, walk.proof)
      return walk?.proof === "proven"
    })
    assert.deepStrictEqual([...proofs.values()].filter((proof) => proof !== "running").slice(0, 2), [
      "counts-agree",
      "counts-agree"
    ])
    assert.isAtLeast(passesBegun(world), 3)
    await worker.stop()
    assert.deepStrictEqual(await current(world), list as Array<never>)
    assert.deepStrictEqual(await deleted(world), [25])
  })

  it("that grows while it is walked is unproven, walked again at once, and then agrees", async () => {
    const list = projects(100)
    await using world = await World.open({ projects: list, maxPerPage: 20 }, { SITELEDGER_REQUESTS_PER_MINUTE: "1500" })
    whenAsked(world, 3, 1, () => list.unshift({ id: 900, name: "New", status: "awarded" }))
    const worker = world.start()
    await worker.status("it agrees", ({ backfill }) => backfill["projects"]?.proof === "counts-agree")
    assert.strictEqual(passesBegun(world), 2)
    await worker.stop()
    assert.deepStrictEqual(await current(world), list.toSorted((a, b) => a.id - b.id) as Array<never>)
  })

  it("loses a record in the copy only after two passes that agree, and the record may come back", async () => {
    const list = projects(50)
    await using world = await World.open({ projects: list, maxPerPage: 20 }, again)
    const first = world.start()
    await first.status("proven", ({ backfill }) => backfill["projects"]?.proof === "proven")
    await first.stop()
    const [gone] = list.splice(6, 1)
    await onePass(world)
    assert.deepStrictEqual(await deleted(world), [], "one pass is no proof")
    list.splice(6, 1, { id: 900, name: "New", status: "awarded" })
    await onePass(world)
    assert.deepStrictEqual(await deleted(world), [], "nor are two passes that differ")
    await onePass(world)
    assert.deepStrictEqual(await deleted(world), [7, 8])
    assert.strictEqual((await current(world)).length, 49)
    if (gone !== undefined) list.splice(20, 0, { ...gone, name: "Back" })
    await onePass(world)
    assert.deepStrictEqual(await deleted(world), [8])
    assert.deepStrictEqual(await world.query("select name from construction.projects where id = 7"), [{ name: "Back" }])
  })
})

describe("the plan", () => {
  it("is never exceeded, however often the worker is killed and restarted", { timeout: patience }, async () => {
    const plan = rounds(4, 12)
    await using world = await World.open(
      { projects: 2000, maxPerPage: 20, requestsPerMinute: plan },
      { SITELEDGER_REQUESTS_PER_MINUTE: String(plan) }
    )
    // Including token requests: the interface document doesn't say what counts.
    const { requests } = world.server
    // Each start would send requests at once; only the memory of earlier lives limits it.
    for (let life = 0; life < plan + 3; life++) {
      const before = requests.length
      const worker = world.start()
      await worker.status(
        "it asks, or knows that it may not",
        ({ api }) => requests.length > before || api.usedLastMinute >= plan
      )
      await worker.stop("SIGKILL")
    }
    assert.isAtLeast(requests.length, plan / 2)
    const within = requests.map(({ at }) => requests.filter((other) => other.at <= at && other.at > at - 60_000).length)
    assert.isAtMost(Math.max(...within), plan)
  })
})
