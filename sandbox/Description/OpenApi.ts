/**
 * The API's OpenAPI 3.1 document (interface document §1, §9), derived from the served definitions: the document's own
 * endpoints, the assumed ones, and the token endpoint, which is outside the version (§1). It adds what stands in front
 * of all of them: the scopes and the guard's refusals.
 *
 * Its addresses are relative, so it is right behind any host and port.
 */
import { OpenApi } from "effect/http-api"
import { ConstructionApi, ConstructionTokenApi } from "../../connectors/construction/ConstructionApi.ts"
import { assumed, AssumedApi, DescriptionApi } from "../AssumedApi.ts"
import type { ResolvedOptions } from "../Options.ts"
import { allScopes, describeScope, neededScope } from "../Scopes.ts"
import type { Version } from "../Versions.ts"

export type Operation = OpenApi.OpenAPISpecOperation
export const methods = ["get", "post", "put", "patch", "delete"] as const
export interface Path extends Partial<Record<(typeof methods)[number], Operation>> {
  /** Where they aren't the document's. */
  readonly servers?: Document["servers"]
}

interface Flow {
  readonly authorizationUrl?: string
  readonly tokenUrl: string
  readonly refreshUrl?: string
  readonly scopes: Readonly<Record<string, string>>
}

export interface OAuth2 {
  readonly type: "oauth2"
  readonly description: string
  readonly flows: { readonly clientCredentials: Flow; readonly authorizationCode: Flow }
}

export interface Document extends Pick<OpenApi.OpenAPISpec, "openapi" | "info" | "security" | "tags"> {
  readonly servers: ReadonlyArray<OpenApi.OpenAPISpecServer>
  readonly paths: Readonly<Record<string, Path>>
  readonly components: {
    readonly schemas: OpenApi.OpenAPIComponents["schemas"]
    readonly securitySchemes: { readonly oauth2: OAuth2 }
  }
}

/** Words for the operations that the interface document shows; their definitions carry none. */
const shown: Readonly<Record<string, { readonly summary: string; readonly description: string }>> = {
  "projects.list": {
    summary: "List projects",
    description: "Interface document §4.1. It shows no paging parameters; these are assumed."
  },
  "webhooks.create": {
    summary: "Create a webhook subscription",
    description: "Interface document §4.2. The secret is returned only here; deliveries are signed with it (§6.2)."
  },
  "oauth.token": {
    summary: "Obtain a token",
    description:
      "Interface document §4.3, §5. It shows client credentials with id and secret in the form; the other grants and the response are assumed, as in RFC 6749 and RFC 7636."
  }
}

const summaries: Readonly<Record<string, string>> = {
  "oauth.revoke": "Revoke a token (RFC 7009)",
  "oauth.metadata": "Authorization server metadata (RFC 8414)"
}

const description = [
  "A construction project management service as its interface document describes it, to run and to test against.",
  'The document shows three endpoints: the list of projects, the creation of webhook subscriptions, and the token endpoint. All others are assumed and marked "Assumed: …". Also assumed are the paging parameters, the error bodies, and the scope names other than `projects.read` and `ipcs.read`.',
  "Amounts are exact JSON numbers with up to 24 digits before the decimal point and four after it. Parse them from the text: a double holds fewer.",
  "The version is part of the path. Fields may be added within a version; a breaking change comes with a new one."
].join("\n\n")

const scopes = Object.fromEntries(allScopes.map((scope) => [scope, describeScope(scope)]))
const tokenUrl = "/oauth/token"
const oauth2: OAuth2 = {
  type: "oauth2",
  description:
    "`Authorization: Bearer <ACCESS_TOKEN>` (interface document §5). The authorization code flow requires PKCE (S256).",
  flows: {
    clientCredentials: { tokenUrl, scopes },
    authorizationCode: { authorizationUrl: "/oauth/authorize", tokenUrl, refreshUrl: tokenUrl, scopes }
  }
}

const refused = (description: string, header?: string): OpenApi.OpenApiSpecResponse => ({
  description,
  ...(header === undefined ? {} : { headers: { [header]: { schema: { type: "string" }, required: true } } }),
  content: { "application/json": { schema: { $ref: "#/components/schemas/Refusal" } } }
})

const refusals: OpenApi.OpenAPISpecResponses = {
  400: refused("A parameter or the body doesn't match the description."),
  401: refused("The token is missing or not valid.", "www-authenticate"),
  403: refused("The token lacks the scope.", "www-authenticate"),
  429: refused("The plan's requests in 60 seconds are used up; `retry-after` is in seconds.", "retry-after")
}
const notFound = refused("There is no such record.")

const pagingParameters = ({ pageSize, pageSizeMax }: ResolvedOptions): Readonly<Record<string, object>> => ({
  page: { schema: { type: "integer", minimum: 1, default: 1 }, description: "A page beyond the last one is empty." },
  per_page: {
    schema: { type: "integer", minimum: 1, default: pageSize },
    description: `More than ${pageSizeMax} is lowered to ${pageSizeMax}. The response says which number was used.`
  }
})

type Paging = ReturnType<typeof pagingParameters>

const complete = (method: string, path: string, operation: Operation, paging: Paging): Operation => {
  const { operationId, parameters, responses } = operation
  const scope = neededScope(method, path)
  return {
    ...operation,
    summary: operation.summary ?? shown[operationId]?.summary ?? summaries[operationId] ?? operationId,
    description: operation.description ?? shown[operationId]?.description ?? assumed,
    parameters: parameters.map((each) => ({ ...each, ...paging[each.name] })),
    security: scope === undefined ? [] : [{ oauth2: [scope] }],
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, answer]) => [status, { ...answer, description: "Success." }])
      ),
      ...(404 in responses ? { 404: notFound } : {}),
      ...(scope === undefined ? {} : refusals)
    }
  }
}

const completeAll = (
  paths: OpenApi.OpenAPISpecPaths,
  paging: Paging,
  servers?: Document["servers"]
): Document["paths"] =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]): [string, Path] => {
      const operations = methods.flatMap((method) => {
        const operation = item[method]
        return operation === undefined ? [] : [[method, complete(method, path, operation, paging)] as const]
      })
      return [path, { ...Object.fromEntries(operations), ...(servers === undefined ? {} : { servers }) }]
    })
  )

/** Later versions of a schema may add fields, so none forbids additional ones. */
const open = (key: string, value: unknown): unknown =>
  key === "additionalProperties" && value === false ? undefined : value

export const make = (options: ResolvedOptions, version: Version): Document => {
  const authorization = OpenApi.fromApi(ConstructionTokenApi)
  const versioned = [OpenApi.fromApi(ConstructionApi), OpenApi.fromApi(AssumedApi), OpenApi.fromApi(DescriptionApi)]
  const all = [authorization, ...versioned]
  const paging = pagingParameters(options)
  const paths = versioned.map((spec) => completeAll(spec.paths, paging))
  const document: Document = {
    openapi: authorization.openapi,
    info: { title: "Construction project management service", version: "1.0.0", description },
    servers: [{ url: version.path, description: "{base_url}" }],
    paths: Object.assign(completeAll(authorization.paths, paging, [{ url: "/", description: "{auth_url}" }]), ...paths),
    components: {
      schemas: Object.assign({}, ...all.map(({ components }) => components.schemas)),
      securitySchemes: { oauth2 }
    },
    security: [],
    tags: [...new Map(all.flatMap(({ tags }) => tags.map((tag) => [tag.name, tag]))).values()]
  }
  return JSON.parse(JSON.stringify(document), open)
}
