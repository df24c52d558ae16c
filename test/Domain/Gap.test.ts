import { assert, describe, it } from "@effect/vitest"
import * as Gap from "../../src/Domain/Gap.ts"
import { seeded } from "../Seeded.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const offsetsMs = [0, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, day]

/** Up-intervals from pairs of minutes. */
const minutes = (...pairs: ReadonlyArray<readonly [number, number]>): ReadonlyArray<Gap.Interval> =>
  pairs.map(([from, to]) => ({ fromMs: from * minute, toMs: to * minute }))

/** `0-100 102-106`, in minutes. */
const intervals = (text: string): ReadonlyArray<Gap.Interval> =>
  text.split(" ").flatMap((pair) => (pair === "" ? [] : minutes(pair.split("-").map(Number) as [number, number])))

/** `100-102 heals 107, 520-530 lost`, in minutes. */
const open = (now: number, up: string, closed: string): string =>
  Gap.find({ up: intervals(up), nowMs: now * minute, closed: intervals(closed), offsetsMs })
    .open.map((gap) => ({ ...gap, span: `${gap.fromMs / minute}-${gap.toMs / minute}` }))
    .map(({ healsAtMs, isLost, span }) => `${span} ${isLost ? "lost" : `heals ${(healsAtMs ?? NaN) / minute}`}`)
    .join(", ")

describe("a gap", () => {
  const cases: ReadonlyArray<readonly [name: string, now: number, up: string, open: string, closed?: string]> = [
    ["is none before the receiver was ever up", 500, "", ""],
    ["is none while it was always up", 500, "0-500", ""],
    ["is none where two intervals touch", 500, "0-100 100-500", ""],
    ["is none where intervals overlap", 500, "0-300 100-200 250-500", ""],
    ["of half a minute heals a minute on", 101, "0-100 100.5-101", "100-100.5 heals 101.5"],
    ["is healed at that very time", 101.5, "0-100 100.5-101.5", ""],
    ["isn't healed by the retry that falls into it", 103, "0-100 102-103", "100-102 heals 107"],
    ["waits for the next retry when the receiver was down at one", 109, "0-100 102-106 106.5-109", "100-102 heals 132"],
    ["is healed by a later retry although an earlier one found the receiver down", 132, "0-100 102-106 106.5-132", ""],
    ["lasts to now while the receiver is down", 130, "0-100", "100-130 heals 160"],
    ["of seven hours has one retry left", 600, "0-100 520-600", "100-520 heals 1960"],
    ["is lost when its last retry found the receiver down", 1600, "0-100 520-1550 1551-1600", "100-520 lost"],
    ["isn't lost before its last retry begins", 1540, "0-100 520-1540", "100-520 heals 1960"],
    ["longer than the schedule is lost at once", 1600, "0-100 1600-1600", "100-1600 lost"],
    ["that goes on has hope for a day", 1540, "0-100", "100-1540 heals 2980"],
    ["that goes on is lost after a day", 1540.1, "0-100", "100-1540.1 lost"],
    ["stays lost however long the receiver is up after it", 999_999, "0-100 1600-999999", "100-1600 lost"],
    ["closed by a person is none", 2000, "0-100 1600-2000", "", "100-1600"],
    ["closed by something wider is none", 2000, "0-100 1600-2000", "", "0-5000"],
    ["closed in part leaves the rest", 1700, "0-100 1600-1650 1660-1700", "200-400 lost", "50-200 300-300 400-1600"],
    [
      "isn't healed by an interval that a person closed",
      140,
      "0-100 102-106 107-131 133-140",
      "100-102 heals 222",
      "131-133 106-107"
    ],
    ["is unmoved by a clock that was set back", 300, "0-200 150-160 250-300", "200-250 heals 370"]
  ]
  for (const [name, now, up, expected, closed] of cases) {
    it(name, () => assert.strictEqual(open(now, up, closed ?? ""), expected))
  }

  it("takes the schedule in any order, and is lost at once without one", () => {
    const up = minutes([0, 100], [100.5, 101])
    const history = { up, nowMs: 101 * minute, closed: [] }
    const reversed = Gap.find({ ...history, offsetsMs: offsetsMs.toReversed() })
    assert.deepStrictEqual(reversed, Gap.find({ ...history, offsetsMs }))
    assert.deepStrictEqual(
      Gap.find({ ...history, offsetsMs: [] }).open.map(({ isLost }) => isLost),
      [true]
    )
  })

  it("that is healed needs no intervals: only the newest is kept", () => {
    const history = { up: minutes([0, 100], [100.5, 200], [200.5, 300]), closed: [], offsetsMs }
    assert.strictEqual(Gap.find({ ...history, nowMs: 300 * minute }).neededFromMs, 300 * minute)
    assert.strictEqual(Gap.find({ ...history, up: [], nowMs: 300 * minute }).neededFromMs, Number.NEGATIVE_INFINITY)
  })

  it("is found among ten thousand intervals about as fast, for each, as among a thousand", () => {
    const found = (count: number) => {
      const up = Array.from({ length: count }, (_, index) => ({
        fromMs: index * minute,
        toMs: index * minute + 55_000
      }))
      const from = performance.now()
      const { open } = Gap.find({ up, nowMs: count * minute, closed: [], offsetsMs })
      return { ms: performance.now() - from, lost: open.filter(({ isLost }) => isLost).length }
    }
    // Each 5 s pause coincides with the pauses one minute, five minutes and so on later, which start at the same second.
    assert.strictEqual(found(10_000).lost, 8560)
    const times = (repeats: number, count: number) =>
      Array.from({ length: repeats }, () => found(count).ms).reduce((sum, ms) => sum + ms, 0)
    // As many intervals in either; a search through all of them would take ten times as long.
    const rounds = Array.from({ length: 7 }, () => [times(1, 10_000), times(10, 1000)] as const)
    const [many, few] = [Math.min(...rounds.map(([ms]) => ms)), Math.min(...rounds.map(([, ms]) => ms))]
    assert.isBelow(many / few, 5)
  })
})

const schedule = [0, 1, 3, 7, 20]

/** Whether the receiver was up, minute by minute, in long runs. */
const randomGrid = (next: (below: number) => number): ReadonlyArray<boolean> => {
  const grid: Array<boolean> = []
  for (let isUp = true; grid.length < 120; isUp = !isUp) {
    const length = isUp ? 1 + next(next(2) === 0 ? 4 : 30) : 1 + next(next(4) === 0 ? 25 : 4)
    for (let count = 0; count < length; count++) grid.push(isUp)
  }
  return grid.slice(0, 1 + next(119))
}

const runs = (grid: ReadonlyArray<boolean>, wanted: boolean): ReadonlyArray<readonly [number, number]> => {
  const found: Array<readonly [number, number]> = []
  for (let from = 0; from < grid.length; from++) {
    if (grid[from] !== wanted) continue
    let to = from
    while (grid[to] === wanted && to < grid.length) to++
    found.push([from, to])
    from = to
  }
  return found
}

/** The definition, minute by minute: open gaps, and when they heal if the receiver stays up. */
const model = (grid: ReadonlyArray<boolean>, closed: (minute: number) => boolean) => {
  const blind = grid.map((isUp, index) => isUp || closed(index))
  const isUpAt = (index: number) => grid[index] ?? true
  return runs(blind, false).flatMap(([from, to]) => {
    const cells = Array.from({ length: to - from }, (_, index) => from + index)
    const heals = schedule.filter((offset) => cells.every((cell) => isUpAt(cell + offset))).map((offset) => to + offset)
    const first = heals.length === 0 ? undefined : Math.min(...heals)
    return heals.some((end) => end <= grid.length) ? [] : [[from, to, first ?? "lost"]]
  })
}

const found = (up: ReadonlyArray<Gap.Interval>, now: number, closed: ReadonlyArray<Gap.Interval>) =>
  Gap.find({ up, nowMs: now * minute, closed, offsetsMs: schedule.map((offset) => offset * minute) })

const inMinutes = ({ open }: Gap.Gaps) =>
  open.map(({ fromMs, healsAtMs, toMs }) => [
    fromMs / minute,
    toMs / minute,
    healsAtMs === undefined ? "lost" : healsAtMs / minute
  ])

describe("any history", () => {
  for (const isClosing of [false, true]) {
    it(`matches the definition minute by minute${isClosing ? ", with closed intervals" : ""}`, () => {
      const first = Math.trunc(performance.timeOrigin + performance.now())
      for (let seed = first; seed < first + 4000; seed++) {
        const next = seeded(seed).below
        const grid = randomGrid(next)
        const blanks = isClosing ? Array.from({ length: next(4) }, () => [next(110), 1 + next(20)] as const) : []
        const isClosed = (index: number) => blanks.some(([from, length]) => index >= from && index < from + length)
        const closed = minutes(...blanks.map(([from, length]) => [from, from + length] as const))
        const gaps = found(minutes(...runs(grid, true)), grid.length, closed)
        assert.deepStrictEqual(inMinutes(gaps), model(grid, isClosed), `seed ${seed}`)
      }
    })
  }

  it("has the same gaps, now and later, without the intervals that may be forgotten", () => {
    let forgotten = 0
    const first = Math.trunc(performance.timeOrigin + performance.now())
    for (let seed = first; seed < first + 2000; seed++) {
      const next = seeded(seed).below
      const grid = randomGrid(next)
      const up = minutes(...runs(grid, true))
      const closed = minutes(...Array.from({ length: next(3) }, () => [next(60), 60 + next(60)] as const))
      const { neededFromMs } = found(up, grid.length, closed)
      const kept = up.filter(({ toMs }) => toMs >= neededFromMs)
      forgotten += up.length - kept.length
      const later = randomGrid(next).map((isUp, index) => (index < 3 ? grid.at(-1) === true : isUp))
      for (let length = 0; length <= later.length; length += 5) {
        const whole = [...grid, ...later.slice(0, length)]
        const all = minutes(...runs(whole, true))
        const some = all.filter(({ toMs }) => kept.length === 0 || toMs >= neededFromMs)
        assert.deepStrictEqual(
          found(some, whole.length, closed).open,
          found(all, whole.length, closed).open,
          `seed ${seed}`
        )
      }
    }
    assert.isAbove(forgotten, 1000)
  })

  it("never finds a gap lost that heals later", () => {
    const first = Math.trunc(performance.timeOrigin + performance.now())
    for (let seed = first; seed < first + 1000; seed++) {
      const grid = randomGrid(seeded(seed).below)
      const lost = found(minutes(...runs(grid, true)), grid.length, []).open.filter(({ isLost }) => isLost)
      const later = [...grid, ...Array.from({ length: 60 }, () => true)]
      const still = found(minutes(...runs(later, true)), later.length, []).open.map(({ fromMs }) => fromMs)
      for (const { fromMs } of lost) assert.include(still, fromMs, `seed ${seed}`)
    }
  })
})
