/**
 * The manual journals in Xero that name an entry of ours: they show whether an entry was already posted.
 *
 * Before each answer, Xero is asked for everything that changed since the last reading; the first reading takes all
 * journals. So a journal is found even if people changed its date or added to its narration. Attempts that wait share a
 * reading. Kept only in memory. A failed reading continues at the page where it ended. Pages are in the order of Xero's
 * ids, which never change, so journals that are added or changed meanwhile move no other to an earlier page, and the
 * next reading gets them.
 */
import { Effect } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import * as Instant from "../../src/Domain/Instant.ts"
import type { Verdict } from "../../src/Ledger/Outbox/SinkAnswer.ts"
import { oneForAll } from "./OneForAll.ts"
import { type Answer, journalsIn } from "./XeroAnswer.ts"
import type { XeroApi } from "./XeroApi.ts"
import type { Journal } from "./XeroWire.ts"

export interface XeroJournals {
  /** Those that name this entry, as of the request or later. */
  readonly of: (entryId: string) => Effect.Effect<ReadonlyArray<Journal>, Verdict, HttpClient.HttpClient>
}

/** How long after Xero's own time a journal may become visible. */
const overlapMs = 300_000

interface Reading {
  readonly page: number
  /** By Xero's clock; undefined before its first answer. */
  readonly beganMs: number | undefined
}

const start: Reading = { page: 1, beganMs: undefined }

export const make = Effect.fnUntraced(function* (api: XeroApi) {
  /** By the entry's id, then Xero's id. */
  const known = new Map<string, Map<string, Journal>>()
  /** By Xero's clock; undefined for all. */
  let sinceMs: number | undefined
  let reading = start

  const keep = (journal: Journal): void => {
    if (journal.entryId === undefined) return
    const journals = known.get(journal.entryId) ?? new Map<string, Journal>()
    known.set(journal.entryId, journals.set(journal.manualJournalId, journal))
  }

  /** Returns true if it was the last page. */
  const readPage = Effect.gen(function* () {
    const answer = yield* api.call(Effect.sync(() => requestOf(reading.page, sinceMs)))
    const { journals, pageCount } = yield* Effect.fromResult(journalsIn(answer))
    journals.forEach(keep)
    const { page, beganMs = timeOf(answer) } = reading
    if (journals.length > 0 && (pageCount === undefined || page < pageCount)) {
      reading = { page: page + 1, beganMs }
      return false
    }
    sinceMs = beganMs - overlapMs
    reading = start
    return true
  })

  const toItsEnd = Effect.repeat(readPage, { until: (isLast) => isLast })
  const read = yield* oneForAll(
    // A reading that is being continued began before this request, so newer journals may be on a page that it has
    // already read.
    Effect.suspend(() => (reading === start ? toItsEnd : Effect.andThen(toItsEnd, toItsEnd)))
  )

  const journals: XeroJournals = {
    of: (entryId) => Effect.map(read, () => [...(known.get(entryId)?.values() ?? [])])
  }
  return journals
})

/** Xero's maximum (100 by default): journals of the last minutes are read before each request that posts more. */
const pageSize = 1000

/** The answer has the lines only if a page is requested. */
const requestOf = (page: number, sinceMs: number | undefined): HttpClientRequest.HttpClientRequest => {
  const request = HttpClientRequest.get("/ManualJournals").pipe(
    HttpClientRequest.setUrlParams({ page: String(page), pageSize: String(pageSize), order: "ManualJournalID ASC" })
  )
  return sinceMs === undefined
    ? request
    : HttpClientRequest.setHeader(request, "if-modified-since", Instant.fromMillis(sinceMs).replace(/\.\d+/, ""))
}

const timeOf = ({ headers, receivedMs }: Answer): number => {
  const ms = Date.parse(headers["date"] ?? "")
  return Number.isNaN(ms) ? receivedMs : ms
}
