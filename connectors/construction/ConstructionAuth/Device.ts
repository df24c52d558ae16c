/**
 * The beginning of a login on another device (RFC 8628 §3.1, §3.2; assumed, since the interface document shows none).
 * Its address is in the authorization server's metadata (RFC 8414), or else `{auth_url}/oauth/device_authorization`.
 *
 * Metadata is trusted only about its own issuer, and an address on another origin is refused, because the request may
 * contain the client's secret. What is shown to a person can only be plain text.
 */
import { Duration, Effect, Option, Schema } from "effect"
import { type HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import * as Json from "../../../src/Domain/Json.ts"
import { type AuthEndpoint, tokenBound } from "../ConstructionEndpoints.ts"
import { readText } from "../ConstructionText.ts"
import type { ClientSecret } from "./ClientSecret.ts"
import { GrantRefused } from "./Grant.ts"

export interface DeviceLogin {
  /** Secret: only for the token endpoint. */
  readonly deviceCode: string
  readonly userCode: string
  /** Where a person enters it. */
  readonly address: string
  /** The same, including the code. */
  readonly completeAddress: string | undefined
  readonly lifeMs: number
  /** The time between two requests for the token. */
  readonly intervalMs: number
}

type Endpoint = AuthEndpoint["Service"]
type Http = HttpClient.HttpClient

const wellKnown = "/.well-known/oauth-authorization-server"

const issuerOf = ({ authUrl }: Pick<Endpoint, "authUrl">): string => authUrl.href.replace(/\/$/, "")

/** RFC 8414 §3.1 puts the issuer's path at the end; some servers put it at the beginning. */
const metadataUrls = ({ authUrl }: Endpoint): ReadonlyArray<string> => {
  const path = authUrl.pathname.replace(/\/$/, "")
  return [...new Set([`${authUrl.origin}${wellKnown}${path}`, `${authUrl.origin}${path}${wellKnown}`])]
}

const Metadata = Schema.Struct({ issuer: Schema.String, device_authorization_endpoint: Schema.String })

const metadataAt = (http: Http, client: Endpoint, url: string) =>
  HttpClientRequest.get(url).pipe(
    HttpClientRequest.acceptJson,
    http.execute,
    Effect.flatMap((response) => readText(response, tokenBound(client))),
    Effect.timeout(metadataTimeout),
    Effect.map((text) => Schema.decodeUnknownOption(Metadata)(Json.parse(text))),
    Effect.orElseSucceed(() => Option.none())
  )

const metadataTimeout = Duration.seconds(10)

/** The address at which to begin; fails with a sentence. */
const find = Effect.fnUntraced(function* (http: Http, client: Endpoint) {
  const issuer = issuerOf(client)
  for (const url of metadataUrls(client)) {
    const metadata = yield* metadataAt(http, client, url)
    if (Option.isNone(metadata) || metadata.value.issuer.replace(/\/$/, "") !== issuer) continue
    const endpoint = URL.parse(metadata.value.device_authorization_endpoint)
    if (endpoint?.origin === client.authUrl.origin) return endpoint.href
    return yield* refuse(
      `its metadata name an address for that on another server than ${client.names.authUrl}, which gets no secret`
    )
  }
  return `${issuer}/oauth/device_authorization`
})

const refuse = (advice: string) =>
  new GrantRefused({ code: "", advice, message: `The service can't log in by a device code: ${advice}.` })

/** The answer of the device authorization endpoint. */
export const ask = Effect.fnUntraced(function* (http: Http, client: Endpoint, secret: ClientSecret) {
  const scope = client.scopes.length === 0 ? {} : { scope: client.scopes.join(" ") }
  const request = HttpClientRequest.post(yield* find(http, client)).pipe(
    HttpClientRequest.acceptJson,
    HttpClientRequest.bodyUrlParams({ ...secret.form(), ...scope })
  )
  return yield* http.execute(secret.sign(request))
})

const Answer = Schema.Struct({
  device_code: Schema.NonEmptyString,
  user_code: Schema.String.check(Schema.isPattern(/^[ -~]{1,100}$/)),
  verification_uri: Schema.String,
  verification_uri_complete: Schema.optional(Schema.Unknown),
  expires_in: Schema.optional(Schema.Unknown),
  interval: Schema.optional(Schema.Unknown)
})

/** In a browser's normal form, so without control characters. */
const addressOf = (value: unknown): string | undefined => {
  const url = typeof value === "string" ? URL.parse(value) : null
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined
}

const defaultIntervalMs = 5_000
const usualLifeMs = Duration.toMillis(Duration.minutes(10))
const longestLifeMs = Duration.toMillis(Duration.hours(1))

/** From seconds given as a number or text, within bounds. */
const millis = (value: unknown, standardMs: number, longestMs: number): number => {
  const ms = Number(Json.numberText(value) ?? value) * 1000
  return ms > 0 ? Math.min(Math.max(ms, 1000), longestMs) : standardMs
}

/** Undefined if it isn't in the form of RFC 8628 §3.2. */
export const read = (body: unknown): DeviceLogin | undefined => {
  const answer = Option.getOrUndefined(Schema.decodeUnknownOption(Answer)(body))
  const address = addressOf(answer?.verification_uri)
  if (answer === undefined || address === undefined) return undefined
  return {
    deviceCode: answer.device_code,
    userCode: answer.user_code,
    address,
    completeAddress: addressOf(answer.verification_uri_complete),
    lifeMs: millis(answer.expires_in, usualLifeMs, longestLifeMs),
    intervalMs: millis(answer.interval, defaultIntervalMs, usualLifeMs)
  }
}

export const isMissing = ({ status }: HttpClientResponse.HttpClientResponse): boolean =>
  status === 404 || status === 405

export const missing = refuse("it has no address for that; run `siteledger login --paste`")
