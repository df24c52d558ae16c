/**
 * The few requests of QuickBooks Online's Accounting API that posting needs, for one company (its realm).
 *
 * Guarantees: it never sends more requests at a time or per minute than QuickBooks allows. A request that is answered
 * 401 is sent once more with a fresh token. An answer that isn't as QuickBooks documents it is never taken for "nothing
 * found".
 */
import { Clock, Duration, Effect, Option, Schema, Semaphore } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { RateLimiter } from "effect/persistence"
import { steady } from "../../src/Runtime/Boot.ts"
import { type QuickBooksError, read, unreadable } from "./QuickBooksAnswer.ts"
import { exchange } from "./QuickBooksExchange.ts"
import type { Token } from "./QuickBooksToken.ts"

type Asked<A> = Effect.Effect<A, QuickBooksError, HttpClient.HttpClient>

export interface QuickBooksApi {
  /** All rows. `where`: a condition, with its texts passed through `quoted`; empty for none. */
  readonly query: (entity: string, where: string) => Asked<ReadonlyArray<unknown>>
  /** The id of the journal entry that QuickBooks created for this request, now or when it first came. */
  readonly create: (body: string, requestId: string) => Asked<string>
  readonly read: (journalEntryId: string) => Asked<unknown>
}

export interface ApiOptions {
  readonly baseUrl: URL
  readonly realmId: string
  readonly minorVersion: number
  readonly patience: Duration.Duration
  readonly requestsPerMinute: number
}

/** A text, quoted for a query's condition. */
export const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`

/** QuickBooks answers more than this with 429. */
const mostAtATime = 10
/** The most in one answer to a query. */
const mostRows = 1000
/** QuickBooks gives up on a request after 120 seconds; until then it may still store an entry. */
const stillWorkingMs = Duration.toMillis("120 seconds")

const Rows = Schema.Struct({ QueryResponse: Schema.Record(Schema.String, Schema.Unknown) })
const Created = Schema.Struct({ JournalEntry: Schema.Struct({ Id: Schema.String }) })
const Read = Schema.Struct({ JournalEntry: Schema.Unknown })

const decoded = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, what: string) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (body: unknown) =>
    Option.match(decode(body), { onNone: () => Effect.fail(unreadable(what)), onSome: Effect.succeed })
}
const rowsIn = decoded(Rows, "the rows of a query")
const createdIn = decoded(Created, "the entry that it made")
const readIn = decoded(Read, "the entry that was asked for")

export const make = Effect.fnUntraced(function* (options: ApiOptions, token: Token): Effect.fn.Return<QuickBooksApi> {
  const send = yield* sending(options, token)
  const company = new URL(`/v3/company/${encodeURIComponent(options.realmId)}/`, options.baseUrl)
  const to = (path: string) => new URL(path, company)
  const version = HttpClientRequest.setUrlParam("minorversion", String(options.minorVersion))

  const page = Effect.fnUntraced(function* (entity: string, where: string, from: number) {
    const condition = where === "" ? "" : ` where ${where}`
    const query = `select * from ${entity}${condition} startposition ${from} maxresults ${mostRows}`
    const request = HttpClientRequest.get(to("query")).pipe(HttpClientRequest.setUrlParam("query", query), version)
    const rows = (yield* Effect.flatMap(send(request), rowsIn)).QueryResponse[entity] ?? []
    return Array.isArray(rows) ? (rows as ReadonlyArray<unknown>) : yield* unreadable("the rows of a query")
  })

  return {
    query: Effect.fnUntraced(function* (entity, where) {
      const rows: Array<unknown> = []
      for (let isMore = true; isMore;) {
        const more = yield* page(entity, where, rows.length + 1)
        rows.push(...more)
        isMore = more.length === mostRows
      }
      return rows
    }),
    create: (body, requestId) => {
      const request = HttpClientRequest.post(to("journalentry")).pipe(
        HttpClientRequest.setUrlParam("requestid", requestId),
        version,
        HttpClientRequest.bodyText(body, "application/json")
      )
      return Effect.map(Effect.flatMap(send(request, stillWorkingMs), createdIn), ({ JournalEntry: { Id } }) => Id)
    },
    read: (id) => {
      const request = HttpClientRequest.get(to(`journalentry/${encodeURIComponent(id)}`)).pipe(version)
      return Effect.map(Effect.flatMap(send(request), readIn), ({ JournalEntry }) => JournalEntry)
    }
  }
})

const sending = Effect.fnUntraced(function* ({ patience, realmId, requestsPerMinute }: ApiOptions, token: Token) {
  const limiter = yield* RateLimiter.make.pipe(Effect.provide(RateLimiter.layerStoreMemory))
  const together = yield* Semaphore.make(mostAtATime)

  const turn = limiter
    .consume({ key: realmId, limit: requestsPerMinute, window: "1 minute", onExceeded: "delay" })
    .pipe(
      Effect.orDie,
      Effect.flatMap(({ delay }) => (Duration.isZero(delay) ? Effect.void : Effect.sleep(delay))),
      Effect.updateService(Clock.Clock, steady)
    )

  return Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest, askAgainMs?: number) {
    const by = (access: string) => {
      const signed = request.pipe(HttpClientRequest.acceptJson, HttpClientRequest.bearerToken(access))
      return Effect.andThen(turn, together.withPermit(exchange(signed, patience, askAgainMs)))
    }
    let access = yield* token.access()
    let answer = yield* by(access)
    if (answer.status === 401) {
      access = yield* token.access(access)
      answer = yield* by(access)
    }
    return yield* Effect.fromResult(read(answer, [...token.secrets(), access], yield* Clock.currentTimeMillis))
  })
})
