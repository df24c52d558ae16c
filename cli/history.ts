/**
 * `siteledger history`: what all workers did in the last hour, minute by minute, or in the last day.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { Answer } from "../src/Operate/AdminApi.ts"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { json, toggle } from "./Options.ts"
import * as Print from "./Print.ts"

const flags = { day: toggle("day", "The last day in steps of ten minutes, instead of the last hour"), json }

type Point = Answer<"history">["points"][number]

const columns = ["time", "deliveries", "visible_p50_p99", "posted_p50_p99", "requests", "limit"]

const latency = (half: number | null, most: number | null): string | null => (half === null ? null : `${half} ${most}`)

const rowOf = (point: Point) => ({
  time: point.at.slice(0, 16).replace("T", " "),
  deliveries: point.deliveries,
  visible_p50_p99: latency(point.visibleP50Ms, point.visibleP99Ms),
  posted_p50_p99: latency(point.postedP50Ms, point.postedP99Ms),
  requests: point.requests,
  limit: point.limit
})

export const history = Command.make("history", flags, ({ day, json: asJson }) =>
  Effect.gen(function* () {
    const found = yield* ask("history", { range: day ? "day" : "hour" }, Alone.history)
    if (asJson) return yield* Print.document(found)
    if (found.points.length === 0) return yield* Console.log("No worker has run in this time.")
    yield* Console.log(Print.aligned(columns, found.points.map(rowOf)))
  })
).pipe(
  Command.withDescription(
    "Show for each minute the deliveries, the median and p99 of ms until visible and posted, and the requests"
  ),
  Command.withExamples([
    { command: "siteledger history", description: "The last hour" },
    { command: "siteledger history --day --json", description: "The last day, for a program" }
  ]),
  Command.provide(Log.layerSettings)
)
