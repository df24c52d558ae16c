/**
 * After a gap in which events were lost: the list that shows the missed payments is walked at once, payments that only
 * it shows are named and never posted, and once a person has the events sent again, everything is posted through
 * look-ups.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { StatusReport } from "../../../src/Operate/AdminApi/StatusReport.ts"
import { patience } from "../../Long.ts"
import { run, until } from "../../RunningWorker.ts"
import { startedOn } from "../SandboxWorld.ts"
import { subscribed } from "./Early.ts"

const hour = 3_600_000

const unheard = ({ reasonDetails }: StatusReport) => reasonDetails.find(({ key }) => key === "unheard payments")

describe("payments that happened while the receiver was down for too long", () => {
  it.live(
    "are named from the list, never posted from it, and posted once their events are sent again",
    () =>
      Effect.gen(function* () {
        const given = { money: "signed-off", timeScale: 1_000_000 } as const
        const { early, other, place, rest, sandbox, worker } = yield* subscribed(given)
        const walked = yield* Effect.promise(async () => {
          const { backfill } = await worker.status("the lists are walked", (report) =>
            ["ipcs", other].every((table) => report.backfill[table]?.at != null)
          )
          await worker.stop()
          return backfill
        })
        const nowMs = Date.now()
        yield* rest
        yield* Effect.promise(async () => {
          await place.store("delete from uptime")
          await place.store(`insert into uptime (from_ms, to_ms) values (${nowMs - 40 * hour}, ${nowMs - 30 * hour})`)
        })
        const next = yield* startedOn(place, worker.environment)
        const report = yield* Effect.promise(() =>
          next.status("what was missed is named", (found) => unheard(found) !== undefined)
        )
        assert.deepInclude(unheard(report), { level: "notice" })
        const rows = yield* Effect.promise(() =>
          until("all of them are reported", async () => {
            const { stdout } = await run(next.environment, "report", "repaired", "--json")
            const found = JSON.parse(stdout) as ReadonlyArray<Readonly<Record<string, string>>>
            const named = new Set(found.flatMap(({ of, what }) => (what === "payment without an event" ? [of] : [])))
            return early.every(({ id }) => named.has(id)) ? found : undefined
          })
        )
        const { backfill } = yield* Effect.promise(() => next.status("a status"))
        assert.isAbove(Date.parse(backfill["ipcs"]?.at ?? ""), nowMs)
        assert.strictEqual(backfill[other]?.at, walked[other]?.at)
        assert.isTrue(rows.some(({ of, what }) => what === "list walked" && of === "ipcs"))
        assert.deepStrictEqual(yield* Effect.promise(() => place.store("select 1 from ledger_entries")), [])
        yield* sandbox.replayFailed
        const posted = yield* Effect.promise(() =>
          until("all are posted", async () => {
            const entries = await place.store("select ipc_id, amount from ledger_entries")
            const amounts = new Map(entries.map((row) => [row["ipc_id"], row["amount"]]))
            return early.every(({ id }) => amounts.has(id)) ? amounts : undefined
          })
        )
        for (const { amount, id } of early) assert.strictEqual(posted.get(id), amount, id)
      }),
    patience
  )
})
