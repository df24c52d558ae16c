/**
 * The operations of a document, each with what discovery needs: its parameters, its successful answer, the scopes it
 * requires, and, in words, what prevents it from being read. Pure.
 */
import type { Base } from "./Base.ts"
import { at, type Document, entriesOf, isObject, listAt, resolve, textAt } from "./Document.ts"
import { called, type Shape, type Shapes } from "./Shape.ts"

const methods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"] as const

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly isRequired: boolean
  readonly schema: unknown
  readonly shape: Shape
  readonly says: string
}

/** The body of a successful answer. */
export type Answer =
  | { readonly shape: Shape; readonly schema: unknown; readonly headers: ReadonlyArray<string> }
  | { readonly problem: string }

export interface Operation {
  /** Such as `GET`. */
  readonly method: string
  /** Below the base address; if it isn't below that, as in the document. */
  readonly path: string
  readonly parameters: ReadonlyArray<Parameter>
  readonly answer: Answer
  /** For one of the ways to authenticate, preferring OAuth. */
  readonly scopes: ReadonlyArray<string>
  readonly isDeprecated: boolean
  /** Why it can't be called at all. */
  readonly problem?: string
}

/** `GET /projects`: how a person and the review file name it. */
export const nameOf = ({ method, path }: Pick<Operation, "method" | "path">): string => `${method} ${path}`

/** The names of parameters don't matter: `/a/{x}` and `/a/{y}` are the same address. */
export const addressOf = (path: string): string => path.replace(/\.json$/i, "").replace(/\{[^{}]*\}/g, "{}")

/** More than any service has. */
export const mostOperations = 20_000

export const operationsOf = (document: Document, shapes: Shapes, base: Base): ReadonlyArray<Operation> => {
  const found: Array<Operation> = []
  const originOf = origins(document)
  for (const [path, given] of entriesOf(at(document.root, "paths"))) {
    const item = resolve(document, given)
    const relative = base.relative(path)
    const elsewhere = relative === undefined ? `its path isn't below ${base.path} of the base address` : undefined
    const wrong = unsound(path) ?? elsewhere
    if (item.problem !== undefined) found.push(unread(path, item.problem))
    for (const method of methods) {
      const operation = at(item.value, method)
      if (!isObject(operation)) continue
      if (found.length >= mostOperations) return found
      const name = { method: method.toUpperCase(), path: relative ?? path }
      const problem = wrong ?? originOf(item.value, operation)
      found.push(
        mayList(name) && problem === undefined
          ? { ...name, ...readOf(document, shapes, item.value, operation) }
          : { ...name, ...unlooked, ...(problem === undefined ? {} : { problem }) }
      )
    }
  }
  return found
}

/** Some services list by POST. */
const mayList = ({ method, path }: Pick<Operation, "method" | "path">): boolean =>
  method === "GET" || (method === "POST" && /[/:_-](search|query|list|find|filter|lookup)$/i.test(path))

type Read = Omit<Operation, "method" | "path">

/** For an operation that changes something, nothing more is needed. */
const unlooked: Read = {
  parameters: [],
  answer: { problem: "its answer wasn't looked at" },
  scopes: [],
  isDeprecated: false
}

const readOf = (document: Document, shapes: Shapes, item: unknown, operation: unknown): Read => {
  const given = [...listAt(item, "parameters"), ...listAt(operation, "parameters")]
  const { all, problem } = parametersOf(document, shapes, given)
  return {
    parameters: all,
    answer: answerOf(document, shapes, operation),
    scopes: scopesOf(document, operation),
    isDeprecated: at(operation, "deprecated") === true,
    ...(problem === undefined ? {} : { problem })
  }
}

/** A path whose operations can't be read. */
const unread = (path: string, problem: string): Operation => ({
  method: "GET",
  path,
  ...unlooked,
  answer: { problem },
  problem
})

const longestPath = 1000

/**
 * Letters, digits and punctuation of a path, with whole names in braces: nothing that leads elsewhere once it is
 * appended.
 */
const soundPath = /^(\/([\w.~!$'()*+,;=:@-]|\{[\w.~:$*-]+\})+)*\/?$/

export const isSound = (path: string): boolean =>
  path.length <= longestPath && path.startsWith("/") && soundPath.test(path) && !/\/\.{1,2}(\/|$)/.test(path)

const unsound = (path: string): string | undefined =>
  isSound(path) ? undefined : "its path holds more than plain names and parameters"

/** An operation with its own server has another address, and a token is sent to only one. */
const origins = (document: Document) => {
  const first = originIn(listAt(document.root, "servers"))
  return (item: unknown, operation: unknown): string | undefined => {
    for (const where of [operation, item]) {
      const servers = listAt(where, "servers")
      if (servers.length === 0) continue
      return originIn(servers) === first ? undefined : "it is served at another address, where no token is sent"
    }
    return undefined
  }
}

const originIn = ([server]: ReadonlyArray<unknown>): string => {
  const url = textAt(server, "url") ?? "/"
  return /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(url)?.[0].toLowerCase() ?? /^\/\/[^/]*/.exec(url)?.[0] ?? ""
}

const mostParameters = 200

/** A parameter that is sent is escaped, so its name may be nearly anything. */
export const isParameterName = (name: string): boolean =>
  name !== "" && name.length <= 200 && name.isWellFormed() && !/\p{Cc}/u.test(name)

export const isHeaderName = (name: string): boolean => /^[\w-]{1,100}$/.test(name)

const parametersOf = (document: Document, shapes: Shapes, given: ReadonlyArray<unknown>) => {
  const all = new Map<string, Parameter>()
  let problem: string | undefined
  for (const each of given.slice(0, mostParameters)) {
    const { problem: why, value } = resolve(document, each)
    problem ??= why === undefined ? undefined : `a parameter can't be read: ${why}`
    const name = textAt(value, "name")
    const where = textAt(value, "in")
    if (name === undefined || where === undefined) continue
    if (!isParameterName(name) || (where === "header" && !isHeaderName(name))) {
      if (at(value, "required") === true) problem ??= "it requires a parameter whose name can't be sent"
      continue
    }
    const schema = at(value, "schema") ?? at(entriesOf(at(value, "content"))[0]?.[1], "schema")
    all.set(`${where} ${name}`, {
      name,
      in: where,
      isRequired: at(value, "required") === true || where === "path",
      schema: resolve(document, schema).value,
      shape: shapes.of(schema),
      says: (textAt(value, "description") ?? "").slice(0, 500)
    })
  }
  return { all: [...all.values()], problem }
}

const isJson = (media: string): boolean =>
  /^(application|text)\/(json|[\w.+-]+\+json)$|^\*\/\*$|^application\/\*$/.test(media)

const answerOf = (document: Document, shapes: Shapes, operation: unknown): Answer => {
  const responses = at(operation, "responses")
  const codes = entriesOf(responses).map(([code]) => code)
  const code = ["200", ...codes.filter((each) => /^2(\d\d|XX)$/i.test(each)), "default"].find((each) =>
    codes.includes(each)
  )
  if (code === undefined) return { problem: "its answer isn't described" }
  const { problem, value } = resolve(document, at(responses, code))
  if (problem !== undefined) return { problem: `its answer can't be read: ${problem}` }
  const content = entriesOf(at(value, "content"))
  if (content.length === 0) return { problem: "its answer has no contents" }
  const json = content.find(([media]) => isJson(media.split(";")[0]?.trim().toLowerCase() ?? ""))
  if (json === undefined) return { problem: `it answers ${content[0]?.[0].slice(0, 60) ?? ""}, not JSON` }
  const schema = at(json[1], "schema")
  if (schema === undefined) return { problem: "its answer has no schema" }
  const shape = shapes.of(schema)
  if (shape.kind === "unknown") {
    return {
      problem: shape.problem === undefined ? "its answer may be anything" : `its answer can't be read: ${shape.problem}`
    }
  }
  return { shape, schema, headers: entriesOf(at(value, "headers")).map(([name]) => name) }
}

/** For messages: describes an answer. */
export const answers = (shape: Shape): string => (shape.kind === "scalar" ? `a single ${called(shape)}` : called(shape))

const scopesOf = (document: Document, operation: unknown): ReadonlyArray<string> => {
  const ways = at(operation, "security") ?? at(document.root, "security")
  if (!Array.isArray(ways)) return []
  const schemes = at(at(document.root, "components"), "securitySchemes")
  for (const way of ways as ReadonlyArray<unknown>) {
    const scopes = entriesOf(way).flatMap(([name, wanted]) => {
      const type = textAt(resolve(document, at(schemes, name)).value, "type")
      return type === "oauth2" || type === "openIdConnect" ? (Array.isArray(wanted) ? (wanted as unknown[]) : []) : []
    })
    if (scopes.length > 0) return scopes.filter((scope) => typeof scope === "string")
  }
  return []
}

/** The ways to authenticate, of which siteledger supports OAuth 2.0 and the bearer token that results from it. */
export const signsIn = (document: Document): boolean => {
  const schemes = entriesOf(at(at(document.root, "components"), "securitySchemes"))
  return (
    schemes.length === 0 ||
    schemes.some(([, given]) => {
      const scheme = resolve(document, given).value
      const type = textAt(scheme, "type")
      return type === "oauth2" || type === "openIdConnect" || /^bearer$/i.test(textAt(scheme, "scheme") ?? "")
    })
  )
}
