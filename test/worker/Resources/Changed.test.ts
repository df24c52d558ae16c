/**
 * Lists that can be asked for their changes, by a whole worker on a sandbox that has such filters in several forms: new
 * and changed records arrive without another walk over the whole list, and deleted ones stay until there is one.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RecordTruth } from "../../../sandbox/Catalogue.ts"
import type { List, Review } from "../../../src/Discovery/Review.ts"
import { saw } from "../../Logged.ts"
import { patience } from "../../Long.ts"
import type { Place } from "../Place.ts"
import { startedOn } from "../SandboxWorld.ts"
import { discovered } from "./Discovered.ts"

/** Of each form some. */
const switchedOn = (file: string): ReadonlyArray<List> => {
  const review = JSON.parse(readFileSync(file, "utf8")) as Review
  const found = new Map<string, number>()
  const lists = review.lists.map((list): List => {
    const { changed } = list.refresh
    const count = changed === undefined ? Infinity : (found.get(changed.as) ?? 0)
    const on = count < 3 && list.kind === "list" && (list.needs ?? []).length === 0 && list.table !== "projects"
    if (changed === undefined || !on) return { ...list, on: false }
    found.set(changed.as, count + 1)
    return { ...list, on, refresh: { every: "1 second", changed: { ...changed, whole: "1 day" } } }
  })
  assert.sameMembers([...found.keys()], ["date-time", "date", "unix-seconds"])
  writeFileSync(file, JSON.stringify({ ...review, lists }))
  return lists.filter(({ on }) => on)
}

/** All that is there is in the table, as it is now; and what is gone, too. */
const compare = async (
  place: Place,
  lists: ReadonlyArray<List>,
  truth: ReadonlyArray<RecordTruth>,
  before: number
): Promise<void> => {
  const list = lists.find(({ read }) => truth[0]?.list === read.replace("GET ", "")) ?? assert.fail("no list")
  const [key = "id"] = list.key
  const time = list.refresh.changed?.column
  const shown = time === undefined ? "null" : `epoch_ms("${time}")`
  const rows = await place.query(
    `select cast("${key}" as varchar) as key, ${shown} as at from construction."${list.table}" where _deleted_at is null`
  )
  const at = new Map(rows.map((row) => [String(row["key"]), row["at"]]))
  for (const { listed } of truth) {
    const id = String(listed[key])
    assert.isTrue(at.has(id), `${list.table} ${id}`)
    const said = time === undefined ? undefined : listed[time]
    if (typeof said === "string") assert.strictEqual(Number(at.get(id)), Date.parse(said), `${list.table} ${id}`)
  }
  assert.isAbove(at.size, truth.length, `${list.table}: what is gone stays`)
  assert.isAtMost(at.size, before + 2)
}

describe("lists that can be asked for what changed", () => {
  it.live(
    "are kept new by that, and keep what is gone until they are walked as a whole",
    () =>
      Effect.gen(function* () {
        const { catalogue, environmentFor, place, review } = yield* discovered(30)
        const lists = switchedOn(review)
        const worker = yield* startedOn(place, {
          ...environmentFor(lists.flatMap(({ scope }) => scope)),
          LOG_FORMAT: "json"
        })
        const waited = (what: string, isSo: (at: string | null, changedAt: string | null, table: string) => boolean) =>
          Effect.promise(() =>
            worker.status(what, ({ backfill }) =>
              lists.every(({ table }) => isSo(backfill[table]?.at ?? null, backfill[table]?.changedAt ?? null, table))
            )
          )
        // One without a total twice: the second pass follows soon.
        const { backfill: first } = yield* Effect.promise(() =>
          worker.status("all are walked", ({ backfill }) =>
            lists.every(({ table }) => backfill[table]?.at != null && backfill[table].proof !== "unproven")
          )
        )
        const names = catalogue.names.filter((name) =>
          lists.some(({ read }) => catalogue.truth(name)[0]?.list === read.replace("GET ", ""))
        )
        assert.isAtLeast(names.length, 5)
        const gone = new Map(names.map((name) => [name, catalogue.truth(name)]))
        for (const name of names) catalogue.edit(name, { inserts: 2, updates: 3, deletes: 1 }, Date.now())
        for (let times = 0; times < 2; times++) {
          const { backfill: before } = yield* waited("a status", () => true)
          yield* waited(
            "what changed is read",
            (_at, changedAt, table) => changedAt !== null && changedAt !== before[table]?.changedAt
          )
        }
        const { backfill } = yield* waited("a status", () => true)
        for (const { table } of lists) {
          assert.strictEqual(backfill[table]?.at, first[table]?.at, table)
          const read = yield* Effect.promise(() =>
            worker.metric("siteledger_walk_changed_timestamp_seconds", `{resource="${table}"}`)
          )
          assert.isAtMost(Math.abs(Date.now() / 1000 - (read ?? 0)), 120, table)
        }
        yield* Effect.promise(() => worker.stop())
        assert.isAtLeast(Number(saw(worker.stderr, "walk.changed")["pages"]), 1)
        place.changes()
        for (const name of names) {
          yield* Effect.promise(() => compare(place, lists, catalogue.truth(name), gone.get(name)?.length ?? 0))
        }
      }),
    patience
  )
})
