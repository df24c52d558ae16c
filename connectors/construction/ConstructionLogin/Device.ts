/**
 * A login on another device (RFC 8628): this machine shows a short code, the person enters it in a browser anywhere and
 * consents, and meanwhile this machine asks for the tokens. It asks as often as the service allows, and less often
 * while the service can't be reached.
 */
import { Duration, Effect } from "effect"
import type { DeviceLogin } from "../ConstructionAuth/Device.ts"
import type { GrantRefused, Tokens } from "../ConstructionAuth/Grant.ts"
import { beginDevice, requestUnpaced, type TokenUnavailable } from "../ConstructionAuth/TokenEndpoint.ts"
import { deviceGrant } from "../ConstructionApi.ts"
import { keep, LoginError } from "./Finish.ts"

/** What a person needs; without the secret with which the tokens are requested. */
export type Shown = Omit<DeviceLogin, "deviceCode" | "intervalMs">

export const logInByDevice = Effect.fnUntraced(function* <R>(show: (shown: Shown) => Effect.Effect<void, never, R>) {
  const { deviceCode, intervalMs, ...shown } = yield* beginDevice
  yield* show(shown)
  const tokens = yield* Effect.timeoutOrElse(untilAnswered(deviceCode, intervalMs), {
    duration: shown.lifeMs,
    orElse: () => expired
  })
  return yield* keep(tokens)
})

/** By how much each `slow_down` lengthens the interval (§3.5). */
const slowerMs = 5_000
const longestBackoffMs = Duration.toMillis(Duration.minutes(1))

const untilAnswered = Effect.fnUntraced(function* (
  deviceCode: string,
  firstIntervalMs: number
): Effect.fn.Return<Tokens, LoginError | GrantRefused, Effect.Services<ReturnType<typeof requestUnpaced>>> {
  let intervalMs = firstIntervalMs
  let waitMs = intervalMs
  for (;;) {
    yield* Effect.sleep(waitMs)
    const answer = yield* Effect.result(requestUnpaced({ grant_type: deviceGrant, device_code: deviceCode }))
    if (answer._tag === "Success") return answer.success
    const { failure } = answer
    if (failure._tag === "TokenUnavailable") {
      waitMs = backoffMs(failure, waitMs, intervalMs)
      continue
    }
    if (failure.code === "slow_down") intervalMs += slowerMs
    else if (failure.code !== "authorization_pending") return yield* ended(failure)
    waitMs = intervalMs
  }
})

/** Doubles each time, and never ends before the time that the service asked for. */
const backoffMs = ({ waitMs: askedMs = 0 }: TokenUnavailable, lastMs: number, intervalMs: number): number =>
  Math.max(Math.min(lastMs * 2, longestBackoffMs), intervalMs, askedMs)

const expired = Effect.fail(new LoginError({ message: "The code has expired before access was given. Start again." }))

const ended = (refusal: GrantRefused) => {
  if (refusal.code === "expired_token") return expired
  if (refusal.code !== "access_denied") return Effect.fail(refusal)
  return Effect.fail(new LoginError({ message: "Access was denied: no consent was given." }))
}
