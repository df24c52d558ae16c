/**
 * Who runs this, for what is recorded under a name. A container's user may have none: nothing fails for that.
 */
import { userInfo } from "node:os"
import { Effect, Result } from "effect"

export const userName: Effect.Effect<string> = Effect.sync(() =>
  Result.getOrElse(
    Result.try(() => userInfo().username),
    () => "unknown"
  )
)
