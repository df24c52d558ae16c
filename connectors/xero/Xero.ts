/**
 * Posts entries to Xero as manual journals (PUT /ManualJournals, which only ever creates), each exactly once.
 *
 * Xero remembers an Idempotency-Key only for a while. So a journal carries its entry's id in the narration, and before
 * every attempt Xero is asked whether it has one (`XeroJournals`). If the process dies at any point, or an answer is
 * lost, the next attempt finds the journal; it doesn't send the entry while a journal may exist that isn't visible yet
 * (`XeroDoubts`). Waiting entries are sent together (`XeroBatches`). Entries that this organisation can't take
 * unchanged are held for a person and never sent.
 */
import { Duration, Effect, type Redacted } from "effect"
import type { Chart } from "../../config/Chart.ts"
import type { Adapter } from "../../src/Ledger/Outbox/Adapter.ts"
import { type Voucher, voucherOf } from "../../src/Ledger/Voucher.ts"
import * as XeroAnswer from "./XeroAnswer.ts"
import * as XeroApi from "./XeroApi.ts"
import * as XeroBatches from "./XeroBatches.ts"
import * as XeroDoubts from "./XeroDoubts.ts"
import * as XeroJournal from "./XeroJournal.ts"
import * as XeroJournals from "./XeroJournals.ts"

export interface XeroOptions extends XeroJournal.Organisation {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  readonly tenantId: string
  readonly chart: Chart
  readonly baseUrl?: URL
  readonly tokenUrl?: URL
  /** The scope of the custom connection. Older ones may have `accounting.transactions` instead. */
  readonly scope?: string
  readonly requestsPerMinute?: number
  /** How long to wait for an answer (30 seconds). */
  readonly patience?: Duration.Duration
}

const defaults = {
  baseUrl: new URL("https://api.xero.com/api.xro/2.0"),
  tokenUrl: new URL("https://identity.xero.com/connect/token"),
  scope: "accounting.manualjournals",
  requestsPerMinute: 60,
  patience: Duration.seconds(30)
}

/** One per process: it holds the pace, the token and what is known about Xero's journals. */
export const make = Effect.fnUntraced(function* (options: XeroOptions) {
  const api = yield* XeroApi.make({ ...defaults, ...options })
  const journals = yield* XeroJournals.make(api)

  const doubts = yield* XeroDoubts.make
  const batches = yield* XeroBatches.make(api, doubts)

  const find = (voucher: Voucher) =>
    Effect.map(journals.of(voucher.id), (found) => XeroAnswer.judgeFound(found, voucher))

  const post = Effect.fnUntraced(function* (voucher: Voucher) {
    const doubtfulMs = yield* doubts.leftMs(voucher.id)
    const found = yield* find(voucher)
    if (found !== undefined) return found
    return doubtfulMs > 0 ? XeroAnswer.mayShowYet(doubtfulMs) : yield* batches.post(voucher)
  })

  const adapter: Adapter = {
    post: (message) => {
      const voucher = voucherOf(message, options.chart)
      const reason = XeroJournal.whyHeld(voucher, options)
      if (reason !== undefined) return Effect.succeed({ _tag: "Held", reason })
      return post(voucher).pipe(Effect.catch(Effect.succeed))
    }
  }
  return adapter
})
