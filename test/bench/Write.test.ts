/** The table of docs/performance.md says what the lines of a run say, and nothing better. */
import { assert, it } from "@effect/vitest"
import type { Figure } from "../../bench/Figure.ts"
import { ranged } from "../../bench/Ranges.ts"
import { visibleAfterMs } from "../../bench/Watching.ts"
import { cell, page, parsed, perDay, type Run } from "../../bench/Write.ts"

const common = { isQuick: false, on: "2026-11-25", machine: "2 cores" }
const line = (bench: string, engine: string, more: object): Run => ({ bench, engine, ...common, ...more })

const ratio: Figure = { figure: "of bare", bench: "stream", at: "ratio", of: "bare", atLeast: 0.3 }

it("a line has the medians of its rounds, and beside them their ranges", () => {
  const rounds = [{ ratio: 0.31 }, { ratio: 0.25 }, { ratio: 0.4 }]
  assert.deepStrictEqual(ranged(rounds), { ratio: 0.31, ranges: { ratio: [0.25, 0.4] } })
})

it("a cell shows value and range, and a missed goal", () => {
  const ranges = { ratio: [0.25, 0.4] }
  assert.strictEqual(cell(line("stream", "duckdb", { ratio: 0.31, ranges }), ratio), "0.31 (0.25 to 0.4)")
  assert.strictEqual(cell(line("stream", "duckdb", { ratio: 0.299 }), ratio), "0.299, missed")
  const size: Figure = { figure: "", bench: "size", at: "large.ms", of: "", unit: "ms", atMost: 1000 }
  assert.strictEqual(cell(line("size", "duckdb", { large: { ms: 1000 } }), size), "1,000 ms")
  assert.strictEqual(cell(line("size", "duckdb", { large: { ms: 1001 } }), size), "1,001 ms, missed")
})

it("engines may have different goals", () => {
  const each: Figure = { ...ratio, atLeast: { duckdb: 1, postgres: 0.6 } }
  assert.strictEqual(cell(line("stream", "duckdb", { ratio: 0.7 }), each), "0.7, missed")
  assert.strictEqual(cell(line("stream", "postgres", { ratio: 0.7 }), each), "0.7")
})

it("what wasn't measured isn't shown as a figure", () => {
  assert.strictEqual(cell(undefined, ratio), "–")
  assert.strictEqual(cell(line("stream", "duckdb", { failed: 1 }), ratio), "failed")
  assert.strictEqual(cell(line("stream", "duckdb", { skipped: "no npm" }), ratio), "skipped: no npm")
  const dlt: Figure = { figure: "", bench: "load", at: "dlt.ratio", of: "dlt" }
  assert.strictEqual(cell(line("load", "duckdb", { dlt: { skipped: "no dlt" } }), dlt), "skipped: no dlt")
})

it("a day counts what is accepted and applied, whichever is slower", () => {
  const lines = [
    line("stream", "duckdb", { sustained: { perSecond: 5000 } }),
    line("size", "duckdb", { large: { burst: { appliedPerSecond: 1000 } } })
  ]
  assert.strictEqual(perDay(lines, "duckdb"), 86_400_000)
  assert.isUndefined(perDay(lines, "postgres"))
  assert.include(page(lines), "86 million on duckdb")
})

it("the page is made of what was kept", () => {
  const kept = [line("stream", "duckdb", { ratio: 0.25 }), line("ingest", "postgres", { ratio: 0.65 })]
  const text = kept.map((each) => `${JSON.stringify(each)}\n`).join("")
  assert.deepStrictEqual(parsed(text), kept)
  assert.match(page(parsed(text)), /\| the same, of bare \| 0\.25, missed \| – \| bare node:http \+ HMAC \| ≥ 0\.3 \|/)
  assert.match(page(parsed(text)), /\| receiver alone, of bare \| – \| 0\.65 \|/)
})

it("an event counts as applied once fewer are pending than were acknowledged after it", () => {
  const sample = (askedAt: number, answeredAt: number, pending: number) =>
    ({ askedAt, answeredAt, status: { inbox: { pending } } }) as Parameters<typeof visibleAfterMs>[1][number]
  const samples = [sample(10, 12, 1), sample(30, 35, 1), sample(50, 51, 0)]
  assert.deepStrictEqual(visibleAfterMs([5, 20, 31], samples), [30, 31, 20])
})
