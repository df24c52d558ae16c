/**
 * The catalogue in the OpenAPI document: its operations, schemas, scopes and tags, beside those that the sandbox always
 * has. The seed decides the form of operation ids in each area, which operations are deprecated, and some wording.
 */
import * as Answers from "../Description/Answers.ts"
import type { Document, Operation as Described, Path } from "../Description/OpenApi.ts"
import { areas } from "./Areas.ts"
import type { Method, Operation } from "./Operation.ts"
import { pascal } from "./Properties.ts"
import type { Spelling } from "./Spelling.ts"
import type { Catalogue } from "../Catalogue.ts"

/** `approve_change_order` in the area's style. */
const idIn = (style: "dotted" | "camel" | "path", { method, object, path, verb }: Operation): string => {
  if (style === "dotted") return `${object}.${verb}`
  if (style === "path") return `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z]+/g, "_").replace(/_$/, "")}`
  const name = pascal(`${verb}_${object}`)
  return `${name[0]?.toLowerCase()}${name.slice(1)}`
}

const operationId = (spelling: Spelling, operation: Operation): string =>
  idIn(spelling.chosen(`ids of the operations of ${operation.tag}`, ["dotted", "camel", "path"]), operation)

const descriptions: Readonly<Record<Method, string>> = {
  GET: "Changes nothing.",
  POST: "Each request counts, even if it is repeated.",
  PUT: "Replaces all fields. A repeated request changes nothing more.",
  PATCH: "Changes the fields that are given.",
  DELETE: "What was deleted isn't shown any more."
}

const pathParameters = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path" as const,
    required: true,
    schema: { type: "string" as const },
    description: name === "id" ? "Of the record." : `Of the ${name.replace(/_id$/, "").replaceAll("_", " ")}.`
  }))

const success = ({ success: { content, hasLink } }: Operation) => ({
  description: "Success.",
  headers: { ...Answers.rateLimitHeaders, ...(hasLink ? { Link: Answers.link } : {}) },
  ...(content === undefined ? {} : { content: { [content.mediaType]: { schema: content.schema } } })
})

const described = (spelling: Spelling, operation: Operation): Described => {
  const {
    body,
    method,
    path,
    query,
    scope,
    success: { status },
    summary,
    tag
  } = operation
  const id = operationId(spelling, operation)
  const isOne = path.includes("{")
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `${summary}. ${descriptions[method]}`,
    ...(spelling.chance(`${id} is deprecated`, 0.04) ? { deprecated: true } : {}),
    parameters: [...pathParameters(path), ...query.map((each) => ({ ...each, in: "query" as const, required: false }))],
    security: [{ oauth2: [scope] }],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { [body.mediaType]: { schema: body.schema } } } }),
    responses: {
      [status]: success(operation),
      ...Answers.of({ isOAuth: false, isGuarded: true, hasBody: body !== undefined, isOne })
    }
  } as Described
}

const pathsOf = ({ operations, spelling }: Catalogue): Readonly<Record<string, Path>> =>
  Object.fromEntries(
    [...Map.groupBy(operations, ({ path }) => path)].map(([path, operations]) => [
      path,
      Object.fromEntries(
        operations.map((operation) => [operation.method.toLowerCase(), described(spelling, operation)])
      )
    ])
  )

const description = [
  "A construction project management service in the size that its interface document states: 854 operations.",
  "The document shows three of them: the list of projects, the creation of webhook subscriptions, and the token endpoint. All others are made up, to test against."
].join("\n\n")

const rights: Readonly<Record<string, string>> = { read: "Read", write: "Create and change", approve: "Decide on" }

const words = (scope: string): string => {
  const [what = "", right = ""] = scope.split(".")
  return `${rights[right] ?? right} ${what.replaceAll("_", " ")}`
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

/** `document`: describes what the sandbox serves without the catalogue. */
export const extended = (document: Document, catalogue: Catalogue): Document => {
  const { components, info, paths, tags } = document
  const { oauth2 } = components.securitySchemes
  const more = Object.fromEntries(catalogue.scopes.map((scope) => [scope, words(scope)]))
  const { authorizationCode, clientCredentials } = oauth2.flows
  const flows = {
    clientCredentials: { ...clientCredentials, scopes: { ...clientCredentials.scopes, ...more } },
    authorizationCode: { ...authorizationCode, scopes: { ...authorizationCode.scopes, ...more } }
  }
  const schemas = { ...components.schemas, ...Object.fromEntries([...catalogue.components].toSorted(byName)) }
  return {
    ...document,
    info: { ...info, description },
    paths: { ...paths, ...pathsOf(catalogue) },
    components: {
      schemas: schemas as Document["components"]["schemas"],
      securitySchemes: { ...components.securitySchemes, oauth2: { ...oauth2, flows } }
    },
    tags: [...tags, ...areas.map(({ about, tag }) => ({ name: tag, description: about }))]
  }
}
