/** Placeholder while the real one is being written. */
import { Context, type Duration, Effect, Layer } from "effect"
import type { StoreError } from "./Store.ts"

export interface UptimeOptions<R> {
  readonly offsets: ReadonlyArray<Duration.Duration>
  readonly onLost: Effect.Effect<void, never, R>
}
export class Uptime extends Context.Service<
  Uptime,
  {
    readonly gaps: Effect.Effect<ReadonlyArray<unknown>, StoreError>
    readonly close: (fromMs: number, toMs: number, reason: string) => Effect.Effect<void, StoreError>
  }
>()("siteledger/Uptime") {
  static readonly layer = <R>(_options: UptimeOptions<R>) =>
    Layer.succeed(Uptime, Uptime.of({ gaps: Effect.succeed([]), close: () => Effect.void }))
}
