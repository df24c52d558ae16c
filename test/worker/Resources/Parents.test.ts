/**
 * Failures for one parent, or for one list, with a whole worker on a sandbox: only that one is reported, and the others
 * stay as they are.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { List, Review } from "../../../src/Discovery/Review.ts"
import { patience } from "../../Long.ts"
import type { RunningWorker } from "../../RunningWorker.ts"
import { startedOn } from "../SandboxWorld.ts"
import { discovered } from "./Discovered.ts"

const isUsable = ({ confidence, needs = [] }: List): boolean => confidence === "high" && needs.length === 0

/** A list below the projects, one beside them, and one whose rows the file looks for at a wrong place. */
const switchedOn = (file: string) => {
  const review = JSON.parse(readFileSync(file, "utf8")) as Review
  const usable = review.lists.filter(isUsable)
  const child = usable.find(({ answer, parent }) => parent?.table === "projects" && answer.total !== undefined)
  const [beside, wrong] = usable.filter(({ kind, table }) => kind === "list" && table !== "projects")
  if (child === undefined || beside === undefined || wrong === undefined) return assert.fail("no such lists")
  const on = new Set(["projects", child.table, beside.table, wrong.table])
  const lists = review.lists.map((list): List => {
    const answer = list === wrong ? { ...list.answer, rows: "/elsewhere" } : list.answer
    return { ...list, answer, on: on.has(list.table), refresh: { every: "1 second" } }
  })
  writeFileSync(file, JSON.stringify({ ...review, lists }))
  return { child, beside, wrong, scopes: lists.filter((list) => list.on).flatMap(({ scope }) => scope) }
}

/** Two passes after now have ended. */
const walkedAgain = async (worker: RunningWorker, table: string): Promise<void> => {
  for (let passes = 0; passes < 3; passes++) {
    const before = (await worker.status("a status")).backfill[table]?.at
    await worker.status(`${table} is walked again`, ({ backfill }) => backfill[table]?.at !== before)
  }
}

describe("what goes wrong", () => {
  it.live(
    "below one parent takes nothing from the others, and a list that isn't as the file says stops no other",
    () =>
      Effect.gen(function* () {
        const { catalogue, environmentFor, place, review } = yield* discovered(30)
        const { beside, child, scopes, wrong } = switchedOn(review)
        const worker = yield* startedOn(place, {
          ...environmentFor(scopes),
          SITELEDGER_WALK_EVERY: "1 second"
        })
        const proven = (what: string, of: number) =>
          worker.status(what, ({ backfill }) => backfill[child.table]?.parents?.proven === of)
        yield* Effect.promise(() => proven("all parents are proven", 3))
        const parents = (isProven: "no" | "yes") =>
          worker.metric("siteledger_walk_parents", `{resource="${child.table}",proven="${isProven}"}`)
        assert.deepStrictEqual(yield* Effect.promise(() => Promise.all([parents("yes"), parents("no")])), [3, 0])
        catalogue.faults.set("projects", "gone")
        yield* Effect.promise(() => proven("one parent isn't proven any more", 2))
        yield* Effect.promise(() => walkedAgain(worker, child.table))
        const report = yield* Effect.promise(() =>
          worker.status("the wrong list is told", ({ reasonDetails }) =>
            reasonDetails.some(({ key }) => key === `walk ${wrong.table}`)
          )
        )
        assert.deepInclude(report.backfill[child.table], { proof: "unproven", parents: { found: 3, proven: 2 } })
        assert.match(String(report.backfill[beside.table]?.proof), /^(proven|passes-agree)$/)
        assert.isNotNull(report.backfill[beside.table]?.nextProofAt)
        assert.deepStrictEqual(
          report.reasonDetails.filter(({ level }) => level !== "notice").map(({ key }) => key),
          [`walk ${wrong.table}`]
        )
        assert.match(report.reasons.join(), /answered without `elsewhere`.*as its list in the review file says/)
        yield* Effect.promise(() => worker.stop())
        place.changes()
        const rows = yield* Effect.promise(() =>
          place.query(`select count(*) as deleted from construction."${child.table}" where _deleted_at is not null`)
        )
        assert.strictEqual(Number(rows[0]?.["deleted"]), 0)
      }),
    patience
  )
})
