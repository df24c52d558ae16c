/**
 * Records have fields that the review file doesn't name: as the file says, a worker makes columns of them, keeps them
 * where they were, or doesn't keep them. Its tables, the copy for analysts and an export show the columns.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import type { List, Review } from "../../src/Discovery/Review.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { saw } from "../Logged.ts"
import { patience } from "../Long.ts"
import { type RunningWorker, run } from "../RunningWorker.ts"
import { placeOf, startedOn } from "./SandboxWorld.ts"

const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path)))

const policies = ["evolve", "freeze", "discard"] as const

/** A list for each policy, by its own name, whose records are named by `id`, with nothing but that in the file. */
const bare = (file: string): ReadonlyArray<List> => {
  const review = JSON.parse(readFileSync(file, "utf8")) as Review
  const can = review.lists.filter(
    ({ columns, confidence, key, kind, needs = [], table }) =>
      kind === "list" &&
      confidence === "high" &&
      needs.length === 0 &&
      key.join() === "id" &&
      table !== "projects" &&
      columns.every(({ from, use }) => from === undefined && use === "keep")
  )
  const chosen = new Map(can.slice(0, policies.length).map(({ table }, place) => [table, policies[place]]))
  const lists = review.lists.map((list): List => {
    const newFields = chosen.get(list.table)
    if (newFields === undefined) return list
    const columns = list.columns.filter(({ name }) => name === "id")
    return { ...list, on: true, columns, newFields, refresh: { every: "1 second" } }
  })
  writeFileSync(file, JSON.stringify({ ...review, lists }))
  return lists.filter(({ table }) => chosen.has(table))
}

/** Each list has ended a pass. */
const walked = async (worker: RunningWorker, lists: ReadonlyArray<List>): Promise<void> => {
  const { backfill: before } = await worker.status("a status")
  await worker.status("each list has ended a pass", ({ backfill }) =>
    lists.every(({ table }) => backfill[table]?.at != null && backfill[table]?.at !== before[table]?.at)
  )
}

type Row = Readonly<Record<string, unknown>>

/** How many values were compared: those whose text is the same everywhere. */
const compared = (rows: ReadonlyArray<Row>, records: ReadonlyMap<string, Row>): number => {
  let count = 0
  for (const row of rows) {
    assert.isNull(row["_extra"])
    for (const [field, value] of Object.entries(records.get(String(row["id"])) ?? {})) {
      const isPlain = typeof value === "boolean" || (typeof value === "string" && Number.isNaN(Number(value)))
      if (!isPlain || !/^[a-z_]+$/.test(field) || /\dT\d/.test(String(value))) continue
      assert.strictEqual(row[field], String(value), field)
      count++
    }
  }
  return count
}

const own = ["id", "_extra", "_clocks", "_first_seen_at", "_changed_at", "_deleted_at"]

describe("a worker whose lists have fields that the review file doesn't name", () => {
  it.live(
    "makes columns of them, keeps them apart, or doesn't keep them",
    () =>
      Effect.gen(function* () {
        const { authUrl, baseUrl, catalogue, options } = yield* Sandbox.start({
          openapi: "full",
          projects: 3,
          records: 8,
          eventsPerSecond: 0,
          plan: Infinity
        })
        if (catalogue === undefined) return assert.fail("no catalogue")
        const place = yield* placeOf({ ...options, authUrl, baseUrl })
        const review = join(yield* folder, "resources.json")
        const discovered = yield* Effect.promise(() =>
          run(place.environment, "discover", `${baseUrl}/openapi.json`, "--review", review)
        )
        assert.strictEqual(discovered.code, 0, discovered.stderr)
        const lists = bare(review)
        assert.strictEqual(lists.length, policies.length)
        const worker = yield* startedOn(place, {
          SITELEDGER_RESOURCES: review,
          SITELEDGER_SCOPES: `projects.read webhooks.write ${lists.flatMap(({ scope }) => scope).join(" ")}`,
          SITELEDGER_REQUESTS_PER_MINUTE: "600000",
          SITELEDGER_WALK_EVERY: "1 second"
        })
        yield* Effect.promise(async () => {
          await worker.status("columns are added", ({ learned }) => learned.columns > 0)
          for (let pass = 0; pass < 2; pass++) await walked(worker, lists)
        })
        const exported = yield* Effect.promise(() => run(place.environment, "export"))
        assert.strictEqual(exported.code, 0, exported.stderr)
        const { columns, resource } = saw(worker.stderr, "columns.added")
        assert.strictEqual(resource, lists[0]?.table)
        const [first] = String(columns).split(" ")
        const sql = `select count("${first}") > 0 as has_values from construction."${String(resource)}"`
        const asked = yield* Effect.promise(() => run(place.environment, "query", sql, "--json"))
        assert.include(asked.stdout, "true", asked.stderr)
        yield* Effect.promise(() => worker.stop())
        place.changes()
        const [evolving, frozen, closed] = yield* Effect.forEach(lists, ({ table }) =>
          Effect.promise(() => place.query(`select cast(columns(*) as varchar) from construction."${table}"`))
        )
        const truth = catalogue.names.flatMap((name) => catalogue.truth(name))
        const path = lists[0]?.read.replace("GET ", "")
        const records = new Map(
          truth.filter(({ list }) => list === path).map(({ listed }) => [String(listed["id"]), listed])
        )
        assert.strictEqual(evolving?.length, records.size)
        assert.isAbove(compared(evolving ?? [], records), records.size)
        for (const row of frozen ?? []) assert.isNotNull(row["_extra"])
        for (const rows of [frozen, closed]) assert.sameMembers(Object.keys(rows?.[0] ?? {}), own)
        for (const row of closed ?? []) assert.isNull(row["_extra"])
      }),
    patience
  )
})
