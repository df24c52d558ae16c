/**
 * The whole worker, `bin/siteledger start`, copying 600,000 projects of twelve fields (unknown ones, trailing zeros)
 * with the copy for analysts on. It is compared with a plain script on the same pages (fetch, JSON.parse, Appender), or
 * on PostgreSQL with a COPY of each page; and with dlt if Python has it. They alternate. Time counts from the first
 * request until the list is through. The peak memory is also measured for three times the rows, because it must not
 * grow.
 *
 * Goals: 0.5 of the script, five times dlt, 0.6 of a COPY, 400 MB. Run: node bench/load.ts [--engine postgres]
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import * as BareCopy from "./BareCopy.ts"
import { start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import type { Skipped } from "./Installed.ts"
import * as Live from "./Live.ts"
import { ranged } from "./Ranges.ts"
import { pause, within } from "./Waiting.ts"
import { isUp } from "./WorkerProcess.ts"

const isPostgres = Engine.name === "postgres"
const total = Number(process.env["BENCH_ROWS"] ?? (isPostgres ? 200_000 : 600_000))
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const more = Number(process.env["BENCH_MORE_ROWS"] ?? total * 3)
const patienceMs = 400_000

await using engine = await Engine.open()

interface Loaded {
  readonly rowsPerSecond: number
  readonly peakMb: number
}

/** Until the list is through. The peak includes the first copy for analysts, if the worker makes one by itself. */
const loaded = async (rows: number): Promise<Loaded> => {
  await using live = await Live.at(engine, rows)
  const { worker } = await live.begin()
  const ms = await within(patienceMs, async () => {
    if (worker.hasEnded) throw new Error(`the worker ended with ${worker.exitCode}: ${worker.log.slice(-500)}`)
    const projects = (await worker.status())?.backfill["projects"]
    if (projects === undefined || projects.proof === "running") return undefined
    return Number(await (await fetch(`${live.origin}/first`)).text())
  })
  if (ms === undefined) throw new Error(`${rows} rows weren't loaded within ${patienceMs / 1000} s`)
  await worker.reaches("it is live", isUp)
  if (isPostgres) await pause(1000)
  else await worker.reaches("analysts have a copy", ({ published }) => published.at !== null)
  return { rowsPerSecond: (rows / ms) * 1000, peakMb: worker.peakMb }
}

const plain = async (): Promise<Loaded> => {
  const { directory, url } = await engine.place()
  if (url !== undefined) return { rowsPerSecond: await BareCopy.load(url, total), peakMb: 0 }
  const server = await start("ListServer.ts", total, 0)
  const script = await start("PlainLoad.ts", `http://127.0.0.1:${server.line}`, total, join(directory, "plain.duckdb"))
  server.process.kill()
  return JSON.parse(script.line) as Loaded
}

const dltOnce = async (): Promise<{ readonly rowsPerSecond: number } | Skipped> => {
  if (spawnSync("python3", ["-c", "import dlt"]).status !== 0) return { skipped: "Python has no dlt" }
  const { directory, url } = await engine.place()
  const server = await start("ListServer.ts", total, 0)
  const script = join(import.meta.dirname, "dlt_load.py")
  const given = [script, `http://127.0.0.1:${server.line}`, directory, ...(url === undefined ? [] : [url])]
  const ran = spawnSync("python3", given, { cwd: directory, encoding: "utf8", timeout: patienceMs })
  server.process.kill()
  if (ran.status !== 0) return { skipped: `dlt failed: ${ran.stderr.trim().split("\n").at(-1)}` }
  return { rowsPerSecond: Math.round(total / Number(ran.stdout.trim().split("\n").at(-1))) }
}

const lines = []
for (let at = 0; at < rounds; at++) {
  const own = await loaded(total)
  const other = await plain()
  lines.push({
    rowsPerSecond: own.rowsPerSecond,
    bareRowsPerSecond: other.rowsPerSecond,
    ratio: own.rowsPerSecond / other.rowsPerSecond,
    peakMb: own.peakMb,
    ...(isPostgres ? {} : { barePeakMb: other.peakMb })
  })
}
const all = ranged(lines)
const dlt = await dltOnce()
const large = more > total ? await loaded(more) : undefined
process.stdout.write(
  `${JSON.stringify({
    bench: "load",
    engine: Engine.name,
    rows: total,
    ...all,
    ...(isPostgres ? {} : { ratioToPlain: all.ratio }),
    dlt: "skipped" in dlt ? dlt : { ...dlt, ratio: Math.round((all.rowsPerSecond / dlt.rowsPerSecond) * 10) / 10 },
    ...(large === undefined ? {} : { moreRows: more, peakMbOfMore: large.peakMb })
  })}\n`
)
