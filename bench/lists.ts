/**
 * Many lists at once, in this process: 120 lists of very different sizes at the Premium plan (the share of the plan
 * used in every whole minute, the requests compared with the least possible number, memory and whether it grows); and
 * lists without a plan, compared with the same rows as one list of projects. Goals: 0.98 of the plan, 1.02 of the
 * least, 350 MB, 0.8 of the rows a second. Run: node bench/lists.ts [--engine postgres]
 */
import { readFileSync } from "node:fs"
import { Context, Duration, Effect, Layer } from "effect"
import { resourceOf, SwitchedOn } from "../src/Discovery/Resources.ts"
import { Resources } from "../src/Stores/Resources.ts"
import { Walk } from "../src/Walk/Walk.ts"
import { settings } from "./BenchSettings.ts"
import { median, peakMb, round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import { listOf } from "./ServedList.ts"
import { walkingWith } from "./Walking.ts"

const lists = Number(process.env["BENCH_LISTS"] ?? 120)
const plan = 3000
const rows = Number(process.env["BENCH_ROWS"] ?? 2_000_000)
const freeRows = Math.min(300_000, rows)
const windowMs = 60_000
const marginMs = 1000
/** Each answer costs a worker something for every list. */
const look = "100 millis"

await using engine = await Engine.open()

const column = (name: string, type: "BIGINT" | "VARCHAR") => ({ name, type, use: "keep" as const })

const columns = [column("id", "BIGINT"), column("name", "VARCHAR"), column("status", "VARCHAR")]

const workerOf = (
  port: string,
  count: number,
  requestsPerMinute: number,
  environment: Readonly<Record<string, string>>
) => {
  const on = count === 1 ? [] : Array.from({ length: count }, (_, n) => listOf(n, columns))
  const switched = Layer.effectContext(
    Effect.succeed(Context.make(SwitchedOn, on).pipe(Context.add(Resources, on.map(resourceOf))))
  )
  return walkingWith(Walk.layerWith({ every: Duration.hours(1), pageSize: 1000 })).pipe(
    Layer.provideMerge(switched),
    Layer.provideMerge(
      settings({
        SITELEDGER_BASE_URL: `http://127.0.0.1:${port}/v1`,
        SITELEDGER_AUTH_URL: `http://127.0.0.1:${port}`,
        SITELEDGER_REQUESTS_PER_MINUTE: String(requestsPerMinute),
        ...environment
      })
    )
  )
}

const residentMb = (): number =>
  Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) / 1024)

interface Walked {
  readonly seconds: number
  readonly arrivals: ReadonlyArray<number>
  readonly least: number
  /** One sample a second. */
  readonly memory: ReadonlyArray<number>
}

/** Walks until each list has ended a pass. */
const walked = async (count: number, of: number, perPage: number, requestsPerMinute: number): Promise<Walked> => {
  const { environment } = await engine.place()
  const server = await start("ManyListsServer.ts", count, of, perPage, requestsPerMinute > plan ? 0 : 200)
  const memory: Array<number> = []
  const sampling = setInterval(() => memory.push(residentMb()), 1000)
  const all = Effect.gen(function* () {
    const walk = yield* Walk
    const from = performance.now()
    while (Object.values(yield* walk.status).some(({ at }) => at === null)) yield* Effect.sleep(look)
    return (performance.now() - from) / 1000
  })
  const seconds = await Effect.runPromise(
    Effect.scoped(Effect.provide(all, workerOf(server.line, count, requestsPerMinute, environment)))
  )
  clearInterval(sampling)
  const answer = await fetch(`http://127.0.0.1:${server.line}/arrivals`)
  const { arrivals, least } = (await answer.json()) as Pick<Walked, "arrivals" | "least">
  server.process.kill()
  return { seconds, arrivals, least, memory }
}

/**
 * The share in the worst whole minute between the first and the last request; the overall share if they took less than
 * a minute.
 */
const shareOf = (arrivals: ReadonlyArray<number>): number => {
  const [first = 0, last = 0] = [arrivals[0], arrivals.at(-1)]
  const starts = arrivals.filter((from) => from + windowMs < last - marginMs)
  if (starts.length === 0) return (arrivals.length - 1) / ((plan * (last - first)) / windowMs)
  const used = starts.map((from) => arrivals.filter((at) => at >= from && at < from + windowMs).length)
  return Math.min(...used) / plan
}

const third = (memory: ReadonlyArray<number>, n: number): number =>
  median(memory.slice(Math.floor((memory.length * n) / 3), Math.floor((memory.length * (n + 1)) / 3)))

const paced = await walked(lists, rows, 500, plan)
const pacedPeakMb = peakMb()
const alone = await walked(1, freeRows, 1000, 600_000)
const many = await walked(lists, freeRows, 1000, 600_000)

process.stdout.write(
  `${JSON.stringify({
    bench: "lists",
    engine: Engine.name,
    lists,
    rows,
    seconds: round(paced.seconds, 1),
    share: round(shareOf(paced.arrivals)),
    requests: paced.arrivals.length,
    ofLeast: round(paced.arrivals.length / paced.least),
    peakMb: pacedPeakMb,
    grownMb: third(paced.memory, 2) - third(paced.memory, 1),
    aloneRowsPerSecond: Math.round(freeRows / alone.seconds),
    manyRowsPerSecond: Math.round(freeRows / many.seconds),
    ratio: round(alone.seconds / many.seconds)
  })}\n`
)
