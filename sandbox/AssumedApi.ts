/**
 * The endpoints that the sandbox adds to those of the interface document, which names these resources and shows
 * no endpoint of theirs (§2.5, §4.4): a list of each, in the envelope of §2.2, and single records. Nothing of the
 * worker rests on them.
 *
 * A record has the names of the events' contents (§6.3), its status and, as `…_at`, when each stage last happened.
 * Optional is what later stages say.
 */
import { Schema, SchemaAST } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Pagination, Paging, Project, ProjectId } from "../connectors/construction/ConstructionApi.ts"

export const assumed = "Assumed: the interface document doesn't show it."

const Amount = Schema.Finite.annotate({
  identifier: "Amount",
  description: "Up to 24 digits before the point and four after it. Read it from the text: a double holds fewer."
})
/** When a stage last happened. */
const Time = Schema.String.annotate({
  identifier: "Time",
  description: "ISO 8601, UTC, with microseconds.",
  format: "date-time"
})
const said = Schema.optionalKey

export const Ipc = Schema.Struct({
  ipc_id: Schema.String,
  status: Schema.Literals(["created", "submitted", "certified", "paid"]),
  project_id: ProjectId,
  draft_amount: Amount,
  created_at: Time,
  submitter: said(Schema.String),
  amount: said(Amount),
  submitted_at: said(Time),
  certified_amount: said(Amount),
  certificate_url: said(Schema.String),
  certified_at: said(Time),
  payment_reference: said(Schema.String),
  paid_at: said(Time)
}).annotate({ identifier: "Ipc" })

export const Vo = Schema.Struct({
  vo_id: Schema.String,
  status: Schema.Literals(["created", "priced", "agreed", "absorbed"]),
  project_id: ProjectId,
  description: Schema.String,
  created_at: Time,
  total_cost_impact: said(Amount),
  priced_at: said(Time),
  final_amount: said(Amount),
  time_impact: said(Schema.String),
  agreed_at: said(Time),
  boq_revision: said(Schema.String),
  absorbed_at: said(Time)
}).annotate({ identifier: "Vo" })

export const Ncr = Schema.Struct({
  ncr_id: Schema.String,
  status: Schema.Literals(["open", "closed"]),
  project_id: ProjectId,
  severity: Schema.String,
  created_at: Time,
  closure_date: said(Schema.String.annotate({ format: "date" })),
  closed_at: said(Time)
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
  hours_until_expiry: said(Schema.Finite),
  expiring_at: said(Time)
}).annotate({ identifier: "Permit" })

export const Transmittal = Schema.Struct({
  transmittal_id: Schema.String,
  status: Schema.Literal("sent"),
  recipients: Schema.Array(Schema.String),
  document_count: Schema.Int,
  sent_at: Time
}).annotate({ identifier: "Transmittal" })

/** The bodies of errors (§7: not shown). */
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
      description: `${assumed} In the order in which they began; new ones come at the end.`
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

/** The list of projects is the document's own. */
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

/** That there is an OpenAPI description is shown (§1, §9), not where. */
export class DescriptionApi extends HttpApi.make("construction-description").add(
  HttpApiGroup.make("description").add(
    HttpApiEndpoint.get("openapi", "/openapi.json", { success: Schema.Json }).annotateMerge(
      OpenApi.annotations({ summary: "This description, as OpenAPI 3.1", description: `${assumed} Needs no token.` })
    ),
    HttpApiEndpoint.get("docs", "/docs", {
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
    }).annotateMerge(
      OpenApi.annotations({ summary: "This description, as a page to read", description: `${assumed} Needs no token.` })
    )
  )
) {}
