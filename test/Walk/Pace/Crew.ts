/**
 * Several processes' paces on the virtual clock over one spending in memory, whose answers take time, and the times at
 * which their requests reach the service.
 */
import { Clock, Context, Duration, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Pace } from "../../../src/Walk/Pace.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Spending } from "../../../src/Walk/Spending.ts"
import { seeded } from "../../Seeded.ts"
import { between, minuteMs, mostInWindow, start } from "./Life.ts"

interface Delay {
  readonly least: number
  readonly most: number
}

/** Until a reservation is made, and as long again until its answer is here. */
const reserving: Delay = { least: 2, most: 30 }
const network: Delay = { least: 20, most: 120 }

export const crew = (plan: number, seed: number, delay: Delay = reserving) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const random = seeded(seed)
    const within = ({ least, most }: Delay) => least + random.below(most - least + 1)
    const spending = Context.get(yield* Layer.build(Layer.fresh(Spending.layerAlone)), Spending)
    const arrivals: Array<number> = []

    /** `rest`: how long each of its `callers` waits between two requests, by default as little as possible. */
    const join = Effect.fnUntraced(function* (callers = 8, rest: Delay = network) {
      let reservations = 0
      const slow = Spending.of({
        ...spending,
        reserve: (...asked) =>
          Effect.gen(function* () {
            reservations++
            yield* Effect.sleep(within(delay))
            const answer = yield* spending.reserve(...asked)
            yield* Effect.sleep(within(delay))
            return answer
          })
      })
      const scope = yield* Scope.make()
      const layer = Layer.provide(Pace.layerWith({ requestsPerMinute: plan, longestPause: Duration.hours(1) }), [
        Layer.succeed(Spending, slow),
        Reasons.layer
      ])
      const pace = Context.get(yield* Layer.buildWithScope(Layer.fresh(layer), scope), Pace)
      const call = Effect.gen(function* () {
        yield* pace.take("backfill")
        arrivals.push((yield* Clock.currentTimeMillis) + within(network))
        yield* Effect.sleep(within(rest))
      })
      for (let n = 0; n < callers; n++) yield* Effect.forkIn(Effect.forever(call), scope)
      return { reservations: () => reservations, die: Scope.close(scope, Exit.void) }
    })
    return { join, arrivals }
  })

const startsEvery = 500

/** Of the plan: the average, and the least in any whole minute between two times. The most requests in any minute. */
export const measured = (plan: number, arrivals: ReadonlyArray<number>, fromMs: number, toMs: number) => {
  const sorted = arrivals.toSorted((a, b) => a - b)
  const starts = Array.from({ length: (toMs - minuteMs - fromMs) / startsEvery }, (_, n) => fromMs + n * startsEvery)
  const shares = starts.map((at) => between(sorted, at, at + minuteMs) / plan)
  const average = (between(sorted, fromMs, toMs) / plan / (toMs - fromMs)) * minuteMs
  return { average, least: Math.min(...shares), most: mostInWindow(sorted) }
}
