/**
 * The service's event types (interface document §6.3), as data: what each says about which entity, which fields prove
 * it, and its stage. The document doesn't show field names; these are the snake_case forms of its words, and
 * `SITELEDGER_FIELD_ALIASES` adds others.
 *
 * A new event type is a row here. An event without a row is stored and quarantined, never lost.
 */
import { type EntityName, resources } from "../../src/Domain/Resource.ts"
import { ping } from "./ConstructionPing.ts"

/** The wire's names for an entity's columns; the first name found wins. */
export interface Wire {
  readonly key: string
  readonly fields: Readonly<Record<string, ReadonlyArray<string>>>
}

export interface EventType {
  readonly type: string
  readonly entity: EntityName
  /** One of the entity's stages. */
  readonly status: string
  /** Distinctive fields: the type is proven when all of one group are present and not null. */
  readonly proof: ReadonlyArray<ReadonlyArray<string>>
  /** Columns that only this type names this way; if no name is given, only aliases provide one. */
  readonly fields?: Readonly<Record<string, ReadonlyArray<string>>>
}

const project = ["project_id", "project"]

export const wires: Readonly<Record<EntityName, Wire>> = {
  projects: { key: "id", fields: { name: ["name"], status: ["status"] } },
  ipcs: {
    key: "ipc_id",
    fields: {
      project_id: project,
      draft_amount: ["draft_amount"],
      submitter: ["submitter"],
      submitted_amount: ["submitted_amount"],
      certified_amount: ["certified_amount"],
      certificate_url: ["certificate_url"],
      payment_reference: ["payment_reference"]
    }
  },
  vos: {
    key: "vo_id",
    fields: {
      project_id: project,
      description: ["description"],
      total_cost_impact: ["total_cost_impact"],
      final_amount: ["final_amount"],
      time_impact: ["time_impact"],
      boq_revision: ["boq_revision"]
    }
  },
  ncrs: {
    key: "ncr_id",
    fields: { project_id: project, severity: ["severity"], closure_date: ["closure_date"] }
  },
  hse_incidents: { key: "incident_id", fields: { classification: ["classification"] } },
  permits: {
    key: "permit_id",
    fields: {
      permit_type: ["permit_type", "type"],
      validity: ["validity"],
      hours_until_expiry: ["hours_until_expiry"]
    }
  },
  transmittals: {
    key: "transmittal_id",
    fields: { recipients: ["recipients"], document_count: ["document_count"] }
  }
}

const named = [
  { type: "ipc.created", entity: "ipcs", status: "created", proof: [["draft_amount"]] },
  {
    type: "ipc.submitted",
    entity: "ipcs",
    status: "submitted",
    proof: [["submitter", "amount"]],
    fields: { submitted_amount: ["amount", "submitted_amount"] }
  },
  { type: "ipc.certified", entity: "ipcs", status: "certified", proof: [["certified_amount"]] },
  {
    type: "ipc.paid",
    entity: "ipcs",
    status: "paid",
    proof: [["payment_reference"]],
    // Not in the document: read only if an alias says how the service names it.
    fields: { paid_amount: [] }
  },
  { type: "vo.created", entity: "vos", status: "created", proof: [["vo_id", "description"]] },
  { type: "vo.priced", entity: "vos", status: "priced", proof: [["total_cost_impact"]] },
  { type: "vo.agreed", entity: "vos", status: "agreed", proof: [["final_amount"]] },
  { type: "vo.absorbed", entity: "vos", status: "absorbed", proof: [["boq_revision"]] },
  { type: "ncr.created", entity: "ncrs", status: "open", proof: [["severity"]] },
  { type: "ncr.closed", entity: "ncrs", status: "closed", proof: [["closure_date"]] },
  { type: "hse.incident.reported", entity: "hse_incidents", status: "reported", proof: [["classification"]] },
  { type: "permit.issued", entity: "permits", status: "issued", proof: [["validity"]] },
  { type: "permit.expiring", entity: "permits", status: "expiring", proof: [["hours_until_expiry"]] },
  {
    type: "dms.transmittal.sent",
    entity: "transmittals",
    status: "sent",
    proof: [
      ["transmittal_id", "recipients"],
      ["transmittal_id", "document_count"]
    ]
  }
] as const satisfies ReadonlyArray<EventType>

export const eventTypes: ReadonlyArray<EventType> = named
export type EventName = (typeof named)[number]["type"]

export { ping }

/** Other spellings of the document's words; configuration adds more. */
export const documentAliases: Readonly<Record<string, ReadonlyArray<string>>> = {
  // "new BOQ revision" (§6.3)
  boq_revision: ["new_boq_revision"]
}

/** What a subscription asks for by default: everything that the document names. */
export const subscribable: ReadonlyArray<string> = eventTypes.map((each) => each.type)

/** The ledger posts these. */
export const moneyTypes: ReadonlyArray<EventName> = ["ipc.certified", "ipc.paid"]

/** The ledger hears of these (`Ledger/EventFacts`). */
export const ledgerTypes: ReadonlyArray<string> = eventTypes.flatMap(({ entity, type }) =>
  entity === "ipcs" ? type : []
)

/** Their contents must be in the books within a second. */
export const awaitedTypes: ReadonlyArray<string> = ["ipc.paid"]

export const byType: ReadonlyMap<string, EventType> = new Map(eventTypes.map((each) => [each.type, each]))

export const isKnownType = (value: unknown): value is string =>
  typeof value === "string" && (byType.has(value) || value === ping)

/** 1 for the first stage; 0 is for list pages. */
export const stageOf = (event: EventType): number =>
  resources[event.entity].stages.findIndex((stage) => stage.status === event.status) + 1

/** The column with the time when the event's stage last happened. */
export const stageColumn = (event: EventType): string => resources[event.entity].stages[stageOf(event) - 1]?.at ?? ""
