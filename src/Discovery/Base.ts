/**
 * Paths as they are appended to the service's base address, which already contains its version segment: a document may
 * have that segment in its servers, in its paths, or not at all. Pure.
 */
import { at, type Document, entriesOf, listAt, textAt } from "./Document.ts"

export interface Base {
  /** The path below the base address; undefined if it isn't below it. */
  readonly relative: (path: string) => string | undefined
  /** For messages. */
  readonly path: string
}

/** `configured`: the path of the base address, if a person has set one. */
export const baseOf = (document: Document, configured: string | undefined): Base => {
  const paths = entriesOf(at(document.root, "paths")).map(([path]) => path)
  const server = serverPath(document)
  const isFull = paths.some((path) => isBelow(`${server}${path}`, configured ?? ""))
  // If the base address differs from the document's, its paths are used unchanged.
  const base = configured === undefined || !isFull ? (server === "" ? commonVersion(paths) : server) : configured
  return {
    path: base,
    relative: (path) => {
      const whole = `${server}${path}`
      return isBelow(whole, base) ? whole.slice(base.length) || "/" : undefined
    }
  }
}

const isBelow = (path: string, base: string): boolean => base === "" || path === base || path.startsWith(`${base}/`)

const serverPath = (document: Document): string => {
  const [server] = listAt(document.root, "servers")
  const variables = at(server, "variables")
  const url = (textAt(server, "url") ?? "").replace(
    /\{([^{}]*)\}/g,
    (_match, name: string) => textAt(at(variables, name), "default") ?? ""
  )
  return url
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*|^\/\/[^/]*/i, "")
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/^(?=[^/])/, "/")
    .replace(/^\/$/, "")
}

/** `/v1`, if nearly all paths begin with it. */
const commonVersion = (paths: ReadonlyArray<string>): string => {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const [version] = /^\/v\d+(?=\/)/i.exec(path) ?? []
    if (version !== undefined) counts.set(version, (counts.get(version) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1])
  return most !== undefined && most[1] >= paths.length * 0.8 ? most[0] : ""
}
