/**
 * Lives of records, as events of the kinds that move no money, from which `AppliedRows.ts` makes rows: what each event
 * says, in SQL that may use `k`, the number that a life is about. An IPC only begins, and names no project, because
 * that would be a fact of the books. Pure.
 */

/** An event's value of a field, and the column that gets it. */
export interface Said {
  readonly field: string
  readonly column: string
  readonly type: "date" | "decimal(10, 2)" | "decimal(28, 4)" | "bigint" | "varchar"
  readonly value: string
}

const said = (field: string, value: string, more: Partial<Said> = {}): Said => ({
  field,
  column: field,
  type: "varchar",
  value,
  ...more
})

const money = (field: string, cents: string, column = field): Said =>
  said(field, `k || '.${cents}'`, { column, type: "decimal(28, 4)" })

export interface Told {
  readonly type: string
  /** The column that gets the event's time. */
  readonly at: string
  readonly says: ReadonlyArray<Said>
}

export interface Life {
  readonly table: string
  readonly key: string
  /** The status after the event. */
  readonly status: string
  /** Its events, in the order of its stages. */
  readonly events: ReadonlyArray<Told>
}

const told = (type: string, at: string, ...says: ReadonlyArray<Said>): Told => ({ type, at, says })

const ipcs: Life = {
  table: "ipcs",
  key: "ipc_id",
  status: "submitted",
  events: [
    told("ipc.created", "created_at", money("draft_amount", "25")),
    told(
      "ipc.submitted",
      "submitted_at",
      said("submitter", "'Engineer ' || k % 97"),
      money("amount", "50", "submitted_amount")
    )
  ]
}

const others: ReadonlyArray<Life> = [
  {
    table: "vos",
    key: "vo_id",
    status: "absorbed",
    events: [
      told("vo.created", "created_at", said("description", "'Additional piles, row ' || k")),
      told("vo.priced", "priced_at", money("total_cost_impact", "50")),
      told("vo.agreed", "agreed_at", money("final_amount", "25"), said("time_impact", "'3 days'")),
      told("vo.absorbed", "absorbed_at", said("boq_revision", "'C'"))
    ]
  },
  {
    table: "ncrs",
    key: "ncr_id",
    status: "closed",
    events: [
      told("ncr.created", "created_at", said("severity", "'minor'")),
      told("ncr.closed", "closed_at", said("closure_date", "'2026-10-20'", { type: "date" }))
    ]
  },
  {
    table: "hse_incidents",
    key: "incident_id",
    status: "reported",
    events: [told("hse.incident.reported", "reported_at", said("classification", "'near miss'"))]
  },
  {
    table: "permits",
    key: "permit_id",
    status: "expiring",
    events: [
      told("permit.issued", "issued_at", said("validity", "'7 days'")),
      told("permit.expiring", "expiring_at", said("hours_until_expiry", "'24'", { type: "decimal(10, 2)" }))
    ]
  },
  {
    table: "transmittals",
    key: "transmittal_id",
    status: "sent",
    events: [told("dms.transmittal.sent", "sent_at", said("document_count", "'3'", { type: "bigint" }))]
  }
]

/** The tables that a fill covers: each number has one life in each table. */
export const livesOf = { all: [ipcs, ...others], ipcs: [ipcs] } satisfies Record<string, ReadonlyArray<Life>>
