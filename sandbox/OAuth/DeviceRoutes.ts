/**
 * A login on a device over HTTP (RFC 8628): where the device begins (§3.1), and the page on which a person enters the code
 * (§3.3) and answers the same question as in a browser's own login.
 */
import { Clock, Effect, Layer, Result } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type DeviceAnswer, deviceGrant } from "../../connectors/construction/ConstructionApi.ts"
import type { Authenticate } from "./ClientAuthentication.ts"
import * as ConsentPage from "./ConsentPage.ts"
import type { Consents } from "./Consents.ts"
import { type Device, type Devices, deviceSeconds, firstIntervalSeconds } from "./Devices.ts"
import { cookie, form, formPage, page, query, refused, unkept, unknownForm } from "./Http.ts"
import { type Parameters, scopes } from "./Parameters.ts"
import { refuse, type Refusal } from "./Refusal.ts"

export interface Parts {
  readonly authenticate: Authenticate
  readonly devices: Devices
  readonly deviceConsents: Consents<Device>
}

export const startPath = "/oauth/device_authorization"
export const pagePath = "/oauth/device"

type Begun = ReturnType<Devices["start"]>

const begin = (
  { authenticate, devices }: Parts,
  { repeated, values }: Parameters,
  authorization: string | undefined,
  nowMillis: number
): Result.Result<Begun, Refusal> =>
  Result.gen(function* () {
    if (repeated.length > 0) return yield* refuse("invalid_request", `sent more than once: ${repeated.join(", ")}`)
    const client = yield* authenticate({ ...values, authorization })
    if (!client.grantTypes.includes(deviceGrant)) {
      return yield* refuse("unauthorized_client", `${client.id} may not log in on a device`)
    }
    return devices.start(client, yield* scopes(values["scope"], client.scopes), nowMillis)
  })

const answerOf = ({ deviceCode, userCode }: Begun, issuer: string): DeviceAnswer => ({
  device_code: deviceCode,
  user_code: userCode,
  verification_uri: `${issuer}${pagePath}`,
  verification_uri_complete: `${issuer}${pagePath}?user_code=${userCode}`,
  expires_in: deviceSeconds,
  interval: firstIntervalSeconds
})

export const start = Effect.fnUntraced(function* (
  parts: Parts,
  issuer: string,
  request: HttpServerRequest.HttpServerRequest
) {
  const begun = begin(parts, yield* form(request), request.headers["authorization"], yield* Clock.currentTimeMillis)
  return Result.match(begun, {
    onFailure: refused,
    onSuccess: (each) => HttpServerResponse.jsonUnsafe(answerOf(each, issuer), { headers: unkept })
  })
})

const ask = ({ deviceConsents, devices }: Parts) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const { user_code: userCode } = query(request).values
    if (userCode === undefined) return page(ConsentPage.enterCode(pagePath, false), 200)
    const now = yield* Clock.currentTimeMillis
    const device = devices.find(userCode, now)
    if (device === undefined) return page(ConsentPage.enterCode(pagePath, true), 404)
    const { browser, consent } = deviceConsents.show(device, request.cookies[cookie], now)
    return formPage(ConsentPage.deviceQuestion(device, { action: pagePath, consent, again: false }), browser, pagePath)
  })

const answer = ({ deviceConsents, devices }: Parts) =>
  Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const { values } = yield* form(request)
    const now = yield* Clock.currentTimeMillis
    const answered = deviceConsents.answer(values, request.cookies[cookie], now)
    if (Result.isFailure(answered)) return page(ConsentPage.problem(unknownForm), 400)
    const outcome = answered.success
    if (outcome._tag === "WrongLogin") {
      const again = { action: pagePath, consent: outcome.consent, again: true }
      return page(ConsentPage.deviceQuestion(outcome.request, again), 403)
    }
    const decision = outcome._tag === "Allowed" ? "allowed" : "denied"
    if (!devices.decide(outcome.request, decision, now)) return page(ConsentPage.enterCode(pagePath, true), 404)
    return page(ConsentPage.deviceAnswered(decision), 200)
  })

export const layerWith = (parts: Parts) =>
  Layer.mergeAll(HttpRouter.add("GET", pagePath, ask(parts)), HttpRouter.add("POST", pagePath, answer(parts)))
