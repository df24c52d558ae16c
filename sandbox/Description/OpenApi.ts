/**
 * The API's OpenAPI 3.1 document (interface document §1, §9), derived from the served definitions: the document's own
 * endpoints, the assumed ones, and the token endpoint, which is outside the version (§1). It adds the scopes, and every
 * answer that is given before a request reaches its endpoint. The version's names replace those of v1.
 *
 * Its addresses are relative, so it is valid behind any host and port.
 */
import { OpenApi } from "effect/http-api"
import { ConstructionApi, ConstructionTokenApi } from "../../connectors/construction/ConstructionApi.ts"
import { assumed, AssumedApi, DescriptionApi } from "../AssumedApi.ts"
import type { ResolvedOptions } from "../Options.ts"
import { allScopes, describeScope, neededScope } from "../Scopes.ts"
import type { Version } from "../Versions.ts"
import * as Answers from "./Answers.ts"
import * as Examples from "./Examples.ts"
import * as Webhooks from "./Webhooks.ts"

export type Operation = OpenApi.OpenAPISpecOperation
export const methods = ["get", "post", "put", "patch", "delete"] as const
export interface Path extends Partial<Record<(typeof methods)[number], Operation>> {
  /** Set where they differ from the document's. */
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
    readonly securitySchemes: { readonly oauth2: OAuth2; readonly client: object }
  }
  /** By event type. */
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>
}

/** Summaries and descriptions of the operations that the interface document shows; their definitions have none. */
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
  "oauth.device": "Begin a login on a device without a browser (RFC 8628)",
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
    "`Authorization: Bearer <ACCESS_TOKEN>` (interface document §5). The authorization code flow requires PKCE (S256). A device without a browser begins at `/oauth/device_authorization` (RFC 8628), for which OpenAPI 3.1 has no flow.",
  flows: {
    clientCredentials: { tokenUrl, scopes },
    authorizationCode: { authorizationUrl: "/oauth/authorize", tokenUrl, refreshUrl: tokenUrl, scopes }
  }
}

/** How a client authenticates at the endpoints that it calls without a token; its secret may be in the form instead. */
const client = {
  type: "http",
  scheme: "basic",
  description: "The client's id and secret (RFC 6749 §2.3.1). A public client sends only `client_id`, in the form."
}

const tags: Readonly<Record<string, string>> = {
  oauth:
    "Tokens for client credentials, for a person's consent (authorization code with PKCE, or a device's code), and refresh tokens.",
  projects: "The projects, in the order of their creation.",
  webhooks: "Subscriptions to events.",
  description: "This description.",
  ipcs: "Interim payment certificates: created, submitted, certified, paid.",
  vos: "Variation orders: created, priced, agreed, absorbed.",
  ncrs: "Non-conformance reports: open, closed.",
  "hse incidents": "Reported incidents of health, safety and environment.",
  permits: "Permits to work: issued, expiring.",
  transmittals: "Documents sent by the document management system."
}

/** Descriptions of parameters, by name; the definitions have none. */
const parametersOf = ({ pageSize, pageSizeMax }: ResolvedOptions): Readonly<Record<string, object>> => ({
  id: { description: "Of one record." },
  page: { schema: { type: "integer", minimum: 1, default: 1 }, description: "A page beyond the last one is empty." },
  per_page: {
    schema: { type: "integer", minimum: 1, default: pageSize },
    description: `More than ${pageSizeMax} is lowered to ${pageSizeMax}. The response says which number was used.`
  }
})

type Named = ReturnType<typeof parametersOf>

const complete = (method: string, path: string, operation: Operation, named: Named): Operation => {
  const { operationId, parameters, responses } = operation
  const scope = neededScope(method, path)
  const isOAuth = operationId.startsWith("oauth.")
  const hasBody = method === "post"
  const isGuarded = scope !== undefined
  const headers = isGuarded ? { headers: Answers.rateLimitHeaders } : {}
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"))
  return {
    ...operation,
    summary: operation.summary ?? shown[operationId]?.summary ?? summaries[operationId] ?? operationId,
    description: operation.description ?? shown[operationId]?.description ?? assumed,
    parameters: parameters.map((each) => ({ ...each, ...named[each.name] })),
    security: isGuarded ? [{ oauth2: [scope] }] : isOAuth && hasBody ? [{ client: [] }, {}] : [],
    responses: {
      ...Object.fromEntries(
        successes.map(([status, answer]) => [status, { ...answer, ...headers, description: "Success." }])
      ),
      ...Answers.of({ isOAuth, isGuarded, hasBody, isOne: "404" in responses })
    }
  }
}

const completeAll = (paths: OpenApi.OpenAPISpecPaths, named: Named, servers?: Document["servers"]): Document["paths"] =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]): [string, Path] => {
      const operations = methods.flatMap((method) => {
        const operation = item[method]
        return operation === undefined ? [] : [[method, complete(method, path, operation, named)] as const]
      })
      return [path, { ...Object.fromEntries(operations), ...(servers === undefined ? {} : { servers }) }]
    })
  )

type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Without the alternative `null`: an optional field without a value is absent. */
const unNulled = (schema: Schema): Schema => {
  const { anyOf, ...others } = schema
  if (!Array.isArray(anyOf)) return schema
  const [only, ...more]: ReadonlyArray<Schema> = anyOf.filter(({ type }: Schema) => type !== "null")
  return more.length === 0 ? { ...others, ...only } : { ...others, anyOf: [only, ...more] }
}

/** Later versions of a schema may add fields, so no schema forbids additional ones. */
const open = (key: string, value: unknown): unknown => {
  if (key === "additionalProperties" && value === false) return undefined
  return isSchema(value) ? unNulled(value) : value
}

/** A JSON Schema with its properties renamed. */
const renamed = (schema: unknown, names: Readonly<Record<string, string>>): Schema => {
  if (!isSchema(schema)) return {}
  const named = (name: string) => names[name] ?? name
  const { properties, required } = schema
  const others = Object.entries(isSchema(properties) ? properties : {}).map(([name, each]) => [named(name), each])
  return {
    ...schema,
    properties: Object.fromEntries(others),
    required: Array.isArray(required) ? required.map((name) => named(String(name))) : []
  }
}

/** The schemas of the definitions under the version's names, with examples. */
const schemasOf = (version: Version, made: Schema): Readonly<Record<string, Schema>> => {
  const kinds = Object.entries(Examples.schemaNames) as ReadonlyArray<[keyof typeof Examples.schemaNames, string]>
  const records = kinds.map(([kind, name]) => {
    const examples = [Examples.record(version, kind)]
    return [name, { ...renamed(made[name], version.renamed[kind] ?? {}), examples }] as const
  })
  const lists = Object.keys(made).filter((name) => name.endsWith("Page") || name === "Pagination")
  return {
    ...Object.fromEntries(Object.entries(made).map(([name, schema]) => [name, isSchema(schema) ? schema : {}])),
    ...Object.fromEntries(records),
    ...Object.fromEntries(lists.map((name) => [name, renamed(made[name], version.list)])),
    ...Answers.schemas,
    Refusal: { ...renamed(made["Refusal"], {}), examples: [Answers.errorExample] }
  }
}

const info = (version: Version) => ({
  title: "Construction project management service",
  version: `${version.path.slice(2)}.0.0`,
  description,
  contact: { name: "siteledger, whose stand-in of the service this is" },
  license: { name: "Apache 2.0", url: "https://www.apache.org/licenses/LICENSE-2.0.html" }
})

export const make = (options: ResolvedOptions, version: Version): Document => {
  const authorization = OpenApi.fromApi(ConstructionTokenApi)
  const versioned = [OpenApi.fromApi(ConstructionApi), OpenApi.fromApi(AssumedApi), OpenApi.fromApi(DescriptionApi)]
  const all = [authorization, ...versioned]
  const named = parametersOf(options)
  const paths = versioned.map((spec) => completeAll(spec.paths, named))
  const schemas = schemasOf(version, Object.assign({}, ...all.map(({ components }) => components.schemas)))
  const events = Webhooks.make(version, (name) => {
    const properties = schemas[name]?.["properties"]
    return isSchema(properties) ? properties : {}
  })
  const names = [...new Set(all.flatMap((spec) => spec.tags.map(({ name }) => name)))]
  const document = {
    openapi: authorization.openapi,
    info: info(version),
    servers: [{ url: version.path, description: "{base_url}" }],
    paths: Object.assign(completeAll(authorization.paths, named, [{ url: "/", description: "{auth_url}" }]), ...paths),
    webhooks: events.webhooks,
    components: { schemas: { ...schemas, ...events.schemas }, securitySchemes: { oauth2, client } },
    security: [],
    tags: [...names.map((name) => ({ name, description: tags[name.toLowerCase()] ?? name })), Webhooks.tag]
  }
  return JSON.parse(JSON.stringify(document), open)
}
