/**
 * Skew: how far our clock is ahead of the service's, in ms; below zero if it is behind. Nothing is stored: after a
 * start it is measured again.
 *
 * The Date of the service's answers shows it to the second, in both directions. Deliveries show less, because a retry
 * or a slow network looks like a clock that is ahead: the shortest recent delay is shown, and only one below zero
 * proves anything. Lists are dated by the service's own Date, so skew is harmless up to a few minutes; without a Date
 * they are dated by our clock, and more than the margin of a page would let them win over events. These are the two
 * limits beyond which skew is a reason.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import * as Instant from "../Domain/Instant.ts"
import * as Beat from "../Runtime/Beat.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { supervised } from "../Runtime/Supervisor.ts"
import { leastDelayMs } from "../Stores/Evidence.ts"
import { Store } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"

export interface SkewStatus {
  /** According to the Date of the newest answer; null if none had one. */
  readonly answers: number | null
  /** The shortest delay from X-Service-Timestamp (not signed) to receipt; null if nothing came in the last hour. */
  readonly deliveries: number | null
  /** The shortest delay from the signed event time to receipt; null if nothing came in the last hour. */
  readonly events: number | null
}

export class Skew extends Context.Service<
  Skew,
  {
    /** An answer with this Date was in transit between `startedMs` and `endedMs`. */
    readonly answered: (dateMs: number | undefined, startedMs: number, endedMs: number) => void
    readonly status: Effect.Effect<SkewStatus>
  }
>()("siteledger/Skew") {
  static readonly layer: Layer.Layer<Skew, never, Store | Warehouse | Reasons> = Layer.effect(
    Skew,
    Effect.gen(function* () {
      const reasons = yield* Reasons
      const services = yield* Effect.context<Store | Warehouse>()
      const store = yield* Store
      let answers: number | null = null
      let delays: Omit<SkewStatus, "answers"> = { deliveries: null, events: null }
      const status = Effect.sync((): SkewStatus => ({ answers, ...delays }))
      let looked = { last: -1, atMs: 0, isSettled: false }
      const look = Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const last = yield* Effect.orElseSucceed(store.deliveries.last, () => -1)
        // Without a new delivery, the delays can only have become outdated; the last delivery may not have been applied
        // yet.
        if (last !== looked.last || !looked.isSettled || Math.abs(nowMs - looked.atMs) >= longestMs) {
          delays = yield* Effect.provideContext(leastDelayMs(Instant.fromMillis(nowMs - within)), services)
          looked = { last, atMs: nowMs, isSettled: last === looked.last }
        }
        const sentence = reasonFor(yield* status)
        yield* sentence === undefined ? reasons.clear(reasonKey) : reasons.set(reasonKey, sentence)
      })
      yield* Effect.forkScoped(supervised("the look at the clocks", Effect.andThen(look, Beat.next(lookEvery))))
      return Skew.of({
        answered: (dateMs, startedMs, endedMs) => {
          // A Date has no fractions of a second.
          if (dateMs !== undefined) answers = Math.round((startedMs + endedMs) / 2 - (dateMs + 500))
        },
        status
      })
    })
  )
}

const reasonKey = "clock skew"
const lookEvery = Duration.seconds(2)
const longestMs = Duration.toMillis("20 seconds")
/** For first deliveries and for events. */
const within = Duration.toMillis("1 hour")

const limitMs = Duration.toMillis("5 minutes")
/** Equals the margin of a page in the connector. */
const marginMs = Duration.toMillis("5 seconds")

export const reasonFor = ({ answers, deliveries }: SkewStatus): string | undefined => {
  const skew = answers ?? Math.min(0, deliveries ?? 0)
  if (Math.abs(skew) <= (answers === null ? marginMs : limitMs)) return undefined
  const [source, why] =
    answers === null
      ? [
          "deliveries arrive before they were sent",
          "lists, which are dated by this clock, may lose against older events"
        ]
      : ["its answers say", "times of receipt, gaps and the lives of tokens are wrong by the same amount"]
  return (
    `This machine's clock is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"} the service's ` +
    `(${source}), so that ${why}. Synchronise it (NTP); if it is right, the service's clock is wrong.`
  )
}
