/**
 * The service's endpoints in the interface document (§4): the client is derived from them, and the sandbox serves them.
 * Two HttpApis, because tokens have a different address from the resources (§1).
 *
 * Wire shapes are lenient towards the service: the reader of a body keeps fields that the document doesn't name. Error
 * statuses aren't documented (§7), so clients look at the status themselves.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

/** §2.1. The document says integer; `status` is the service's own word. */
export const ProjectId = Schema.Int.pipe(Schema.brand("ProjectId"))
export type ProjectId = typeof ProjectId.Type

export const Project = Schema.Struct({
  id: ProjectId,
  name: Schema.String,
  status: Schema.String
}).annotate({ identifier: "Project" })
export type Project = typeof Project.Type

/** §2.2. `page` starts at 1. */
export const Pagination = Schema.Struct({
  total: Schema.Int,
  page: Schema.Int,
  per_page: Schema.Int
}).annotate({ identifier: "Pagination" })
export type Pagination = typeof Pagination.Type

/** §4.1. The names of the paging parameters aren't documented; these are the assumed ones. */
const FromOne = Schema.FiniteFromString.check(Schema.isInt(), Schema.isGreaterThanOrEqualTo(1))
export const Paging = { page: Schema.optional(FromOne), per_page: Schema.optional(FromOne) }

export const ProjectPage = Schema.Struct({
  data: Schema.Array(Project),
  pagination: Pagination
}).annotate({ identifier: "ProjectPage" })

/** §4.2. Fields of the answer beyond these aren't documented. */
export const NewSubscription = Schema.Struct({
  url: Schema.String,
  events: Schema.Array(Schema.String)
}).annotate({ identifier: "NewSubscription" })

export const Subscription = Schema.Struct({
  url: Schema.String,
  events: Schema.Array(Schema.String),
  secret: Schema.String
}).annotate({ identifier: "Subscription" })
export type Subscription = typeof Subscription.Type

/**
 * §5.1, form-encoded. The parameters of the other two flows aren't documented (§5.2): read as in RFC 6749 and RFC 7636.
 */
export const TokenRequest = Schema.Struct({
  grant_type: Schema.String,
  client_id: Schema.optional(Schema.String),
  client_secret: Schema.optional(Schema.String),
  scope: Schema.optional(Schema.String),
  code: Schema.optional(Schema.String),
  redirect_uri: Schema.optional(Schema.String),
  code_verifier: Schema.optional(Schema.String),
  refresh_token: Schema.optional(Schema.String),
  device_code: Schema.optional(Schema.String)
}).annotate({ identifier: "TokenRequest" })
export type TokenRequest = typeof TokenRequest.Type

/** Not documented (§4.3): read as in RFC 6749 §5.1; `expires_in` in seconds may be missing, or text. */
export const TokenAnswer = Schema.Struct({
  access_token: Schema.NonEmptyString,
  token_type: Schema.optional(Schema.String),
  expires_in: Schema.optional(Schema.Union([Schema.Number, Schema.String])),
  refresh_token: Schema.optional(Schema.NonEmptyString),
  scope: Schema.optional(Schema.String)
}).annotate({ identifier: "TokenAnswer" })
export type TokenAnswer = typeof TokenAnswer.Type

/** Assumed: revocation isn't documented (§5.2). RFC 7009 §2.1, form-encoded. */
export const RevocationRequest = Schema.Struct({
  token: Schema.String,
  token_type_hint: Schema.optional(Schema.String),
  client_id: Schema.optional(Schema.String),
  client_secret: Schema.optional(Schema.String)
}).annotate({ identifier: "RevocationRequest" })

/** Assumed: a login on another device isn't documented (§5.2). RFC 8628 §3.1, form-encoded. */
export const DeviceRequest = Schema.Struct({
  client_id: Schema.optional(Schema.String),
  client_secret: Schema.optional(Schema.String),
  scope: Schema.optional(Schema.String)
}).annotate({ identifier: "DeviceRequest" })

/** RFC 8628 §3.2. In seconds; the interval defaults to 5. */
export const DeviceAnswer = Schema.Struct({
  device_code: Schema.String,
  user_code: Schema.String,
  verification_uri: Schema.String,
  verification_uri_complete: Schema.optional(Schema.String),
  expires_in: Schema.Number,
  interval: Schema.optional(Schema.Number)
}).annotate({ identifier: "DeviceAnswer" })
export type DeviceAnswer = typeof DeviceAnswer.Type

/** RFC 8628 §3.4. */
export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

const Names = Schema.optional(Schema.Array(Schema.String))

/** Assumed: no such document is mentioned (§5.2). RFC 8414 §2, RFC 8628 §4, and RFC 9207 §3 for the last field. */
export const AuthorizationServer = Schema.Struct({
  issuer: Schema.String,
  authorization_endpoint: Schema.String,
  token_endpoint: Schema.String,
  revocation_endpoint: Schema.optional(Schema.String),
  device_authorization_endpoint: Schema.optional(Schema.String),
  scopes_supported: Names,
  response_types_supported: Names,
  response_modes_supported: Names,
  grant_types_supported: Names,
  token_endpoint_auth_methods_supported: Names,
  revocation_endpoint_auth_methods_supported: Names,
  code_challenge_methods_supported: Names,
  authorization_response_iss_parameter_supported: Schema.optional(Schema.Boolean)
}).annotate({ identifier: "AuthorizationServer" })
export type AuthorizationServer = typeof AuthorizationServer.Type

export class ConstructionApi extends HttpApi.make("construction")
  .add(
    HttpApiGroup.make("projects").add(
      HttpApiEndpoint.get("list", "/projects", { query: Paging, success: ProjectPage })
    ),
    HttpApiGroup.make("webhooks").add(
      HttpApiEndpoint.post("create", "/webhooks", {
        payload: NewSubscription,
        success: Subscription.pipe(HttpApiSchema.status(201))
      })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "Construction project management service" })) {}

/** The lists among them, by their paths. */
export const lists: ReadonlyArray<string> = ["/projects"]

export class ConstructionTokenApi extends HttpApi.make("construction-token").add(
  HttpApiGroup.make("oauth").add(
    HttpApiEndpoint.post("token", "/oauth/token", {
      payload: TokenRequest.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: TokenAnswer
    }),
    HttpApiEndpoint.post("revoke", "/oauth/revoke", {
      payload: RevocationRequest.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: HttpApiSchema.Empty(200)
    }),
    HttpApiEndpoint.post("device", "/oauth/device_authorization", {
      payload: DeviceRequest.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: DeviceAnswer
    }),
    HttpApiEndpoint.get("metadata", "/.well-known/oauth-authorization-server", { success: AuthorizationServer })
  )
) {}
