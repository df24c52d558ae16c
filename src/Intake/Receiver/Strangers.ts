/**
 * Deliveries signed with an unknown secret: when to tell a person, and when that reason clears. The sender is unknown,
 * so outsiders must not be able to raise the reason easily, and it must not flap with the traffic.
 *
 * It is raised after three in a row, provided that no correctly signed delivery came for some seconds: while correct
 * ones keep coming, an outsider can't raise it. A correct one clears it. If it is raised again within an hour, both
 * kinds are arriving, and it stays until ten minutes pass with correct ones only. Without further wrong ones it clears
 * after a day, which is as long as the service retries.
 */
import { Clock, Duration, Effect, FiberHandle } from "effect"
import { Reasons } from "../../Runtime/Reasons.ts"

const inARow = 3
const rightAgo = Duration.toMillis("5 seconds")
const again = Duration.toMillis("1 hour")
const calm = Duration.toMillis("10 minutes")
const forgotten = Duration.toMillis("1 day")

const reason =
  "Deliveries arrive that are signed with an unknown secret, and are refused. If a subscription was made by hand or " +
  "got a new secret, add that secret (`siteledger secret add`, or SITELEDGER_WEBHOOK_SECRET). If an old subscription " +
  "still sends, delete it in the service's Admin → API → Webhooks. If its secret was retired too early, see " +
  "`siteledger secret list`."

export interface Strangers {
  /** A delivery was signed with a valid secret. */
  readonly right: () => void
  /** A delivery was signed with an unknown secret. */
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
  let active: "no" | "once" | "again" = "no"

  /** Replaces the previously scheduled effect. */
  const at = (ms: number, effect: Effect.Effect<void>): void => {
    const inMs = ms - clock.currentTimeMillisUnsafe()
    runInstead(inMs > 0 ? Effect.delay(effect, inMs) : effect)
  }
  const end = Effect.suspend(() => {
    active = "no"
    endedMs = clock.currentTimeMillisUnsafe()
    return reasons.clear("signatures")
  })
  const begin = Effect.suspend(() => {
    active = clock.currentTimeMillisUnsafe() - endedMs < again ? "again" : "once"
    return Effect.andThen(reasons.set("signatures", reason, "critical"), Effect.delay(end, forgotten))
  })

  return {
    right: () => {
      rightMs = clock.currentTimeMillisUnsafe()
      if (wrongInARow === 0) return
      wrongInARow = 0
      at(active === "again" ? wrongMs + calm : rightMs, active === "no" ? Effect.void : end)
    },
    wrong: () => {
      wrongMs = clock.currentTimeMillisUnsafe()
      wrongInARow++
      if (active !== "no") at(wrongMs + forgotten, end)
      else if (wrongInARow >= inARow) at(rightMs + rightAgo, begin)
    }
  } satisfies Strangers
})
