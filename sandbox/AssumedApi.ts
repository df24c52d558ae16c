/**
 * Endpoints that the sandbox adds to the interface document's. The document names these resources but shows no
 * endpoints for them (§2.5, §4.4): each gets a list, in the envelope of §2.2, and single records. The worker doesn't
 * use them.
 *
 * A record has the field names of the events (§6.3), its status and, as `…_at`, when each stage last happened. Fields
 * of later stages are optional.
 */
import { Schema, SchemaAST } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Pagination, Paging, Project, ProjectId } from "../connectors/construction/ConstructionApi.ts"

export const assumed = "Assumed: the interface document doesn't show it."

const Amount = Schema.Finite.annotate({
  identifier: "Amount",
  description:
    "Up to 24 digits before the decimal point and four after it. Parse it from the text: a double holds fewer."
})
/** When a stage last happened. */
const Time = Schema.String.annotate({
  identifier: "Time",
  description: "ISO 8601, UTC, with microseconds.",
  format: "date-time"
})
const optional = Schema.optionalKey

export const Ipc = Schema.Struct({
  ipc_id: Schema.String,
  status: Schema.Literals(["created", "submitted", "certified", "paid"]),
  project_id: ProjectId,
  draft_amount: Amount,
  created_at: Time,
  submitter: optional(Schema.String),
  amount: optional(Amount),
  submitted_at: optional(Time),
  certified_amount: optional(Amount),
  certificate_url: optional(Schema.String),
  certified_at: optional(Time),
  payment_reference: optional(Schema.String),
  paid_at: optional(Time)
}).annotate({ identifier: "Ipc" })

export const Vo = Schema.Struct({
  vo_id: Schema.String,
  status: Schema.Literals(["created", "priced", "agreed", "absorbed"]),
  project_id: ProjectId,
  description: Schema.String,
  created_at: Time,
  total_cost_impact: optional(Amount),
  priced_at: optional(Time),
  final_amount: optional(Amount),
  time_impact: optional(Schema.String),
  agreed_at: optional(Time),
  boq_revision: optional(Schema.String),
  absorbed_at: optional(Time)
}).annotate({ identifier: "Vo" })

export const Ncr = Schema.Struct({
  ncr_id: Schema.String,
  status: Schema.Literals(["open", "closed"]),
  project_id: ProjectId,
  severity: Schema.String,
  created_at: Time,
  closure_date: optional(Schema.String.annotate({ format: "date" })),
  closed_at: optional(Time)
}).annotate({ identifier: "Ncr" })

export const HseIncident = Schema.Struct({
  incident_id: Schema.String,
  status: Schema.Literal("reported"),
  classification: Schema.String,
  reported_at: Time
}).annotate({ identifier: "HseIncident" })

export const Permit = Schema.Struct({
  permit_id: Schema.String,
  status: Schema.Literals(["issued", "expiring"]),
  type: Schema.String,
  validity: Schema.String,
  issued_at: Time,
  hours_until_expiry: optional(Schema.Finite),
  expiring_at: optional(Time)
}).annotate({ identifier: "Permit" })

export const Transmittal = Schema.Struct({
  transmittal_id: Schema.String,
  status: Schema.Literal("sent"),
  recipients: Schema.Array(Schema.String),
  document_count: Schema.Int,
  sent_at: Time
}).annotate({ identifier: "Transmittal" })

/** Error bodies (§7 doesn't show them). */
export const Refusal = Schema.Struct({
  error: Schema.String.annotate({ description: "A word for programs." }),
  message: Schema.String.annotate({ description: "A sentence for people." })
}).annotate({ identifier: "Refusal" })

const notFound = Refusal.pipe(HttpApiSchema.status(404))

/** `GET /{path}` and `GET /{path}/{id}`, for a `what` like "IPC". */
const resource = <const Name extends string, Record extends Schema.Top>(
  name: Name,
  path: `/${string}`,
  what: string,
  record: Record
) => {
  const page = Schema.Struct({ data: Schema.Array(record), pagination: Pagination }).annotate({
    identifier: `${SchemaAST.resolveIdentifier(record.ast)}Page`
  })
  const list = HttpApiEndpoint.get("list", path, { query: Paging, success: page }).annotateMerge(
    OpenApi.annotations({
      summary: `List ${what}s`,
      description: `${assumed} In order of creation; new ones come at the end.`
    })
  )
  const get = HttpApiEndpoint.get("get", `${path}/:id`, {
    params: { id: Schema.String },
    success: record,
    error: notFound
  }).annotateMerge(OpenApi.annotations({ summary: `Get one ${what}`, description: assumed }))
  return HttpApiGroup.make(name)
    .add(list, get)
    .annotateMerge(OpenApi.annotations({ title: `${what}s` }))
}

/** The interface document itself has the list of projects. */
const project = HttpApiGroup.make("project")
  .add(
    HttpApiEndpoint.get("get", "/projects/:id", {
      params: { id: Schema.String },
      success: Project,
      error: notFound
    }).annotateMerge(
      OpenApi.annotations({ identifier: "projects.get", summary: "Get one project", description: assumed })
    )
  )
  .annotateMerge(OpenApi.annotations({ title: "projects" }))

export class AssumedApi extends HttpApi.make("construction-assumed").add(
  project,
  resource("ipcs", "/ipcs", "IPC", Ipc),
  resource("vos", "/vos", "VO", Vo),
  resource("ncrs", "/ncrs", "NCR", Ncr),
  resource("hse_incidents", "/hse-incidents", "HSE incident", HseIncident),
  resource("permits", "/permits", "permit", Permit),
  resource("transmittals", "/transmittals", "transmittal", Transmittal)
) {}

/** The interface document mentions an OpenAPI description (§1, §9) but not its address. */
export class DescriptionApi extends HttpApi.make("construction-description").add(
  HttpApiGroup.make("description").add(
    HttpApiEndpoint.get("openapi", "/openapi.json", { success: Schema.Json }).annotateMerge(
      OpenApi.annotations({ summary: "This description as OpenAPI 3.1", description: `${assumed} Needs no token.` })
    ),
    HttpApiEndpoint.get("docs", "/docs", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
    }).annotateMerge(
      OpenApi.annotations({ summary: "This description as a web page", description: `${assumed} Needs no token.` })
    )
  )
) {}
