/**
 * The cookie of a session: no script can read it, no page of another site can make a browser send it, and behind TLS it
 * is never sent unencrypted. Browsers send a host's cookies to all of its ports, so its name includes the port.
 */
import { HttpServerRequest, HttpServerResponse } from "effect/http"

type Request = HttpServerRequest.HttpServerRequest

const nameFor = (request: Request): string =>
  `siteledger-${/:(\d+)$/.exec(request.headers["host"] ?? "")?.[1] ?? "tls"}`

/** Its value; undefined if there is none. */
export const of = (request: Request): string | undefined => request.cookies[nameFor(request)]

const optionsFor = (request: Request) => ({
  path: "/",
  httpOnly: true,
  sameSite: "strict" as const,
  secure: request.headers["x-forwarded-proto"] === "https"
})

/** Valid until the browser is closed or the session ends. */
export const set = (request: Request, secret: string) =>
  HttpServerResponse.setCookieUnsafe(nameFor(request), secret, optionsFor(request))

export const clear = (request: Request) => HttpServerResponse.expireCookieUnsafe(nameFor(request), optionsFor(request))
