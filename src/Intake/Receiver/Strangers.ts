/**
 * Deliveries that are signed with a secret we don't know: when a person is told, and when it is over. Nobody knows who
 * sent them, so it must neither be easy to bring about from outside, nor come and go with the traffic.
 *
 * It comes up after three in a row, when for some seconds none came that was signed right: where right ones keep coming,
 * nobody brings it about. A right one ends it. Where it comes up again within an hour, both kinds are coming, and it stays
 * until for ten minutes only right ones did. It passes by itself after a day without another one: the service repeats a
 * delivery for so long.
 */
import { Clock, Duration, Effect, FiberHandle } from "effect"
import { Reasons } from "../../Runtime/Reasons.ts"

const inARow = 3
const rightAgo = Duration.toMillis("5 seconds")
const again = Duration.toMillis("1 hour")
const calm = Duration.toMillis("10 minutes")
const forgotten = Duration.toMillis("1 day")

const reason =
  "Deliveries arrive that are signed with a secret we don't know, and are refused. Either somebody made a " +
  "subscription by hand or gave one a new secret: tell it to us (`siteledger secret add`, or " +
  "SITELEDGER_WEBHOOK_SECRET). Or one that nobody needs still sends: delete it in the service's Admin → API → " +
  "Webhooks. Or its secret was retired too early: see `siteledger secret list`."

export interface Strangers {
  /** A delivery was signed with a secret that is valid. */
  readonly right: () => void
  /** One was signed with another. */
  readonly wrong: () => void
}

export const make = Effect.gen(function* () {
  const reasons = yield* Reasons
  const clock = yield* Clock.Clock
  const runInstead = yield* FiberHandle.makeRuntime<never>()
  let wrongInARow = 0
  let rightMs = Number.NEGATIVE_INFINITY
  let wrongMs = Number.NEGATIVE_INFINITY
  let endedMs = Number.NEGATIVE_INFINITY
  let standing: "no" | "once" | "again" = "no"

  /** Whatever was to happen before doesn't. */
  const at = (ms: number, effect: Effect.Effect<void>): void => {
    const inMs = ms - clock.currentTimeMillisUnsafe()
    runInstead(inMs > 0 ? Effect.delay(effect, inMs) : effect)
  }
  const end = Effect.suspend(() => {
    standing = "no"
    endedMs = clock.currentTimeMillisUnsafe()
    return reasons.clear("signatures")
  })
  const begin = Effect.suspend(() => {
    standing = clock.currentTimeMillisUnsafe() - endedMs < again ? "again" : "once"
    return Effect.andThen(reasons.set("signatures", reason), Effect.delay(end, forgotten))
  })

  return {
    right: () => {
      rightMs = clock.currentTimeMillisUnsafe()
      if (wrongInARow === 0) return
      wrongInARow = 0
      at(standing === "again" ? wrongMs + calm : rightMs, standing === "no" ? Effect.void : end)
    },
    wrong: () => {
      wrongMs = clock.currentTimeMillisUnsafe()
      wrongInARow++
      if (standing !== "no") at(wrongMs + forgotten, end)
      else if (wrongInARow >= inARow) at(rightMs + rightAgo, begin)
    }
  } satisfies Strangers
})
