/** Shared by the tests of the administration: a calm sandbox, and requests as a form or a script sends them. */
import { Effect } from "effect"
import { HttpClient, HttpClientRequest, UrlParams } from "effect/http"
import * as Identity from "../../../sandbox/Identity.ts"
import { eventTypes } from "../../../sandbox/Lifecycles.ts"
import { Sandbox, type SandboxOptions } from "../../../sandbox/Sandbox.ts"

/** No event comes by itself, and no fault is on. */
export const calm: SandboxOptions = {
  identity: "calm",
  eventsPerSecond: 0,
  duplicates: 0,
  disorder: 0,
  startAt: "2026-01-05T08:00:00Z"
}

/** The id of the calm sandbox's delivery of this number, from 1. */
export const deliveryId = (number: number): string => `${Identity.deliveryTag("calm")}-${number}`

type Headers = Readonly<Record<string, string>>

export const started = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* Sandbox.start({ ...calm, ...options })
  const http = yield* HttpClient.HttpClient
  const address = (path: string) => (path.startsWith("/") ? `${sandbox.authUrl}${path}` : `${sandbox.adminUrl}/${path}`)
  const answerTo = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
    const response = yield* http.execute(request)
    return { status: response.status, headers: response.headers, text: yield* response.text }
  })
  /** As a browser asks for a page. A relative path is below the administration's. */
  const get = (path: string, headers: Headers = {}) =>
    answerTo(HttpClientRequest.get(address(path)).pipe(HttpClientRequest.setHeaders(headers)))
  /** As a browser sends a form of the page. */
  const form = (path: string, fields: UrlParams.Input = {}, headers: Headers = {}) =>
    answerTo(
      HttpClientRequest.post(address(path)).pipe(
        HttpClientRequest.bodyUrlParams(UrlParams.fromInput(fields)),
        HttpClientRequest.setHeaders({ origin: sandbox.authUrl, "sec-fetch-site": "same-origin", ...headers })
      )
    )
  /** As a script asks, and reads the answer. */
  const ask = <A>(path: string, body?: unknown) =>
    Effect.map(
      answerTo(
        body === undefined
          ? HttpClientRequest.get(address(`api/${path}`))
          : HttpClientRequest.post(address(`api/${path}`)).pipe(HttpClientRequest.bodyJsonUnsafe(body))
      ),
      ({ status, text }): { readonly status: number; readonly body: A } => ({ status, body: JSON.parse(text) })
    )
  const subscribe = (url: string, events: ReadonlyArray<string> = eventTypes) =>
    Effect.map(ask<Made>("subscriptions", { url, events }), ({ body }) => body)
  return { sandbox, get, form, ask, subscribe }
})

export interface Made {
  readonly id: number
  readonly url: string
  readonly state: string
  readonly secret: string
}

export interface DeliveryView {
  readonly id: string
  readonly subscription: number
  readonly state: string
  readonly event_id: string
  readonly event_type: string
  readonly attempts_made: number
  readonly attempts: ReadonlyArray<{ readonly at: string; readonly answer: number | string; readonly took_ms: number }>
  readonly next_due: string | null
}

export interface Excerpt {
  readonly data: ReadonlyArray<DeliveryView>
  readonly before: number | null
}
