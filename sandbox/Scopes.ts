/**
 * The scope that a request needs (interface document §5). The names follow the two that the document shows,
 * `projects.read` and `ipcs.read`. It doesn't show the complete list (§5.2), so the others are assumed.
 *
 * Pure. A path without an entry (the API's own description, paths that aren't served) needs no scope.
 */

const readScopes: ReadonlyMap<string, string> = new Map([
  ["projects", "projects.read"],
  ["ipcs", "ipcs.read"],
  ["vos", "vos.read"],
  ["ncrs", "ncrs.read"],
  ["hse-incidents", "hse_incidents.read"],
  ["permits", "permits.read"],
  ["transmittals", "transmittals.read"]
])
const writeScopes: ReadonlyMap<string, string> = new Map([["webhooks", "webhooks.write"]])

export const allScopes: ReadonlyArray<string> = [...readScopes.values(), ...writeScopes.values()]

/** `Read HSE incidents`, for people. */
export const describeScope = (scope: string): string => {
  const [resource = "", right = ""] = scope.split(".")
  const name = resource.replace("_", " ").replace(/^(ipc|vo|ncr|hse)/, (initials) => initials.toUpperCase())
  return `${right === "read" ? "Read" : "Create"} ${name}`
}

const scopesOf = (method: string): ReadonlyMap<string, string> | undefined => {
  if (method === "GET" || method === "HEAD") return readScopes
  return method === "POST" ? writeScopes : undefined
}

/** `path` is without the version (`/ipcs/12`), with or without a query. Undefined: no token is needed. */
export const neededScope = (method: string, path: string): string | undefined => {
  const [, resource = ""] = /^\/([^/?#]*)/.exec(path) ?? []
  return scopesOf(method.toUpperCase())?.get(resource)
}
