/**
 * How one accounting system takes entries: the signed POST of `SinkPost`, or a system's own API (`connectors/`). The Sink
 * owns retries, order and the circuit breaker; an adapter makes one attempt.
 */
import type { Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { OutboxMessage } from "./Due.ts"
import type { Verdict } from "./SinkAnswer.ts"

export interface Adapter {
  /**
   * One attempt at an entry, which may have been sent before by an attempt whose answer was lost: the system has it once all the
   * same. Never fails: a missing answer is a verdict, too.
   */
  readonly post: (message: OutboxMessage) => Effect.Effect<Verdict, never, HttpClient.HttpClient>
}
