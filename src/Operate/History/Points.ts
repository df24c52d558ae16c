/**
 * The verb `history`: the last hour by the minute, or the last day by ten minutes, for all workers together. It
 * includes the current minute as far as the answering worker has counted it; other workers' minutes are added as they
 * end.
 */
import { Clock, Duration, Effect } from "effect"
import type { Selectable } from "kysely"
import * as Instant from "../../Domain/Instant.ts"
import { Store } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import type { Answer, Payload } from "../AdminApi.ts"
import { UnderWay } from "../History.ts"
import { Latencies } from "./Latencies.ts"

type Row = Selectable<StoreTables["history"]>
type Point = Answer<"history">["points"][number]

const ranges = {
  hour: { stepMs: Duration.toMillis("1 minute"), steps: 60 },
  day: { stepMs: Duration.toMillis("10 minutes"), steps: 144 }
}

const minuteMs = Duration.toMillis("1 minute")

/** All rows of one step. */
const pointOf = (atMs: number, stepMs: number, rows: ReadonlyArray<Row>): Point => {
  const [visible, posted] = [new Latencies(), new Latencies()]
  for (const row of rows) {
    visible.addKept(row.visible)
    posted.addKept(row.posted)
  }
  const sum = (name: "deliveries" | "requests") => rows.reduce((all, row) => all + row[name], 0)
  return {
    at: Instant.fromMillis(atMs),
    deliveries: sum("deliveries"),
    visibleP50Ms: visible.percentile(0.5),
    visibleP99Ms: visible.percentile(0.99),
    postedP50Ms: posted.percentile(0.5),
    postedP99Ms: posted.percentile(0.99),
    requests: sum("requests"),
    // All workers share the plan.
    limit: Math.max(...rows.map((row) => row.request_limit)) * (stepMs / minuteMs)
  }
}

export const history = Effect.fnUntraced(function* ({ range }: Payload<"history">) {
  const store = yield* Store
  const { stepMs, steps } = ranges[range]
  const nowMs = yield* Clock.currentTimeMillis
  const lastMs = Math.floor(nowMs / stepMs) * stepMs
  const firstMs = lastMs - (steps - 1) * stepMs
  const [from, to] = [firstMs, nowMs].map(Instant.fromMillis) as [string, string]
  const written = yield* store.run((db) =>
    db.selectFrom("history").selectAll().where("minute", ">=", from).where("minute", "<=", to).execute()
  )
  const underWay = yield* yield* UnderWay
  const rows = Map.groupBy([...written, ...underWay], ({ minute }) =>
    Math.floor(Instant.toMicros(minute) / 1000 / stepMs)
  )
  return {
    stepSeconds: stepMs / 1000,
    points: [...rows]
      .toSorted(([one], [other]) => one - other)
      .map(([step, all]) => pointOf(step * stepMs, stepMs, all))
  }
})
