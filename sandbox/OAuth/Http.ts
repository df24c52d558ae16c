/**
 * What the authorization server reads from requests, and the shapes of its answers. None may be cached (RFC 6749 §5.1).
 */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type * as ConsentPage from "./ConsentPage.ts"
import { consentSeconds } from "./Consents.ts"
import * as Parameters from "./Parameters.ts"
import type { Refusal } from "./Refusal.ts"

export const cookie = "sandbox-browser"
const largestForm = ByteSize.kibibytes(64)
export const unkept = { "cache-control": "no-store", pragma: "no-cache" }

/** A body that isn't a readable form counts as a form without parameters. */
export const form = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Parameters.Parameters> => {
  const isForm = /^application\/x-www-form-urlencoded *(;|$)/i.test(request.headers["content-type"] ?? "")
  if (!isForm) return Effect.succeed(Parameters.read([]))
  return request.text.pipe(
    Effect.map((text) => Parameters.read(new URLSearchParams(text))),
    Effect.orElseSucceed(() => Parameters.read([])),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, largestForm)
  )
}

export const query = (request: HttpServerRequest.HttpServerRequest): Parameters.Parameters => {
  const mark = request.originalUrl.indexOf("?")
  return Parameters.read(new URLSearchParams(mark < 0 ? "" : request.originalUrl.slice(mark + 1)))
}

export const page = ({ headers, html }: ConsentPage.Page, status: number) =>
  HttpServerResponse.text(html, { status, headers, contentType: "text/html; charset=utf-8" })

export const sendBack = (location: string, status: 302 | 303) =>
  HttpServerResponse.redirect(location, { status, headers: { ...unkept, "referrer-policy": "no-referrer" } })

/** RFC 6749 §5.2. Every 401 names a scheme (RFC 9110 §15.5.2), even if the secret came in the form. */
export const refused = ({ description, error }: Refusal) =>
  HttpServerResponse.jsonUnsafe(
    { error, error_description: description },
    error === "invalid_client"
      ? { status: 401, headers: { ...unkept, "www-authenticate": 'Basic realm="construction", charset="UTF-8"' } }
      : { status: 400, headers: unkept }
  )

/** Sets the cookie that ties the form to this browser. Lax: other sites' forms don't send it. */
export const formPage = (shown: ConsentPage.Page, browser: string, path: string) =>
  // Not `secure`, because the sandbox is served without TLS.
  HttpServerResponse.setCookieUnsafe(page(shown, 200), cookie, browser, {
    httpOnly: true,
    sameSite: "lax",
    path,
    maxAge: `${consentSeconds} seconds`
  })

/** The answer to a form that can't be trusted. */
export const unknownForm =
  "This form was already answered, is too old, or came from another site. Cookies must be allowed."
