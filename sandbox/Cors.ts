/**
 * Cross-origin requests (CORS) for web pages of the given origins: to the API, its description, and the endpoints that
 * a client calls itself (token, revocation, metadata). Never to a page where a person logs in (RFC 9700 §4.15) and
 * never to the administration. The interface document doesn't mention CORS, so no origin is allowed unless one is
 * given.
 */
import { Effect } from "effect"
import { HttpMiddleware, HttpRouter, HttpServerRequest } from "effect/http"
import { pagePaths } from "./OAuth/Routes.ts"
import type { ResolvedOptions } from "./Options.ts"

const isOpen = (url: string): boolean =>
  /^\/(v\d+|oauth|\.well-known)\//.test(url) && !pagePaths.includes(url.replace(/\/?([?#].*)?$/s, ""))

/** The headers that a page may read. */
const exposedHeaders = ["Allow", "RateLimit", "RateLimit-Policy", "Retry-After", "WWW-Authenticate"]

/** Runs before all routes. */
export const layerWith = ({ cors: origins, openapi }: Pick<ResolvedOptions, "cors" | "openapi">) => {
  const isFull = openapi === "full"
  const allowing = HttpMiddleware.cors({
    allowedOrigins: origins.includes("*") ? [] : (origin) => origins.includes(origin),
    allowedMethods: ["GET", "HEAD", "POST", ...(isFull ? ["PUT", "PATCH", "DELETE"] : [])],
    allowedHeaders: ["Accept", "Authorization", "Content-Type"],
    exposedHeaders: [...exposedHeaders, ...(isFull ? ["Link"] : [])],
    maxAge: 600
  })
  return HttpRouter.middleware(
    (handled) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, method, url }) => {
        const isPreflight = method === "OPTIONS" && headers["access-control-request-method"] !== undefined
        const mayPass = origins.length > 0 && isOpen(url) && (method !== "OPTIONS" || isPreflight)
        return mayPass ? allowing(handled) : handled
      }),
    { global: true }
  )
}
