/**
 * An authorization server in memory, on the virtual clock: it answers as a test says and remembers when it was asked. It
 * knows only RFC 8414 and RFC 8628, and shares nothing with the product.
 */
import { Clock, Effect, Fiber, Layer } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { logInByDevice, type Shown } from "../../../connectors/construction/ConstructionLogin/Device.ts"
import { tokens, unpaced } from "../ConstructionAuth/Tokens.ts"
import { folder } from "../ConstructionAuth/Within.ts"

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** No answer at all. */
export const silence = "silence"

export interface Script {
  /** By the full address. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** To the requests that begin a login, the last one to all further ones. */
  readonly device?: ReadonlyArray<Answer>
  /** To the requests for tokens. */
  readonly token?: ReadonlyArray<Answer | typeof silence>
}

interface Asked {
  readonly at: number
  readonly url: string
  readonly form: URLSearchParams
  readonly authorization: string | undefined
}

export const authUrl = "https://auth.example.com/realm"
export const deviceCode = "the-device-code"

export const begun: Answer = {
  body: {
    device_code: deviceCode,
    user_code: "WDJB-MJHT",
    verification_uri: "https://example.com/device",
    verification_uri_complete: "https://example.com/device?user_code=WDJB-MJHT",
    expires_in: 1800,
    interval: 5
  }
}
export const refusal = (error: string): Answer => ({ status: 400, body: { error } })
export const granted: Answer = { body: { access_token: "at", refresh_token: "rt", expires_in: 3600 } }

const serverOf = ({ device = [begun], metadata = {}, token = [granted] }: Script) => {
  const asked: Array<Asked> = []
  const left = { device: [...device], token: [...token] }
  const next = <A>(answers: Array<A>): A | undefined => (answers.length > 1 ? answers.shift() : answers[0])
  const answerTo = (url: string, method: string): Answer | typeof silence => {
    if (method === "GET") return url in metadata ? { body: metadata[url] } : { status: 404 }
    return next<Answer | typeof silence>(url === `${authUrl}/oauth/token` ? left.token : left.device) ?? { status: 404 }
  }
  const client = HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const text = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const at = (yield* Clock.currentTimeMillis) / 1000
      const { authorization } = request.headers
      asked.push({ at, url: url.href, form: new URLSearchParams(text), authorization })
      const answer = answerTo(url.href, request.method)
      if (answer === silence) {
        return yield* new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })
      }
      const { body = {}, headers = {}, status = 200 } = answer
      return HttpClientResponse.fromWeb(request, new Response(JSON.stringify(body), { status, headers }))
    })
  )
  return { asked, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

/** Logs in by a device code, for as long as it takes; `times` are those of the requests for tokens, in seconds. */
export const loggingIn = (script: Script, clientSecret = "") =>
  Effect.scoped(
    Effect.gen(function* () {
      const { asked, layer } = serverOf(script)
      const shown: Array<Shown> = []
      const environment = {
        SITELEDGER_AUTH_URL: authUrl,
        SITELEDGER_CLIENT_ID: "desk-app",
        SITELEDGER_CLIENT_SECRET: clientSecret,
        SITELEDGER_SCOPES: "projects.read",
        SITELEDGER_DATA_DIR: yield* folder
      }
      const login = logInByDevice((each) => Effect.sync(() => void shown.push(each)))
      const fiber = yield* Effect.forkChild(Effect.result(Effect.provide(login, tokens(environment, unpaced, layer))))
      yield* Effect.yieldNow
      while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
      const outcome = yield* Fiber.join(fiber)
      const polls = asked.filter(({ url }) => url === `${authUrl}/oauth/token`)
      return { asked, outcome, polls, shown, times: polls.map(({ at }) => at) }
    })
  )

export const messageOf = (script: Script) =>
  Effect.map(loggingIn(script), ({ outcome }) => (outcome._tag === "Failure" ? outcome.failure.message : "logged in"))
