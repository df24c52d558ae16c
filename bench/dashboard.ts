/**
 * What open dashboards cost a worker that takes a hundred deliveries a second: it is measured with and without 20 of
 * them, in turns.
 *
 * Goals: 0.05 of a core, and accepted deliveries become visible at most 1.1 times as late. Run: node bench/dashboard.ts
 * [--engine postgres]
 */
import { round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import * as Live from "./Live.ts"
import { perSecond, trickle } from "./Phases.ts"
import { ranged } from "./Ranges.ts"

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const seconds = Number(process.env["BENCH_TRICKLE"] ?? 1000) / perSecond
const dashboards = 20

await using engine = await Engine.open()
await using live = await Live.at(engine)
const receiving = await live.begin()
const { worker } = receiving
await worker.reaches("it is live", ({ phase }) => phase === "live")
const note = worker.note()
if (note === undefined) throw new Error("the worker has left no note")

const alone = (series: string) => trickle(engine, receiving, series, seconds)

const watched = async (series: string) => {
  const { process: opened } = await start("OpenDashboards.ts", note.admin, note.token, dashboards)
  try {
    return await alone(series)
  } finally {
    opened.kill()
  }
}

// Warms up, so that the code is compiled.
await watched("warm")
const lines = []
for (let at = 0; at < rounds; at++) {
  const isWatchedFirst = at % 2 === 1
  const first = await (isWatchedFirst ? watched : alone)(`a${at}`)
  const second = await (isWatchedFirst ? alone : watched)(`b${at}`)
  const [off, on] = isWatchedFirst ? [second, first] : [first, second]
  lines.push({
    core: ((on.cpuMsPerEvent - off.cpuMsPerEvent) * perSecond) / 1000,
    visibleRatio: on.visibleAfterP99Ms / off.visibleAfterP99Ms,
    visibleP99Ms: off.visibleAfterP99Ms
  })
}
process.stdout.write(
  `${JSON.stringify({ bench: "dashboard", engine: Engine.name, dashboards, rounds, seconds: round(seconds), ...ranged(lines) })}\n`
)
