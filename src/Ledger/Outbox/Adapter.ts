/**
 * How one accounting system takes entries: the signed POST of `SinkPost`, or a system's own API (`connectors/`). The
 * Sink owns retries, order and the circuit breaker; an adapter makes single attempts.
 */
import type { Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { OutboxMessage } from "./Due.ts"
import type { Verdict } from "./SinkAnswer.ts"

export interface Adapter {
  /**
   * One attempt at an entry. An earlier attempt may have sent it and lost the answer; the system still has it only
   * once. Never fails: a missing answer is a verdict too.
   */
  readonly post: (message: OutboxMessage) => Effect.Effect<Verdict, never, HttpClient.HttpClient>
}
