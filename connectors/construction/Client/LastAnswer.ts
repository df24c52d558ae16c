/**
 * The service's last answer to the current call, for its ServiceError: the parts below keep only a sentence of it. Also
 * where each request gets its User-Agent.
 *
 * The service's own message may repeat what it was sent. The token and the client's secret are removed from it, even if
 * only their beginning is repeated.
 */
import { Context, Duration, Effect, Redacted } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, type HttpClientResponse } from "effect/http"
import packageJson from "../../../packages/client/package.json" with { type: "json" }
import * as Json from "../../../src/Domain/Json.ts"
import { identified, userAgentOf } from "../../../src/Runtime/UserAgent.ts"
import { type ApiEndpoint, boundOf } from "../ConstructionEndpoints.ts"
import { readText } from "../ConstructionText.ts"
import type { Answered } from "./ServiceError.ts"

export interface Last {
  answer: Answered
}

/** Each call has its own. */
export const LastAnswer = Context.Reference<Last | undefined>("siteledger/construction/LastAnswer", {
  defaultValue: () => undefined
})

const userAgent = userAgentOf(packageJson)

type Read = (
  request: HttpClientRequest.HttpClientRequest,
  response: HttpClientResponse.HttpClientResponse
) => Effect.Effect<string | undefined>

const watched = (client: HttpClient.HttpClient, readMessage: Read): HttpClient.HttpClient =>
  HttpClient.transform(
    identified(client, () => userAgent),
    (answer, request) =>
      Effect.flatMap(LastAnswer, (last) => {
        if (last === undefined) return answer
        const note = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
          const { headers, status } = response
          last.answer = { status, requestId: requestIdOf(headers) }
          if (status < 400) return
          last.answer = { ...last.answer, serviceMessage: yield* readMessage(request, response) }
        })
        const fail = (error: HttpClientError.HttpClientError) => {
          last.answer = { cause: causeOf(error) }
        }
        return answer.pipe(
          Effect.tap(note),
          Effect.tapError((error) => Effect.sync(() => fail(error)))
        )
      })
  )

/** For requests to the token endpoint: its message may contain a token, so only its code is ever repeated. */
export const watchedTokens = (client: HttpClient.HttpClient) => watched(client, () => Effect.undefined)

/** For requests to the API. */
export const watchedCalls = (client: HttpClient.HttpClient, endpoint: ApiEndpoint["Service"]) =>
  watched(client, (request, response) =>
    readText(response, boundOf(endpoint, request.method)).pipe(
      Effect.timeout(longestRead),
      Effect.map((text) => {
        const { clientSecret } = endpoint
        const secrets = clientSecret._tag === "Some" ? [Redacted.value(clientSecret.value)] : []
        return messageOf(text, [...secrets, (request.headers["authorization"] ?? "").replace(/^Bearer /, "")])
      }),
      Effect.orElseSucceed(() => undefined)
    )
  )

const longestRead = Duration.seconds(5)

/** Only this part of HttpClientError is exposed: the rest holds the request with its headers. */
const causeOf = ({ reason }: HttpClientError.HttpClientError): unknown => ("cause" in reason ? reason.cause : undefined)

const requestIds = ["x-request-id", "request-id", "x-correlation-id", "x-trace-id"]
const longestRequestId = 200

const requestIdOf = (headers: Readonly<Record<string, string>>): string | undefined =>
  requestIds
    .map((name) => headers[name])
    .find((id) => id !== undefined && id !== "")
    ?.slice(0, longestRequestId)

/** The error's format isn't documented (§7): these are the usual names, the sentence before the code. */
const messageFields = ["message", "error_description", "detail", "title", "error", "errors"]
const longestMessage = 300

const sentenceOf = (value: unknown): string | undefined => {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return sentenceOf(value[0])
  if (!Json.isObject(value)) return undefined
  return messageFields.map((field) => sentenceOf(value[field])).find((sentence) => sentence !== undefined)
}

/** Enough to recognise a secret, and too little to use it. */
const beginning = 8

const without = (text: string, start: string): string => {
  const [before = "", ...after] = text.split(start)
  return [before, ...after.map((part) => part.replace(/^\S*/, ""))].join("[secret]")
}

const messageOf = (text: string, secrets: ReadonlyArray<string>): string | undefined => {
  const body = Json.parse(text)
  const sentence = body === undefined && !/^\s*</.test(text) ? text : sentenceOf(body)
  const safe = secrets
    .filter((secret) => secret !== "")
    .reduce((rest, secret) => without(rest, secret.slice(0, beginning)), sentence ?? "")
  return (
    safe
      .replace(/\p{C}+/gu, " ")
      .trim()
      .slice(0, longestMessage) || undefined
  )
}
