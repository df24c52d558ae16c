/**
 * Requests that no route takes, and errors that no handler answers, in the API's single form of errors: 404 for an
 * address that doesn't exist, 405 with `Allow` for a method that an address doesn't take, 204 with `Allow` for OPTIONS,
 * and 500. The authorization server's own addresses answer 405 in the form of RFC 6749.
 */
import { Effect } from "effect"
import { HttpRouter, HttpServerError, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { unkept } from "./OAuth/Http.ts"
import { refusal } from "./Refusal.ts"
import type { Version } from "./Versions.ts"

/** `:id` or `{id}` in a path stands for any one segment. */
export type Route = readonly [method: string, path: string]

/** The methods that each path takes. */
const known = (routes: ReadonlyArray<Route>) => {
  const methods = new Map<string, Set<string>>()
  for (const [method, path] of routes) {
    methods.set(path, (methods.get(path) ?? new Set()).add(method))
    if (method === "GET") methods.get(path)?.add("HEAD")
  }
  const patterns = [...methods].map(([path, taken]) => {
    const pattern = path.replaceAll(/[.]/g, "\\.").replaceAll(/:\w+|\{\w+\}/g, "[^/]+")
    return [new RegExp(`^${pattern}$`), [...taken, "OPTIONS"]] as const
  })
  return (path: string): ReadonlyArray<string> => patterns.find(([pattern]) => pattern.test(path))?.[1] ?? []
}

const notAllowed = (method: string, path: string, allowed: ReadonlyArray<string>) => {
  const allow = allowed.join(", ")
  if (method === "OPTIONS") return HttpServerResponse.empty({ status: 204, headers: { allow } })
  const message = `${path} takes ${allow}, not ${method}`
  if (!path.startsWith("/oauth/")) return refusal(405, "method_not_allowed", message, { allow })
  const body = { error: "invalid_request", error_description: message }
  return HttpServerResponse.jsonUnsafe(body, { status: 405, headers: { ...unkept, allow } })
}

const notFound = (versions: ReadonlyArray<Version>, method: string, path: string) => {
  const [, version] = /^(\/v\d+)(?=\/|$)/.exec(path) ?? []
  const paths = versions.map(({ path }) => path)
  if (version !== undefined && !paths.some((path) => path === version)) {
    const others = `the served ${paths.length === 1 ? "version is" : "versions are"} ${paths.join(" and ")}`
    return refusal(404, "unknown_version", `there is no version ${version}; ${others}`)
  }
  return refusal(404, "not_found", `there is no ${method} ${path}; ${version ?? paths[0]}/docs lists all endpoints`)
}

/** Runs before all routes. */
export const layerWith = (routes: ReadonlyArray<Route>, versions: ReadonlyArray<Version>) => {
  const allowedAt = known(routes)
  const answer = ({ method, url }: HttpServerRequest.HttpServerRequest) => {
    const path = url.replace(/[?#].*/s, "")
    // For the router, too, a trailing slash makes no difference.
    const allowed = allowedAt(path.replace(/(?<=.)\/$/, ""))
    return allowed.length > 0 ? notAllowed(method, path, allowed) : notFound(versions, method, path)
  }
  return HttpRouter.middleware(
    (handled) =>
      handled.pipe(
        Effect.catch((error) =>
          HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
            ? Effect.succeed(answer(error.reason.request))
            : Effect.fail(error)
        ),
        Effect.catchDefect((defect) =>
          Effect.as(
            Effect.logError("A request of the sandbox failed", defect),
            refusal(500, "internal_error", "the sandbox itself failed; its log says why")
          )
        )
      ),
    { global: true }
  )
}
