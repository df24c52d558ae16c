/**
 * The judge outside of the workers that are killed: it knows what it sent, what was answered 2xx, and what had been
 * requested of the service at each kill.
 */
import { assert } from "@effect/vitest"
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"
import { type RunningWorker, until } from "../RunningWorker.ts"
import type { Random } from "../Seeded.ts"
import { model, read, sha256, story, type StoryEvent } from "./Story.ts"
import type { World } from "./World.ts"

export const pageSize = 20
export const pages = 260
/** Pages requested and not yet done at a kill: as many as the walk has in flight. What has come is written at once. */
const mostUndone = 64

/** The random moment of a kill. It stands for no state that could be waited for. */
export const moment = (random: Random, upToMs: number): Promise<void> =>
  new Promise((done) => setTimeout(done, random.below(upToMs)))

export class Judge {
  readonly world: World
  readonly random: Random
  readonly sent: Array<StoryEvent> = []
  readonly acknowledged = new Map<string, number>()
  readonly attempted = new Map<string, number>()
  readonly #story: ReturnType<typeof story>
  #pagesDone = 0
  #judged: Array<{ readonly request: number; readonly pagesDone: number }> = []

  constructor(world: World, random: Random) {
    this.world = world
    this.random = random
    this.#story = story(random)
  }

  tell(count: number): ReadonlyArray<StoryEvent> {
    const events = this.#story.take(count)
    this.sent.push(...events)
    return events
  }

  /** One attempt. An event without a 2xx is sent again later, as an at-least-once service does. */
  async deliver(event: StoryEvent, to?: RunningWorker): Promise<boolean> {
    const body = event.body
    this.attempted.set(body, (this.attempted.get(body) ?? 0) + 1)
    const isTaken = (await this.world.server.deliver(event, to === undefined ? {} : this.world.at(to))) === 200
    if (isTaken) this.acknowledged.set(body, (this.acknowledged.get(body) ?? 0) + 1)
    return isTaken
  }

  get owed(): ReadonlyArray<StoryEvent> {
    const published = new Set(this.world.server.deliveries.map(({ body }) => body))
    return this.sent.filter(({ body }) => !this.acknowledged.has(body) && !published.has(body))
  }

  /** Waits until the worker is up, and remembers which pages it says are done. */
  async look(worker: RunningWorker, what = "the worker is up", isWanted?: (report: StatusReport) => boolean) {
    const { backfill } = await worker.status(what, isWanted)
    this.#pagesDone = Math.max(this.#pagesDone, backfill["projects"]?.pagesDone ?? 0)
  }

  /** At once, without asking the worker anything more. */
  async kill(worker: RunningWorker): Promise<void> {
    await worker.stop("SIGKILL")
    this.#judged.push({ request: this.world.server.requests.length, pagesDone: this.#pagesDone })
  }

  /** After each kill, only pages that were not done before it are requested. */
  assertNoPageTwice(): void {
    for (const { pagesDone, request } of this.#judged) {
      assert.isAtMost(this.world.pagesAsked(request).size, pages - pagesDone, `pages done before a kill: ${pagesDone}`)
    }
    const lives = [0, ...this.#judged.map(({ request }) => request)]
    for (const [index, from] of lives.entries()) {
      const before = this.world.pagesAsked(0, from)
      const again = [...this.world.pagesAsked(from, lives[index + 1]).keys()].filter((page) => before.has(page))
      assert.isAtMost(again.length, mostUndone, `pages requested again after kill ${index}`)
    }
    assert.strictEqual(this.world.pagesAsked().size, pages)
  }
}

/** Sends what is owed until all of it is accepted, as the service would within its day. */
export const settle = async (judge: Judge, worker: RunningWorker): Promise<void> => {
  const { server } = judge.world
  await worker.status("the worker is up")
  await until("everything is acknowledged", async () => {
    for (const event of judge.owed) await judge.deliver(event)
    for (const { id, state } of server.deliveries) if (state === "failed") server.replay(id)
    return judge.owed.length === 0 && server.deliveries.every(({ state }) => state === "delivered") ? true : undefined
  })
  await worker.status(
    "everything is applied",
    ({ backfill, inbox }) => inbox.pending === 0 && backfill["projects"]?.proof === "counts-agree"
  )
}

export const assertNothingLost = async (judge: Judge): Promise<void> => {
  const { server } = judge.world
  const events = await judge.world.query(
    "select body_sha256, deliveries, event_type, outcome, alarms from construction.events"
  )
  const found = new Map(events.map((row) => [row["body_sha256"], row]))
  assert.strictEqual(found.size, events.length)
  assert.strictEqual(events.length, judge.sent.length + 1, "every event once, and the ping")
  for (const event of judge.sent) {
    const row = found.get(sha256(event.body))
    assert.deepInclude(row, { event_type: event.type, outcome: "applied", alarms: "[]" }, event.body)
    const attempts = server.deliveries.filter(({ body }) => body === event.body).flatMap((each) => each.attempts)
    const taken = attempts.filter(({ status }) => status === 200).length + (judge.acknowledged.get(event.body) ?? 0)
    assert.isAtLeast(Number(row?.["deliveries"]), taken)
    assert.isAtMost(Number(row?.["deliveries"]), attempts.length + (judge.attempted.get(event.body) ?? 0))
  }
  assert.deepStrictEqual(await read((sql) => judge.world.query(sql)), model(judge.sent))
  const projects = await judge.world.query("select id::int as id, name, status from construction.projects order by id")
  assert.deepStrictEqual(projects, server.projects as ReadonlyArray<object> as typeof projects)
}
