/**
 * Sends journals to Xero: all that wait when a request's turn comes, up to 50, go together, each with its own outcome
 * (`summarizeErrors=false`). One request at a time.
 *
 * If Xero refuses a request as a whole, each of its journals is sent again separately, so that none is refused for
 * another's fault. An interrupted request leaves all its journals in doubt (`XeroDoubts`).
 */
import { Deferred, Effect, Semaphore } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import type { Verdict } from "../../src/Ledger/Outbox/SinkAnswer.ts"
import type { Voucher } from "../../src/Ledger/Voucher.ts"
import { type Answer, judge, unavailable } from "./XeroAnswer.ts"
import type { XeroApi } from "./XeroApi.ts"
import type { Sending, XeroDoubts } from "./XeroDoubts.ts"
import * as XeroJournal from "./XeroJournal.ts"

export interface XeroBatches {
  /** Call it after Xero was asked for the entry and has none. */
  readonly post: (voucher: Voucher) => Effect.Effect<Verdict, never, HttpClient.HttpClient>
}

interface Waiting {
  readonly voucher: Voucher
  readonly verdict: Deferred.Deferred<Verdict>
}

interface Begun {
  readonly sending: Sending
  readonly taken: ReadonlyArray<Waiting>
}

/** "We recommend you look to batch elements in bundles of up to 50" (Xero's API limits). */
const mostTogether = 50

/** The waiting journals, in order of arrival. */
class Queue {
  readonly #waiting = new Map<string, Waiting>()
  /** Journals that were refused together with others, until Xero has accepted them. */
  readonly #apart = new Set<string>()

  add(each: Waiting): void {
    this.#waiting.set(each.voucher.id, each)
  }

  has(each: Waiting): boolean {
    return this.#waiting.get(each.voucher.id) === each
  }

  get all(): ReadonlyArray<Waiting> {
    return [...this.#waiting.values()]
  }

  of(ids: ReadonlyArray<string>): ReadonlyArray<Waiting> {
    return ids.flatMap((id) => this.#waiting.get(id) ?? [])
  }

  /** Those of the next request. */
  get ids(): ReadonlyArray<string> {
    const ids = [...this.#waiting.keys()]
    const [first = ""] = ids
    return this.#apart.has(first) ? [first] : ids.filter((id) => !this.#apart.has(id)).slice(0, mostTogether)
  }

  part(some: ReadonlyArray<Waiting>): void {
    for (const { voucher } of some) this.#apart.add(voucher.id)
  }

  settle(some: ReadonlyArray<Waiting>, verdictOf: (voucher: Voucher) => Verdict): void {
    for (const each of some) {
      const verdict = verdictOf(each.voucher)
      if (verdict._tag === "Taken") this.#apart.delete(each.voucher.id)
      this.leave(each)
      Deferred.doneUnsafe(each.verdict, Effect.succeed(verdict))
    }
  }

  leave(each: Waiting): void {
    if (this.has(each)) this.#waiting.delete(each.voucher.id)
  }
}

const vouchersOf = (some: ReadonlyArray<Waiting>): ReadonlyArray<Voucher> => some.map(({ voucher }) => voucher)

export const make = Effect.fnUntraced(function* (api: XeroApi, doubts: XeroDoubts) {
  const turn = yield* Semaphore.make(1)
  const queue = new Queue()

  const judged = Effect.fnUntraced(function* (answer: Answer, { sending, taken }: Begun) {
    const { isCertain, isForOthers, verdictOf } = judge(answer, vouchersOf(taken))
    if (isCertain) yield* doubts.end(sending)
    if (isForOthers) queue.part(taken)
    queue.settle(taken, verdictOf)
  })

  const send = Effect.suspend(() => {
    let begun: Begun | undefined
    const request = Effect.gen(function* () {
      const sending = yield* doubts.begin(queue.ids)
      begun = { sending, taken: queue.of(sending.ids) }
      return requestOf(sending.key, vouchersOf(begun.taken))
    })
    return api.call(request).pipe(
      Effect.flatMap((answer) => (begun === undefined ? Effect.void : judged(answer, begun))),
      Effect.catch((verdict) => Effect.sync(() => queue.settle(begun?.taken ?? queue.all, () => verdict))),
      Effect.onInterrupt(() => Effect.sync(() => queue.settle(begun?.taken ?? [], () => interrupted)))
    )
  })

  const batches: XeroBatches = {
    post: (voucher) =>
      Effect.suspend(() => {
        const own: Waiting = { voucher, verdict: Deferred.makeUnsafe() }
        queue.add(own)
        const once = turn.withPermit(Effect.suspend(() => (queue.has(own) ? send : Effect.void)))
        return Effect.repeat(once, { until: () => !queue.has(own) }).pipe(
          Effect.andThen(Deferred.await(own.verdict)),
          Effect.onInterrupt(() => Effect.sync(() => queue.leave(own)))
        )
      })
  }
  return batches
})

const interrupted = unavailable("The request to Xero was interrupted.")

const requestOf = (key: string, vouchers: ReadonlyArray<Voucher>): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.put("/ManualJournals").pipe(
    HttpClientRequest.setUrlParams({ summarizeErrors: "false" }),
    HttpClientRequest.setHeader("idempotency-key", key),
    HttpClientRequest.bodyText(XeroJournal.bodyOf(vouchers), "application/json")
  )
