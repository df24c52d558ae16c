/**
 * The service's endpoints that the interface document shows (§4), as one HttpApi: the client is
 * derived from it, and the sandbox serves it. Two APIs, since the token lives under another address
 * than the resources (§1).
 *
 * Wire shapes are lenient towards the service: a field the document doesn't name is kept by whoever
 * reads the body, and statuses of errors are not shown (§7), so clients look at the status themselves.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"

/** §2.1. The document says integer; status is the service's own word. */
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

/** §4.1. The names of the paging parameters are not shown; these are the assumed ones. */
export const Paging = {
  page: Schema.optional(Schema.FiniteFromString.check(Schema.isInt())),
  per_page: Schema.optional(Schema.FiniteFromString.check(Schema.isInt()))
}

export const ProjectPage = Schema.Struct({
  data: Schema.Array(Project),
  pagination: Pagination
}).annotate({ identifier: "ProjectPage" })

/** §4.2. Fields of the answer beyond these are not shown. */
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

/** §5.1, form-encoded. The parameters of the other two flows are not shown (§5.2): read as RFC 6749 and RFC 7636. */
export const TokenRequest = Schema.Struct({
  grant_type: Schema.String,
  client_id: Schema.optional(Schema.String),
  client_secret: Schema.optional(Schema.String),
  scope: Schema.optional(Schema.String),
  code: Schema.optional(Schema.String),
  redirect_uri: Schema.optional(Schema.String),
  code_verifier: Schema.optional(Schema.String),
  refresh_token: Schema.optional(Schema.String)
}).annotate({ identifier: "TokenRequest" })

/** Not shown (§4.3): read as RFC 6749 §5.1; `expires_in` in seconds may be missing or text. */
export const TokenAnswer = Schema.Struct({
  access_token: Schema.NonEmptyString,
  token_type: Schema.optional(Schema.String),
  expires_in: Schema.optional(Schema.Union([Schema.Number, Schema.String])),
  refresh_token: Schema.optional(Schema.NonEmptyString),
  scope: Schema.optional(Schema.String)
}).annotate({ identifier: "TokenAnswer" })
export type TokenAnswer = typeof TokenAnswer.Type

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

export class ConstructionTokenApi extends HttpApi.make("construction-token").add(
  HttpApiGroup.make("oauth").add(
    HttpApiEndpoint.post("token", "/oauth/token", {
      payload: TokenRequest.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: TokenAnswer
    })
  )
) {}
