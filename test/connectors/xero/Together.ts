/** Entries that wait together for Xero, on a clock that a test sets. */
import { Duration, Effect, Fiber } from "effect"
import type { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import type { Adapter } from "../../../src/Ledger/Outbox/Adapter.ts"
import { linesText } from "../Entries.ts"
import type { OutboxMessage } from "../../../src/Ledger/Outbox/Due.ts"
import type { Verdict } from "../../../src/Ledger/Outbox/SinkAnswer.ts"
import type { Asked } from "./Document.ts"
import type { Fault, StandIn } from "./StandIn.ts"
import { all, message } from "./XeroWorld.ts"

export const numbers = (count: number) => Array.from({ length: count }, (_, index) => message(index + 1))

export const sizes = (server: StandIn): ReadonlyArray<number> =>
  server.puts.map(({ body }) => (JSON.parse(body) as { ManualJournals: ReadonlyArray<unknown> }).ManualJournals.length)

/** The ids that the narrations end with, in Xero's order. */
export const idsIn = ({ journals }: StandIn) => journals.all.map(({ Narration }) => Narration.slice(-33, -1))

/** With turns of the event loop for the network. */
export const second = Effect.andThen(
  TestClock.adjust("1 second"),
  Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
)

export const passing = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) yield* second
    return yield* Fiber.join(fiber)
  })

/** As the sink makes them: what may show yet is tried again once it would. */
export const attempts = (
  adapter: Adapter,
  given: ReadonlyArray<OutboxMessage>
): Effect.Effect<ReadonlyArray<Verdict>, never, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const verdicts = yield* all(adapter, given)
    const waits = verdicts.map((verdict) => (verdict._tag === "Waits" ? verdict.forMs : 0))
    if (Math.max(...waits) === 0) return verdicts
    yield* Effect.sleep(Duration.millis(Math.max(...waits)))
    const again = yield* attempts(
      adapter,
      given.filter((_, n) => waits[n]! > 0)
    )
    const next = again.values()
    return verdicts.map((verdict, n) => (waits[n]! > 0 ? next.next().value! : verdict))
  })

export const options = { patience: Duration.days(1) }

/** Until nothing more is asked for. */
export const quiet = (server: StandIn) =>
  Effect.gen(function* () {
    for (let [rounds, asked] = [0, -1]; rounds < 60; rounds++) {
      yield* second
      if (server.asked.length !== asked) [rounds, asked] = [0, server.asked.length]
    }
  })

/** Attempts at these that wait together, because Xero is slow with another entry before them. */
export const behind = Effect.fnUntraced(function* (
  server: StandIn,
  adapter: Adapter,
  given: ReadonlyArray<OutboxMessage>
) {
  const { fault } = server
  const open = Promise.withResolvers<undefined>()
  const before = server.puts.length
  server.fault = (asked) => (asked.method === "PUT" && server.puts.length === before + 1 ? open.promise : fault(asked))
  const slow = yield* Effect.forkChild(adapter.post(message(900 + before)))
  while (server.puts.length === before) yield* second
  const fiber = yield* Effect.forkChild(all(adapter, given))
  yield* quiet(server)
  open.resolve(undefined)
  yield* passing(slow)
  return fiber
})

export const together = (server: StandIn, adapter: Adapter, given: ReadonlyArray<OutboxMessage>) =>
  Effect.flatMap(behind(server, adapter, given), passing)

export const tagsOf = (verdicts: ReadonlyArray<Verdict>) => [...new Set(verdicts.map(({ _tag }) => _tag))]

/** Of the first entries. */
export const tags = (server: StandIn, adapter: Adapter, count: number) =>
  Effect.map(together(server, adapter, numbers(count)), tagsOf)

export const put = (fault: Fault) => (asked: Asked) => (asked.method === "PUT" ? fault : undefined)

export const strange = { lines: linesText(["bank", "10.0000"], ["unknown", "-10.0000"]) }
