/**
 * Calls of Tryton's models over JSON-RPC, as one user.
 *
 * Guarantees: a call that Tryton answers with 401 wasn't carried out, and is made once more with a new session. An
 * answer that doesn't follow Tryton's API is never taken for "nothing found".
 */
import { Clock, Effect, Option, Schema } from "effect"
import type { HttpClient } from "effect/http"
import { read, type TrytonError, unaccepted, unreadable } from "./TrytonAnswer.ts"
import { exchange } from "./TrytonExchange.ts"
import * as Session from "./TrytonSession.ts"

export type Asked<A> = Effect.Effect<A, TrytonError, HttpClient.HttpClient>

/** Conditions that must all hold, each as field, operator and value. */
export type Domain = ReadonlyArray<readonly [field: string, operator: string, value: unknown]>

export interface Context {
  /** Tryton's own number of the company. */
  readonly company?: number
  /** A call fails if one of these records has changed since. */
  readonly _timestamp?: Readonly<Record<string, unknown>>
}

export interface TrytonRpc {
  /** All rows. Fields of a related record are requested with a dot. */
  readonly rows: (
    model: string,
    domain: Domain,
    fields: ReadonlyArray<string>,
    context?: Context
  ) => Asked<ReadonlyArray<unknown>>
  /** `method`: of a model, such as "account.move.create". */
  readonly call: (method: string, params: ReadonlyArray<unknown>, context: Context) => Asked<unknown>
}

const Rows = Schema.Array(Schema.Unknown)
const readRows = Schema.decodeUnknownOption(Rows)

export const make = Effect.fnUntraced(function* (login: Session.Login) {
  const session = yield* Session.make(login)

  const call: TrytonRpc["call"] = Effect.fnUntraced(function* (method, params, context) {
    // In English, because only the text says what a message means.
    const all = [...params, { language: "en", ...context }]
    const by = (authorization: string) => exchange(login, `model.${method}`, all, authorization)
    const first = yield* session.authorization()
    let answer = yield* by(first)
    if (answer.status === 401) answer = yield* by(yield* session.authorization(first))
    if (answer.status === 401) return yield* unaccepted()
    return yield* Effect.fromResult(read(answer, session.secrets(), yield* Clock.currentTimeMillis))
  })

  return {
    call,
    rows: Effect.fnUntraced(function* (model, domain, fields, context = {}) {
      const result = yield* call(`${model}.search_read`, [domain, 0, null, null, fields], context)
      return yield* Option.match(readRows(result), {
        onNone: () => Effect.fail(unreadable("the rows that were asked for")),
        onSome: Effect.succeed
      })
    })
  } satisfies TrytonRpc as TrytonRpc
})
