/**
 * Tryton's stand-in over real HTTP, the adapter as a worker starts it, and entries on their way to it. The clock is virtual,
 * the network is real.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert } from "@effect/vitest"
import { Effect, Redacted, type Scope } from "effect"
import type { HttpClient } from "effect/http"
import { type Chart, type LineRule, plain } from "../../../config/Chart.ts"
import * as Tryton from "../../../connectors/tryton/Tryton.ts"
import type { OutboxMessage } from "../../../src/Ledger/Outbox/Due.ts"
import type { Verdict } from "../../../src/Ledger/Outbox/SinkAnswer.ts"
import { entryNumber, type Given } from "../Entries.ts"
import { mark, password, StandIn, user } from "./StandIn.ts"

/** Of an IPC of its own, which credits income. */
export const message = (number: number, given: Given = {}): OutboxMessage =>
  entryNumber(number, { ipc_id: `IPC-${number}`, credit_account: "income", ...given })

export const chart: Chart = { ...plain, accounts: { bank: "1000", receivable: "1400", income: "4000" } }

/** As at a start of the worker. */
export const started = (server: Pick<StandIn, "url">, options: Partial<Tryton.TrytonOptions> = {}) =>
  Effect.map(
    Tryton.make({
      url: server.url,
      user,
      password: Redacted.make(password),
      company: null,
      journal: "MISC",
      books: { company: null, currency: "EUR" },
      chart,
      ...options
    }),
    ({ post }) => post
  )

const standIn = Effect.acquireRelease(
  Effect.promise(() => StandIn.start()),
  (server) => Effect.promise(() => server.close())
)

/** Every call must be one that Tryton understands. */
export const inTryton = <A, E>(body: (server: StandIn) => Effect.Effect<A, E, HttpClient.HttpClient | Scope.Scope>) =>
  Effect.gen(function* () {
    const server = yield* standIn
    const outcome = yield* body(server)
    assert.deepStrictEqual(server.books.complaints, [])
    return outcome
  }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerUndici))

export const taken: Verdict = { _tag: "Taken" }

/** One sentence or more on one line, without a secret. */
export const reasonOf = (verdict: Verdict): string => {
  if (verdict._tag === "Taken") return ""
  const { reason } = verdict
  assert.match(reason, /^[^\p{Cc}]{1,500}$/u)
  assert.match(reason, /[.…]$/)
  for (const secret of [mark, Buffer.from(`${user}:7:`).toString("base64").slice(0, 15)])
    assert.notInclude(reason, secret)
  return reason
}

/** In Tryton, as far as moves go. */
export const isOnce = (server: StandIn, state: "draft" | "posted" = "posted") =>
  assert.deepStrictEqual(
    server.books.moves.map((move) => [move.state, move.lines.length]),
    [[state, 2]]
  )

const rule: LineRule = { account: null, projects: [], taxCode: null, costCode: null, counterparty: null, tracking: {} }
export const withRule = (given: Partial<LineRule>): Chart => ({ ...chart, lines: [{ ...rule, ...given }] })
export const customer = (name: string) => ({ kind: "customer", name }) as const
