import { assert, describe, it } from "@effect/vitest"
import type { Point } from "../../dashboard/Api.ts"
import { beginOf, bounds, columnsOf, isolatedIn, marksBetween, summaryOf } from "../../dashboard/Series.ts"

const at = (minute: number): string => `2026-11-27T14:${String(minute).padStart(2, "0")}:00.000000Z`

const point = (minute: number, deliveries: number): Point => ({
  at: at(minute),
  deliveries,
  visibleP50Ms: 10,
  visibleP99Ms: null,
  postedP50Ms: null,
  postedP99Ms: null,
  requests: 50,
  limit: 600
})

const seconds = (minute: number): number => Date.parse(at(minute)) / 1000

describe("the history as columns", () => {
  it("is broken where no worker ran", () => {
    const points = [point(0, 1), point(1, 2), point(5, 3)]
    const { deliveries, times } = columnsOf({ stepSeconds: 60, points }, Date.parse(at(20)))
    assert.deepStrictEqual(deliveries, [1, 2, null, 3])
    assert.deepStrictEqual(times, [seconds(0), seconds(1), seconds(5) - 30, seconds(5)])
  })

  it("leaves out the step under way, unless there is no other", () => {
    const now = Date.parse(at(2)) - 1
    const both = columnsOf({ stepSeconds: 60, points: [point(0, 1), point(1, 2)] }, now)
    assert.deepStrictEqual(both.deliveries, [1])
    const one = columnsOf({ stepSeconds: 60, points: [point(1, 2)] }, now)
    assert.deepStrictEqual(one.deliveries, [2])
  })

  it("counts by the minute, whatever its steps", () => {
    const { deliveries, limit, requests } = columnsOf({ stepSeconds: 600, points: [point(0, 20)] }, Date.parse(at(20)))
    assert.deepStrictEqual([deliveries, requests, limit], [[2], [5], [60]])
  })
})

describe("a logarithmic scale", () => {
  it("begins and ends at a mark, and is never empty", () => {
    assert.deepStrictEqual(bounds(37, 2300), [20, 5000])
    assert.deepStrictEqual(bounds(0, 0), [0.1, 1])
    assert.deepStrictEqual(bounds(null, null), [1, 10])
  })

  it("names fewer marks the more there are", () => {
    assert.deepStrictEqual(marksBetween(20, 500), [20, 50, 100, 200, 500])
    assert.deepStrictEqual(marksBetween(10, 10_000), [10, 100, 1000, 10_000])
  })
})

it("a line is summed up for those who can't see it", () => {
  const write = (value: number) => `${value} ms`
  assert.strictEqual(summaryOf("half within", [3, null, 9, 4, null], write), "half within: last 4 ms, at most 9 ms")
  assert.strictEqual(summaryOf("half within", [null], write), "half within: nothing yet")
})

it("shows a value between two breaks as a point", () => {
  assert.deepStrictEqual(isolatedIn([5]), [0])
  assert.deepStrictEqual(isolatedIn([5, 6, null, 0, null, 7, 8]), [3])
  assert.deepStrictEqual(isolatedIn([null, 4, undefined]), [1])
})

it("begins a chart where the history begins, ten minutes before its end at the latest", () => {
  const hour = 3600
  assert.strictEqual(beginOf([9000, 9060], 10_000, hour), 9000)
  assert.strictEqual(beginOf([9940], 10_000, hour), 9400)
  assert.strictEqual(beginOf([100, 9940], 10_000, hour), 6400)
  assert.strictEqual(beginOf([], 10_000, hour), 9400)
})
