/**
 * Only this machine may use the administration, and only by the machine's own names. A web page that is open in a
 * browser here can send requests too, so every request with a foreign Host (DNS rebinding) is refused, and every change
 * from a foreign or opaque origin. Clients that aren't browsers send no origin and pass. Every answer forbids foreign
 * scripts, frames and forms.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { refusal } from "../Refusal.ts"

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

type Asked = Pick<HttpServerRequest.HttpServerRequest, "headers" | "method">

/** Why a request is refused; undefined: it may pass. */
export const objection = ({ headers, method }: Asked): string | undefined => {
  const host = headers["host"] ?? ""
  if (!loopback.test(host)) return "The administration answers only to this machine's own names."
  if (method === "GET" || method === "HEAD") return undefined
  const site = headers["sec-fetch-site"] ?? "none"
  const origin = headers["origin"] ?? `http://${host}`
  const isOwn = (site === "none" || site === "same-origin") && origin.toLowerCase() === `http://${host.toLowerCase()}`
  return isOwn ? undefined : "The request came from a page of another origin."
}

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join("; ")

const headers = {
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  // With "no-referrer", browsers would send these pages' forms with an opaque origin.
  "referrer-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store"
}

const forbidden = ({ url }: HttpServerRequest.HttpServerRequest, objected: string) =>
  url.startsWith("/admin/api/")
    ? refusal(403, "forbidden", objected)
    : HttpServerResponse.text(`${objected}\n`, { status: 403 })

/** Refuses with 403 before the route does anything. */
export const only = HttpRouter.middleware((handled) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const objected = objection(request)
    const answer = objected === undefined ? yield* handled : forbidden(request, objected)
    return HttpServerResponse.setHeaders(answer, headers)
  })
).layer
