/**
 * Who may talk to the administration: this machine, by this machine's names. A page from the internet that is
 * open in a browser here can send requests too, so a foreign Host (DNS rebinding) is refused for everything, and
 * a foreign or opaque origin for whatever changes something. A client that is no browser says nothing of origins
 * and is let through. Every answer forbids scripts, frames and forms of others.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i

type Asked = Pick<HttpServerRequest.HttpServerRequest, "headers" | "method">

/** Why a request is refused; undefined: it isn't. */
export const objection = ({ headers, method }: Asked): string | undefined => {
  const host = headers["host"] ?? ""
  if (!loopback.test(host)) return "The administration answers to this machine's own names only."
  if (method === "GET" || method === "HEAD") return undefined
  const site = headers["sec-fetch-site"] ?? "none"
  const origin = headers["origin"] ?? `http://${host}`
  const isOwn = (site === "none" || site === "same-origin") && origin.toLowerCase() === `http://${host.toLowerCase()}`
  return isOwn ? undefined : "The request was made by a page of another origin."
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
  // With "no-referrer" a browser's own forms would come with an opaque origin.
  "referrer-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store"
}

/** For routes: refuses with 403, before anything is done. */
export const only = HttpRouter.middleware((handled) =>
  Effect.gen(function* () {
    const objected = objection(yield* HttpServerRequest.HttpServerRequest)
    const answer = objected === undefined ? yield* handled : HttpServerResponse.text(`${objected}\n`, { status: 403 })
    return HttpServerResponse.setHeaders(answer, headers)
  })
).layer
