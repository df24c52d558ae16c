/**
 * What the tables and columns mean, in a sentence each, for people: told in every manifest, and in docs/tables.md.
 *
 * Typed by the columns themselves: one without a sentence doesn't compile, nor does a sentence without its column.
 */
import { type EntityName, resources, type commonColumns } from "../Domain/Resource.ts"
import type { EventRow } from "./WarehouseTables.ts"

interface Described<Column extends string> {
  readonly table: string
  readonly columns: Readonly<Record<Column, string>>
}

type Resources = typeof resources
type Own<Name extends EntityName> = keyof Resources[Name]["columns"] & string
type At<Name extends EntityName> = Resources[Name]["stages"][number]["at"]
type Status<Name extends EntityName> = Resources[Name]["stages"] extends readonly [] ? never : "status"

type Entities = { readonly [Name in EntityName]: Described<"id" | Own<Name> | At<Name> | Status<Name>> }

/** Of every entity table. */
const common: Readonly<Record<keyof typeof commonColumns, string>> = {
  _extra: "What the service says beyond the columns, as JSON; also a value that doesn't fit its column.",
  _clocks: "For each field, when and by what it was said last, as JSON: how the order of events was settled.",
  _first_seen_at: "When siteledger first heard of it.",
  _changed_at: "When siteledger last changed the row.",
  _deleted_at: "When the service's list stopped showing it; null while it does."
}

const projectId = "The project that it belongs to (projects.id)."
const stage = (words: string): string => `The furthest stage that it has reached (it never goes back): ${words}.`
const lastTime = (stage: string): string => `When it was last ${stage}, by the service's clock.`

const entities: Entities = {
  projects: {
    table: "Construction projects, from the service's list.",
    columns: { id: "The service's id.", name: "Its name.", status: "The service's own word." }
  },
  ipcs: {
    table: "Interim payment certificates.",
    columns: {
      id: "The service's id.",
      status: stage("created, submitted, certified or paid"),
      project_id: projectId,
      draft_amount: "The amount when it was created.",
      submitter: "Who submitted it.",
      submitted_amount: "The amount that was submitted.",
      certified_amount: "The amount that was certified.",
      certificate_url: "Where the certificate is.",
      payment_reference: "What the payment is known by.",
      created_at: lastTime("created"),
      submitted_at: lastTime("submitted"),
      certified_at: lastTime("certified"),
      paid_at: lastTime("paid")
    }
  },
  vos: {
    table: "Variation orders.",
    columns: {
      id: "The service's id.",
      status: stage("created, priced, agreed or absorbed"),
      project_id: projectId,
      description: "What varies.",
      total_cost_impact: "What it was priced at.",
      final_amount: "What was agreed.",
      time_impact: "What it does to the programme, in the service's words.",
      boq_revision: "The revision of the bill of quantities that absorbed it.",
      created_at: lastTime("created"),
      priced_at: lastTime("priced"),
      agreed_at: lastTime("agreed"),
      absorbed_at: lastTime("absorbed")
    }
  },
  ncrs: {
    table: "Non-conformance reports.",
    columns: {
      id: "The service's id.",
      status: stage("open or closed"),
      project_id: projectId,
      severity: "How severe, in the service's words.",
      closure_date: "The date of its closure, as the service says it.",
      created_at: lastTime("opened"),
      closed_at: lastTime("closed")
    }
  },
  hse_incidents: {
    table: "Health, safety and environment incidents.",
    columns: {
      id: "The service's id.",
      status: stage("reported"),
      classification: "The kind of incident, in the service's words.",
      reported_at: lastTime("reported")
    }
  },
  permits: {
    table: "Permits to work.",
    columns: {
      id: "The service's id.",
      status: stage("issued or expiring"),
      permit_type: "The kind of permit, in the service's words.",
      validity: "How long it is valid, in the service's words.",
      hours_until_expiry: "Hours left when the service warned that it expires.",
      issued_at: lastTime("issued"),
      expiring_at: lastTime("said to expire soon")
    }
  },
  transmittals: {
    table: "Transmittals of documents.",
    columns: {
      id: "The service's id.",
      status: stage("sent"),
      recipients: "Who it was sent to, as JSON.",
      document_count: "How many documents it holds.",
      sent_at: lastTime("sent")
    }
  }
}

const events: Described<keyof EventRow> = {
  table: "Every signed delivery, once, whatever became of it.",
  columns: {
    body_sha256: "SHA-256 of the delivery's body as hex: its key.",
    sequence: "Its place in the order in which deliveries were stored.",
    event_id: "The id of its first delivery.",
    event_type: "What the body proves it to be; else what its header says.",
    event_timestamp: "When it happened, by the service's clock; null where the body doesn't say.",
    entity: "The table of what it is about.",
    entity_id: "The id of what it is about.",
    payload: "The whole body, verbatim; null where text can't hold it.",
    issued_at: "When the first delivery was sent, by its header (not signed).",
    received_at: "When its first delivery came, by siteledger's clock.",
    deliveries: "How often it was delivered.",
    outcome: "applied, or quarantined: kept, and not in any row.",
    reason: "Why it is in quarantine.",
    alarms: "What was odd about it, as a JSON array of words."
  }
}

const ledgerEntries = {
  table: "The entries of the books: one for each payment, correction or reversal. Append-only.",
  columns: {
    entry_id: "Its id: the same for the same facts.",
    sequence: "Its place in the journal.",
    ipc_id: "The payment certificate that it is about (ipcs.id).",
    project_id: "The project that the certificate belongs to.",
    kind: "payment, adjustment or reversal.",
    amount: "Signed: negative takes back.",
    currency: "As configured; null where none is.",
    payment_reference: "What the payment is known by.",
    certificate_url: "The certificate that the amount comes from.",
    debit_account: "The account that a positive amount debits.",
    credit_account: "The account that a positive amount credits.",
    effective_at: "When it counts: the time of the payment.",
    known_at: "When siteledger knew what it rests on.",
    event_id: "The event that brought it about.",
    reverses: "The entry that it takes back.",
    basis: "The facts that it rests on, as JSON."
  }
}

const held = {
  hold_id: "Its id.",
  ipc_id: "The payment certificate that it is about (ipcs.id).",
  payment_reference: "What the payment is known by.",
  reason: "Why it isn't posted, as a word.",
  since: "When it began to wait."
}

const ledgerHolds = {
  table: "What waits for an amount or for a person before it can be posted.",
  columns: {
    ...held,
    basis: "The facts that it rests on, as JSON.",
    amount:
      "What it is about: the amount of the certificate in question, or what would be posted; null where none is known.",
    currency: "Of the amount; null where it isn't known."
  }
}

const ledgerDecisions = {
  table: "The holds that are over, and how they ended.",
  columns: {
    number: "Its place in the order of decisions.",
    ...held,
    verdict: "accept or reject, by a person; or answered, by facts that came later.",
    amount: "The amount that a person accepted.",
    decided_by: "Who decided; null where facts that came later did.",
    decided_at: "When.",
    why: "The reason that was given."
  }
}

/** By table. */
export const described: Readonly<Record<string, Described<string>>> = {
  ...Object.fromEntries(
    Object.entries(entities).map(([name, { columns, table }]) => [name, { table, columns: { ...columns, ...common } }])
  ),
  events,
  ledger_entries: ledgerEntries,
  ledger_holds: ledgerHolds,
  ledger_hold_decisions: ledgerDecisions
}
