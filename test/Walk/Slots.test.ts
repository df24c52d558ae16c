/** When the next request may start, to the millisecond. */
import { assert, describe, it } from "@effect/vitest"
import { makeOthers, makeSlots, ring, windowMs } from "../../src/Walk/Slots.ts"

const limit = 600
const intervalMs = 60_000 / (0.99 * limit)
/** Long after the start, when nothing has been sent. */
const idle = 1_000_000

const made = (perMinute = limit) => makeSlots(perMinute, ring(perMinute))

/** How many start within a second when each starts as soon as it may. */
const inOneSecond = (perMinute: number): number => {
  const slots = made(perMinute)
  let count = 0
  for (let now = idle; now < idle + 1000; now += Math.max(slots.delay(now), 0.001)) {
    if (slots.delay(now) > 0) continue
    slots.take(now)
    count++
  }
  return count
}

describe("a request", () => {
  it("starts when its share of 99 % of the plan has come after the one before it", () => {
    const slots = made()
    slots.take(0)
    assert.approximately(slots.delay(0), intervalMs, 1e-6)
    assert.approximately(slots.delay(50), intervalMs - 50, 1e-6)
    assert.strictEqual(slots.delay(1000), 0)
  })

  it("after a late one makes up for a quarter of a second and no more", () => {
    const slots = made(60)
    slots.take(idle)
    assert.approximately(slots.delay(idle), 60_000 / (0.99 * 60) - 250, 1e-6)
  })

  it.each([60, 600, 3000])(
    "of %d a minute finds its second's reservation as large as a second can need",
    (perMinute) => {
      assert.strictEqual(made(perMinute).mostPerSecond, inOneSecond(perMinute))
    }
  )

  it("that would be one too many in a minute waits until the first has left it, and counts what others sent", () => {
    const slots = made(2)
    slots.sentBefore(idle)
    slots.sentBefore(idle + 100)
    assert.strictEqual(slots.delay(idle + 200), windowMs + 1 - 200)
    assert.strictEqual(slots.usedSince(idle), 1)
    assert.strictEqual(slots.usedSince(idle - 1), 2)
  })
})

describe("a rejection", () => {
  it("without a word waits 1 s, doubling to 60 s, and 1 s again after a success", () => {
    const slots = made()
    let now = idle
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      slots.rejected(now, undefined)
      assert.strictEqual(slots.delay(now), seconds * 1000)
      slots.rejected(now + 500, undefined)
      assert.strictEqual(slots.delay(now), seconds * 1000, "together they are one")
      now += seconds * 1000
    }
    slots.accepted()
    slots.rejected(now, undefined)
    assert.strictEqual(slots.delay(now), 1000)
  })

  it("with a word waits that long, and a shorter one doesn't end the wait", () => {
    const slots = made()
    slots.rejected(idle, 5000)
    slots.rejected(idle, 3000)
    slots.pauseUntil(idle + 4000)
    assert.strictEqual(slots.delay(idle), 5000)
    slots.rejected(idle + 5000, undefined)
    assert.strictEqual(slots.delay(idle + 5000), 1000)
  })
})

describe("what others have reserved", () => {
  const learning = () => {
    const times: Array<number> = []
    return { times, ...makeOthers((time) => times.push(time)) }
  }

  it("counts once, at the end of its second", () => {
    const { learn, times } = learning()
    learn([{ second: 5, sent: 2 }], 10_000)
    learn([{ second: 5, sent: 2 }], 10_000)
    assert.deepStrictEqual(times, [5999, 5999])
    learn([{ second: 5, sent: 3 }], 11_000)
    assert.deepStrictEqual(times, [5999, 5999, 5999])
  })

  it("counts now while its second goes on", () => {
    const { learn, times } = learning()
    learn([{ second: 10, sent: 1 }], 10_400)
    assert.deepStrictEqual(times, [10_400])
  })

  it("is what is left when our own is taken away, and what we gave back is theirs again", () => {
    const { learn, mine, times } = learning()
    mine(5, 3)
    learn([{ second: 5, sent: 3 }], 10_000)
    assert.deepStrictEqual(times, [])
    mine(5, -2)
    learn([{ second: 5, sent: 2 }], 10_000)
    assert.deepStrictEqual(times, [5999])
  })

  it("is remembered for two minutes", () => {
    const { learn, times } = learning()
    learn([{ second: 0, sent: 1 }], 1000)
    learn([], 2 * windowMs)
    learn([{ second: 0, sent: 1 }], 2 * windowMs)
    assert.lengthOf(times, 1)
  })
})
