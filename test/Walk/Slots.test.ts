/** Which slots of the plan are granted, to the millisecond. */
import { assert, describe, it } from "@effect/vitest"
import { grant, mostAtOnce, nothingGranted, type Spent, windowMs } from "../../src/Walk/Slots.ts"

const limit = 600
const intervalMs = 60_000 / (0.988 * limit)
/** Long after the start, when nothing has been sent. */
const idle = 1_000_000

const ask = (count: number, leadMs = 0, perMinute = limit) => ({ limit: perMinute, count, leadMs })

const near = (slots: ReadonlyArray<number>, expected: ReadonlyArray<number>): void => {
  assert.strictEqual(slots.length, expected.length)
  for (const [index, slot] of slots.entries()) assert.approximately(slot, expected[index] ?? Number.NaN, 1e-6)
}

describe("slots", () => {
  it("are evenly spaced at 98.8 % of the plan, whoever is granted them", () => {
    const first = grant(nothingGranted, ask(2, 250), idle)
    near(first.slots, [idle, idle + intervalMs])
    const second = grant(first, ask(2, 250), idle)
    near(second.slots, [idle + 2 * intervalMs, idle + 3 * intervalMs])
  })

  it("that nobody took are lost but for the last quarter of a second", () => {
    const { slots } = grant({ nextMs: idle - 10_000, spent: [] }, ask(1), idle)
    near(slots, [idle - 250])
  })

  it("begin when they can be used", () => {
    near(grant(nothingGranted, ask(1, 1000), idle).slots, [idle + 750])
  })

  it("of half a second are the most that are granted at once", () => {
    assert.deepStrictEqual([60, 600, 3000].map(mostAtOnce), [1, 5, 25])
  })

  it("are counted in their seconds, and forgotten after the minute that they count in", () => {
    const { spent } = grant(nothingGranted, ask(12, 250), idle)
    assert.deepStrictEqual(spent, [
      { second: 1000, sent: 10 },
      { second: 1001, sent: 2 }
    ])
    const later = grant({ nextMs: 0, spent }, ask(1, 250), idle + windowMs + 3000)
    assert.deepStrictEqual(later.spent, [{ second: 1063, sent: 1 }])
  })

  it("wait for what was sent by a greater limit to leave the window", () => {
    const spent: ReadonlyArray<Spent> = [{ second: 1000, sent: 600 }]
    const { slots } = grant({ nextMs: 0, spent }, ask(1, 250), idle + 5000)
    assert.isAtLeast(slots[0] ?? 0, idle + windowMs)
  })

  it("of a clock that was set back an hour count as sent now", () => {
    const ahead = idle + 3_600_000
    const before = { nextMs: ahead, spent: [{ second: Math.floor(ahead / 1000), sent: 3 }] }
    const { slots, spent } = grant(before, ask(1, 250), idle)
    near(slots, [idle])
    assert.deepStrictEqual(spent, [{ second: 1000, sent: 4 }])
  })
})
