/** Answers of 200 that aren't the list, or never end: a reason in plain words, no row changes, and deliveries go on. */
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Front } from "../../Front.ts"
import { some } from "../../Long.ts"
import { until } from "../../RunningWorker.ts"
import { applied, dump, provenWith } from "../Past.ts"
import { World } from "../World.ts"

const page = { data: [], pagination: { total: 0, page: 1, per_page: 100 } }
const html = "<!doctype html><title>Log in</title><form method=post><input name=user></form>"

/** What is answered instead of the list, and what Status says about it. */
const answers: Readonly<Record<string, readonly [body: string, sentence: RegExp]>> = {
  "the login page of a proxy": [html, /GET \/projects answered with HTML, perhaps the login or error page of a proxy/],
  "an empty body": ["", /GET \/projects answered without a body/],
  "white space": [" \n", /GET \/projects answered without a body/],
  "truncated JSON": [JSON.stringify(page).slice(0, -2), /answered with something that isn't JSON or is truncated/],
  "a list without its pagination": ["[]", /GET \/projects answered without `data` and `pagination`/],
  "null for the list": [JSON.stringify({ ...page, data: null }), /without `data` and `pagination`/],
  "an error that is called OK": ['{"status":"error","message":"x"}', /without `data` and `pagination`/],
  "a total that is a word": [
    JSON.stringify({ ...page, pagination: { total: "0", page: 1, per_page: 100 } }),
    /counts that aren't integers/
  ]
}

const isList = (what: string): boolean => what.startsWith("GET ") && what.endsWith("/projects")

/** A copy that is whole, with a project that is gone, and a service that can then be spoiled. */
const walked = async () => {
  const world = await World.open({ projects: 5 }, { SITELEDGER_WALK_EVERY: "300 millis" })
  const front = await Front.start(new URL(world.server.baseUrl).origin)
  const environment = { SITELEDGER_BASE_URL: front.at(world.server.baseUrl) }
  const first = world.start(environment)
  await first.live()
  assert.strictEqual(await world.server.deliver({ type: "ipc.paid" }), 200)
  await applied(first)
  world.server.projects.splice(2, 1)
  await provenWith(first, 4)
  await first.stop()
  const close = async () => {
    await world[Symbol.asyncDispose]()
    await front[Symbol.asyncDispose]()
  }
  return { world, front, environment, before: await dump(world), [Symbol.asyncDispose]: close }
}

describe("instead of the list", () => {
  it("any other answer of 200 is a reason and is requested again, and no row or tombstone changes", async () => {
    await using service = await walked()
    const { environment, front, world } = service
    assert.strictEqual(service.before["projects"]?.filter((row) => row["_deleted_at"] !== null).length, 1)
    const worker = world.start(environment)
    await worker.live()
    for (const [body, sentence] of some(Object.values(answers), 3)) {
      front.take = (response, what) => (isList(what) ? response.writeHead(200).end(body) : "pass")
      const from = front.came.length
      await worker.status(`it says ${sentence}`, ({ reasons }) => sentence.test(reasons.join()))
      assert.isAtLeast(front.came.slice(from).filter(({ what }) => isList(what)).length, 2)
      front.take = () => "pass"
      await worker.live()
    }
    front.take = (response, what) => (isList(what) ? response.writeHead(200).end(html) : "pass")
    await worker.status("it is spoiled again", ({ phase }) => phase === "degraded")
    await worker.stop("SIGKILL")
    assert.deepStrictEqual(await dump(world), service.before)
  })

  it("silence stops no delivery", async () => {
    await using service = await walked()
    const { environment, front, world } = service
    const silent: Array<ServerResponse> = []
    front.take = (response, what) => (isList(what) ? silent.push(response) : "pass")
    const worker = world.start(environment)
    await until("the list is requested", async () => (silent.length > 0 ? true : undefined))
    assert.strictEqual(await world.server.deliver({ type: "ipc.paid", fields: { ipc_id: 77 } }), 200)
    await worker.status("applied", ({ events, inbox }) => inbox.pending === 0 && (events["applied"] ?? 0) >= 1)
    assert.strictEqual((await worker.stop()).code, 0)
  })
})
