/**
 * Posts ledger entries to Tryton as account moves, each exactly once (docs/accounting/tryton.md).
 *
 * Tryton has no idempotency key, so each attempt searches for the entry's id in the descriptions of moves. A new move
 * is created empty, and gets its lines by a second call, which fails if anything has written to the move since: to the
 * microsecond on PostgreSQL, to the second on SQLite. So a request that Tryton carries out after siteledger has given
 * up on it leaves an empty draft, never a second move with lines. An entry counts as delivered once its lines have been
 * read back. If the process dies at any point, the next attempt continues from there.
 */
import { Duration, Effect, Option, Semaphore } from "effect"
import type { HttpClient } from "effect/http"
import type { Chart } from "../../config/Chart.ts"
import type { Adapter } from "../../src/Ledger/Outbox/Adapter.ts"
import type { OutboxMessage } from "../../src/Ledger/Outbox/Due.ts"
import type { Verdict } from "../../src/Ledger/Outbox/SinkAnswer.ts"
import { type Voucher, voucherOf } from "../../src/Ledger/Voucher.ts"
import { held, refused, type TrytonError, unavailable, unreadable } from "./TrytonAnswer.ts"
import {
  type Books,
  type Company,
  isCancelling,
  isSame,
  linesOf,
  markOf,
  moveOf,
  readStored,
  type Stored,
  storedFields,
  whyHeld,
  whyHeldBy
} from "./TrytonMove.ts"
import * as Names from "./TrytonNames.ts"
import * as Rpc from "./TrytonRpc.ts"
import type { Login } from "./TrytonSession.ts"

export interface TrytonOptions extends Omit<Login, "patience">, Names.Named {
  readonly books: Books
  readonly chart: Chart
  /** How long to wait for an answer (10 seconds). */
  readonly patience?: Duration.Duration
}

interface Tryton {
  readonly rpc: Rpc.TrytonRpc
  readonly names: Names.TrytonNames
  readonly books: Books
  readonly chart: Chart
}

const defaultPatience = Duration.seconds(10)

/** Tryton rejects requests that need the next number of a sequence at the same time. */
const mostAtATime = 4

export const make = Effect.fnUntraced(function* (options: TrytonOptions): Effect.fn.Return<Adapter> {
  const rpc = yield* Rpc.make({ ...options, patience: options.patience ?? defaultPatience })
  const tryton: Tryton = { rpc, names: yield* Names.make(rpc, options), books: options.books, chart: options.chart }
  const together = yield* Semaphore.make(mostAtATime)
  return {
    post: Effect.fn("Tryton.post")(
      (message: OutboxMessage) => together.withPermit(post(tryton, message)),
      Effect.catch(({ verdict }: TrytonError) => Effect.succeed<Verdict>(verdict))
    )
  }
})

type Attempt<A = Verdict> = Effect.fn.Return<A, TrytonError, HttpClient.HttpClient>

const post = Effect.fnUntraced(function* (tryton: Tryton, message: OutboxMessage): Attempt {
  const voucher = voucherOf(message, tryton.chart)
  const why = whyHeld(voucher, tryton.books)
  if (why !== undefined) return yield* held(why)
  const company = yield* tryton.names.company
  const whyNot = whyHeldBy(company, voucher, tryton.books)
  if (whyNot !== undefined) return yield* held(whyNot)

  const accounts = yield* tryton.names.accounts(voucher)
  const there = (yield* find(tryton, company, voucher)) ?? (yield* reserve(tryton, company, voucher))
  const move = there["lines."].length === 0 ? yield* fill(tryton, company, voucher, there) : there
  if (!isSame(move, voucher, accounts)) return yield* refused(otherLines(voucher))
  if (voucher.status === "posted" && move.state === "draft")
    yield* tryton.rpc.call("account.move.post", [[move.id]], { company: company.id })
  return { _tag: "Taken" }
})

const otherLines = ({ id }: Voucher): string =>
  `Tryton has a move with ${markOf(id)} and other accounts or amounts: correct it there and replay this entry, or record with ` +
  "`siteledger ledger sink settle` that it is right as it is."

/** The one with lines, or else the empty one; undefined if Tryton doesn't have it. */
const find = Effect.fnUntraced(function* (
  { rpc }: Tryton,
  company: Company,
  { id }: Voucher
): Attempt<Stored | undefined> {
  const domain: Rpc.Domain = [
    ["description", "like", `%${markOf(id)}%`],
    ["company", "=", company.id]
  ]
  const rows = yield* rpc.rows("account.move", domain, storedFields, { company: company.id })
  const moves = rows.flatMap((row) => Option.toArray(readStored(row)))
  if (moves.length < rows.length) return yield* unreadable("the lines of a move")
  const own = moves.filter((move) => !isCancelling(move))
  const filled = own.filter((move) => move["lines."].length > 0)
  const [move, ...others] = filled.length > 0 ? filled : own
  if (others.length > 0)
    return yield* refused(
      `Tryton has ${others.length + 1} moves with ${markOf(id)}: delete all but one there, or change their descriptions.`
    )
  return move
})

/** Reads it back, because an earlier attempt that was given up may have created one meanwhile. */
const reserve = Effect.fnUntraced(function* (tryton: Tryton, company: Company, voucher: Voucher): Attempt<Stored> {
  const { names, rpc } = tryton
  // Everything that can be refused is refused before Tryton has an empty draft.
  yield* names.lines(voucher)
  const ids = { company: company.id, journal: yield* names.journal, period: yield* names.period(voucher.date) }
  yield* rpc.call("account.move.create", [[moveOf(voucher, ids)]], { company: company.id })
  return yield* reread(tryton, company, voucher)
})

const fill = Effect.fnUntraced(function* (
  tryton: Tryton,
  company: Company,
  voucher: Voucher,
  { _timestamp, id }: Stored
): Attempt<Stored> {
  const lines = linesOf(yield* tryton.names.lines(voucher), company.digits)
  yield* tryton.rpc.call("account.move.write", [[id], { lines }], {
    company: company.id,
    _timestamp: { [`account.move,${id}`]: _timestamp }
  })
  return yield* reread(tryton, company, voucher)
})

const reread = Effect.fnUntraced(function* (tryton: Tryton, company: Company, voucher: Voucher): Attempt<Stored> {
  return (
    (yield* find(tryton, company, voucher)) ??
    (yield* unavailable("Tryton doesn't show the move that it has just stored."))
  )
})
