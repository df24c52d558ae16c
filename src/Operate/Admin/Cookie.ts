/**
 * The cookie of a session: no script can read it, no page of another site can make a browser send it, and behind TLS it never goes
 * out in the clear. Browsers send a host's cookies to all of its ports, so its name has the port.
 */
import { HttpServerRequest, HttpServerResponse } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

const nameFor = (request: Request): string =>
  `siteledger-${/:(\d+)$/.exec(request.headers["host"] ?? "")?.[1] ?? "tls"}`

/** What it holds; undefined: there is none. */
export const of = (request: Request): string | undefined => request.cookies[nameFor(request)]

const optionsFor = (request: Request) => ({
  path: "/",
  httpOnly: true,
  sameSite: "strict" as const,
  secure: request.headers["x-forwarded-proto"] === "https"
})

/** Until the browser is closed, or the session ends. */
export const set = (request: Request, secret: string) =>
  HttpServerResponse.setCookieUnsafe(nameFor(request), secret, optionsFor(request))

export const clear = (request: Request) => HttpServerResponse.expireCookieUnsafe(nameFor(request), optionsFor(request))
