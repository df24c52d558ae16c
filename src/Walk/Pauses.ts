/**
 * When the service asked for no requests: after a 429, or by its rate headers.
 *
 * In a pause longer than `longest`, one request tests after each `longest` whether it still holds. If the service
 * accepts that request, the pause has ended. A pause of more than a minute is a reason in Status.
 *
 * Pauses aren't stored: after a restart, one request finds out. They aren't shared either: each worker finds out by one
 * rejected request, and tests again with one. Sharing them would make all workers poll the Store throughout the pause.
 */
import { Clock, Duration, Effect, Latch } from "effect"
import * as Instant from "../Domain/Instant.ts"
import { Reasons } from "../Runtime/Reasons.ts"

const firstBackoffMs = 1_000
const longestBackoffMs = 60_000
const reasonKey = "pause"

/** A shorter pause isn't shown to a person. */
const noticedMs = 60_000

/** If the testing request is answered neither 2xx nor 429, another one is sent after this time. */
const unansweredMs = 60_000

/** A later end is a mistake of the service, not a date. */
const latestMs = Duration.toMillis(Duration.days(3650))

export const makePauses = (now: () => number, longest: Duration.Duration) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    const noticed = yield* Latch.make(false)
    const pause = makePause(Duration.toMillis(longest))
    const show = (because: string) =>
      Effect.gen(function* () {
        const leftMs = pause.left(now())
        if (leftMs <= noticedMs) return
        const end = Instant.fromMillis((yield* Clock.currentTimeMillis) + leftMs).replace(/\.\d+/, "")
        const again = leftMs > Duration.toMillis(longest) ? ` One asks again every ${Duration.format(longest)}.` : ""
        yield* reasons.set(reasonKey, `The service asked for no requests until ${end} (${because}).${again}`)
        noticed.openUnsafe()
      })
    const watch = Effect.gen(function* () {
      yield* noticed.await
      if (pause.left(now()) > 0) return yield* Effect.sleep(lookEvery)
      noticed.closeUnsafe()
      yield* reasons.clear(reasonKey)
    })
    yield* Effect.forkScoped(Effect.forever(watch))
    return {
      /** Milliseconds until a request may start; 0 or less means now. */
      delay: () => pause.delay(now()),
      /** A request starts. */
      take: () => pause.take(now()),
      rejected: (retryAfterMs: number | undefined) =>
        Effect.suspend(() => {
          pause.rejected(now(), retryAfterMs)
          return show("429 with Retry-After")
        }),
      until: (millis: number) =>
        Effect.flatMap(Clock.currentTimeMillis, (wallMs) => {
          pause.last(now(), millis - wallMs)
          return show("its rate limit headers")
        }),
      accepted: Effect.sync(() => pause.accepted(now()))
    }
  })

/** How soon the end of a pause is noticed. */
export const lookEvery = Duration.seconds(1)

const makePause = (longestMs: number) => {
  /** As the service said. */
  let endsAt = 0
  /** No request may start before this time. */
  let closedUntil = 0
  let isAsking = false
  let backoffMs = firstBackoffMs
  const last = (now: number, forMs: number): void => {
    if (forMs <= 0) return
    endsAt = Math.max(endsAt, now + Math.min(forMs, latestMs))
    closedUntil = Math.max(closedUntil, Math.min(endsAt, now + longestMs))
    isAsking = false
  }
  return {
    left: (now: number): number => endsAt - now,
    delay: (now: number): number => closedUntil - now,
    last,
    take: (now: number): void => {
      if (now >= endsAt) return
      isAsking = true
      closedUntil = Math.min(endsAt, now + Math.min(longestMs, unansweredMs))
    },
    rejected: (now: number, retryAfterMs: number | undefined): void => {
      if (retryAfterMs !== undefined) return last(now, retryAfterMs)
      // Requests that were in flight together are rejected together, which counts once.
      if (now < endsAt) return isAsking ? last(now, endsAt - now) : undefined
      last(now, backoffMs)
      backoffMs = Math.min(backoffMs * 2, longestBackoffMs)
    },
    accepted: (now: number): void => {
      backoffMs = firstBackoffMs
      // The answer to a request from before the pause doesn't end it.
      if (!isAsking) return
      isAsking = false
      endsAt = closedUntil = now
    }
  }
}
