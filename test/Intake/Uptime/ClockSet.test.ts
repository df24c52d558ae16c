/** Setting the clock opens no gap and hides none, in either direction, while the receiver is up or down. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { rounds, seed } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"
import { machine } from "../../SetClock.ts"
import { day, hour, live, minute, second, start, until, world } from "./World.ts"

/** A world on a machine whose clock can be set. */
const settable = Effect.gen(function* () {
  const on = yield* machine
  const at = yield* world
  let wallMs = 0
  return {
    ...at,
    jump: (ms: number) => {
      wallMs += ms
      on.jump(ms)
    },
    reboot: on.reboot,
    /** How far the clock is set from true time. */
    wallMs: () => wallMs,
    live: on.on(live(at.uptime)),
    /** Lets true time pass heartbeat by heartbeat. */
    pass: (ms: number) =>
      Effect.gen(function* () {
        for (let passed = 0; passed < ms; passed += 5 * second) {
          yield* TestClock.adjust(5 * second)
          yield* until(Effect.map(at.intervals, (all) => all.some(([, to]) => to === on.trueMs() + wallMs - start)))
        }
      }),
    trueMs: () => on.trueMs() - start
  }
})

type Settable = Effect.Success<typeof settable>
type Life = Effect.Success<Settable["live"]>

/** The open gaps, in true time since the start. */
const gapsOf = ({ service }: Life, { wallMs }: Settable) =>
  Effect.map(service.gaps, (gaps) =>
    gaps.map(({ fromMs, toMs }) => [fromMs - start - wallMs(), toMs - start - wallMs()])
  )

describe(`a clock that is set, seed ${seed}`, () => {
  for (const ms of [hour, -hour, day, -day]) {
    const by = `by ${ms / hour} h`
    it.effect(`${by} beside the receiver is no gap`, () =>
      Effect.gen(function* () {
        const at = yield* settable
        const life = yield* at.live
        yield* at.pass(minute)
        at.jump(ms)
        yield* at.pass(2 * minute)
        assert.deepStrictEqual(yield* gapsOf(life, at), [])
        assert.deepStrictEqual(yield* at.intervals, [[ms, 3 * minute + ms]])
        at.jump(-ms)
        yield* at.pass(minute)
        assert.deepStrictEqual(yield* at.intervals, [[0, 4 * minute]])
        assert.deepStrictEqual(yield* at.reasons.wrong, [])
        assert.strictEqual(at.faults.lost, 0)
      })
    )

    it.effect(`${by} while the worker is down leaves the gap that was, until a retry has healed it`, () =>
      Effect.gen(function* () {
        const at = yield* settable
        const first = yield* at.live
        yield* at.pass(minute)
        yield* first.stop
        yield* TestClock.adjust(20 * second)
        at.jump(ms)
        const second_ = yield* at.live
        assert.deepStrictEqual(yield* gapsOf(second_, at), [[minute, 80 * second]])
        yield* at.pass(minute)
        assert.deepStrictEqual(yield* gapsOf(second_, at), [])
        assert.strictEqual(at.faults.lost, 0)
      })
    )

    it.effect(`${by} after a gap neither hides nor loses nor reopens it`, () =>
      Effect.gen(function* () {
        const at = yield* settable
        const first = yield* at.live
        yield* at.pass(minute)
        yield* first.stop
        yield* TestClock.adjust(20 * second)
        const again = yield* at.live
        yield* at.pass(10 * second)
        at.jump(ms)
        yield* at.pass(10 * second)
        assert.deepStrictEqual(yield* gapsOf(again, at), [[minute, 80 * second]])
        const [gap] = yield* again.service.gaps
        yield* again.service.close(gap?.fromMs ?? 0, gap?.toMs ?? 0, "replayed")
        assert.deepStrictEqual(yield* gapsOf(again, at), [])
        at.jump(-ms)
        yield* at.pass(10 * second)
        assert.deepStrictEqual(yield* gapsOf(again, at), [])
      })
    )
  }

  it.effect("back at a boot names what can't be judged, which heals like any gap", () =>
    Effect.gen(function* () {
      const at = yield* settable
      const first = yield* at.live
      yield* at.pass(10 * minute)
      yield* first.stop
      at.jump(-hour)
      at.reboot()
      yield* TestClock.adjust(20 * second)
      const again = yield* at.live
      const bootedAt = at.trueMs()
      yield* at.pass(10 * second)
      assert.deepStrictEqual(yield* gapsOf(again, at), [[bootedAt - day, bootedAt]])
      yield* until(Effect.map(at.reasons.wrong, (all) => all.length === 1))
      assert.match(
        (yield* at.reasons.wrong).join(),
        /clock was set back while the worker was down.* before 2026-11-20T01:10:20.*since 2026-11-19T01:10:20/
      )
      const [gap] = yield* again.service.gaps
      assert.strictEqual((gap?.healsAtMs ?? 0) - start - at.wallMs(), bootedAt + day)
      yield* at.pass(5 * minute)
      assert.lengthOf(yield* gapsOf(again, at), 1)
      assert.strictEqual(at.faults.lost, 0)
      yield* again.service.close(gap?.fromMs ?? 0, gap?.toMs ?? 0, "looked at")
      assert.deepStrictEqual(yield* gapsOf(again, at), [])
      assert.deepStrictEqual(yield* at.reasons.wrong, [])
    })
  )

  it.effect("at random beside and between lives of one boot leaves exactly the true gaps", () =>
    Effect.gen(function* () {
      const random = seeded(seed)
      const jumps = [hour, -hour, day, -day, 20 * second, -20 * second]
      const at = yield* settable
      const downs: Array<ReadonlyArray<number>> = []
      for (let n = 0; n < rounds(10, 100); n++) {
        const life = yield* at.live
        yield* at.pass(5 * second * (1 + random.below(4)))
        if (random.chance(0.5)) at.jump(random.pick(jumps))
        yield* at.pass(5 * second * (1 + random.below(4)))
        const open = yield* gapsOf(life, at)
        for (const gap of open) assert.deepInclude(downs, gap)
        for (const [from = 0, to = 0] of downs) {
          if (at.trueMs() < to + minute) assert.deepInclude(open, [from, to])
        }
        yield* life.stop
        const from = at.trueMs()
        yield* TestClock.adjust(1_000 + random.below(60) * second)
        downs.push([from, at.trueMs()])
        if (random.chance(0.5)) at.jump(random.pick(jumps))
      }
      assert.strictEqual(at.faults.lost, 0)
    })
  )
})
