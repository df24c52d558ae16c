/**
 * What happens to the service's entities: the lives of IPCs, VOs, NCRs, HSE incidents, permits and transmittals, as
 * lists of occurrences with the contents of interface document §6.3. Pure and seeded. Values are JSON texts: an amount
 * never passes through a float, and some have more digits than one holds. Not every life is completed, but the first of
 * each kind is, so every block has every event type.
 */
import type { Dice } from "./Seed.ts"

export const eventTypes = [
  "ipc.created",
  "ipc.submitted",
  "ipc.certified",
  "ipc.paid",
  "vo.created",
  "vo.priced",
  "vo.agreed",
  "vo.absorbed",
  "ncr.created",
  "ncr.closed",
  "hse.incident.reported",
  "permit.issued",
  "permit.expiring",
  "dms.transmittal.sent"
] as const
export type EventType = (typeof eventTypes)[number]

export type Entity = "ipcs" | "vos" | "ncrs" | "hse_incidents" | "permits" | "transmittals"

export interface Occurrence {
  readonly type: EventType
  readonly entity: Entity
  readonly id: string
  /** The entity's status from here on, in the words of the worker's tables. */
  readonly status: string
  /** The contents in order: name and JSON text. */
  readonly contents: ReadonlyArray<readonly [name: string, json: string]>
}

/** One entity's life, in order. */
export type Life = ReadonlyArray<Occurrence>

export interface Circumstances {
  readonly dice: Dice
  /** `2026-000123`: the end of this life's ids. */
  readonly number: string
  readonly projectId: number
  /** The life goes through every stage. */
  readonly complete: boolean
  /** Whether one amount in thirty is larger than any double can hold. */
  readonly largeAmounts: boolean
  /** `YYYY-MM-DD`, `offset` days after the simulation's first day. */
  readonly day: (offset: number) => string
}

type Contents = Occurrence["contents"]
type Stage = readonly [type: EventType, status: string, contents: Contents]

const life = (entity: Entity, idName: string, id: string, stages: ReadonlyArray<Stage>): Life =>
  stages.map(([type, status, contents]) => ({
    type,
    entity,
    id,
    status,
    contents: [[idName, JSON.stringify(id)], ...contents]
  }))

/** An incomplete life ends after any of its stages. */
const cut = <A>(c: Circumstances, share: number, stages: ReadonlyArray<A>): ReadonlyArray<A> =>
  c.complete || !c.dice.chance(share) ? stages : stages.slice(0, 1 + c.dice.below(stages.length))

/** In ten-thousandths. From a thousand to ten million; a large amount has up to 20 digits before the point. */
const amount = ({ dice, largeAmounts }: Circumstances): bigint => {
  const digits = largeAmounts && dice.chance(1 / 30) ? 20 + dice.below(5) : 8 + dice.below(4)
  let text = String(1 + dice.below(9))
  while (text.length < digits) text += String(dice.below(10))
  return BigInt(text)
}

/** With as many decimals as it needs, at most four. */
const money = (tenThousandths: bigint): string => {
  const size = tenThousandths < 0n ? -tenThousandths : tenThousandths
  const decimals = String(size % 10_000n)
    .padStart(4, "0")
    .replace(/0+$/, "")
  return `${tenThousandths < 0n ? "-" : ""}${size / 10_000n}${decimals === "" ? "" : `.${decimals}`}`
}

const percent = (of: bigint, from: number, to: number, dice: Dice): bigint =>
  (of * BigInt(from + dice.below(to - from + 1))) / 100n

/** Certified amounts are paid in a currency that usually has two decimals. */
const inCents = (tenThousandths: bigint): bigint => tenThousandths - (tenThousandths % 100n)

const people = ["A. Okafor", "J. Núñez", "M. Þórsdóttir", "L. Chen", 'S. "Sam" Patel'] as const

export const ipc = (c: Circumstances): Life => {
  const id = `IPC-${c.number}`
  const draft = amount(c)
  const submitted = percent(draft, 90, 105, c.dice)
  const certificates = c.complete || c.dice.chance(0.15) ? [1, 2] : [1]
  const certified = certificates.map((n): Stage => [
    "ipc.certified",
    "certified",
    [
      ["certified_amount", money(inCents(percent(submitted, 75, 100, c.dice)))],
      ["certificate_url", JSON.stringify(`https://construction.example/certificates/${id}/${n}.pdf`)]
    ]
  ])
  const stages: ReadonlyArray<Stage> = [
    [
      "ipc.created",
      "created",
      [
        ["project_id", String(c.projectId)],
        ["draft_amount", money(draft)]
      ]
    ],
    [
      "ipc.submitted",
      "submitted",
      [
        ["submitter", JSON.stringify(c.dice.pick(people))],
        ["amount", money(submitted)]
      ]
    ],
    ...certified,
    ["ipc.paid", "paid", [["payment_reference", JSON.stringify(`PAY-${c.number}`)]]]
  ]
  return life("ipcs", "ipc_id", id, cut(c, 0.2, stages))
}

const variations = [
  'Re-route 33 kV cable at "Gate B"',
  "Extra piles, rows 7–12",
  "Omit façade cleaning\n(phase 2)",
  "Larger drain under the haul road"
] as const

export const vo = (c: Circumstances): Life => {
  const size = amount(c)
  const impact = c.dice.chance(0.2) ? -size : size
  return life(
    "vos",
    "vo_id",
    `VO-${c.number}`,
    cut(c, 0.3, [
      [
        "vo.created",
        "created",
        [
          ["project_id", String(c.projectId)],
          ["description", JSON.stringify(c.dice.pick(variations))]
        ]
      ],
      ["vo.priced", "priced", [["total_cost_impact", money(impact)]]],
      [
        "vo.agreed",
        "agreed",
        [
          ["final_amount", money(percent(impact, 80, 100, c.dice))],
          ["time_impact", JSON.stringify(`${c.dice.below(40)} days`)]
        ]
      ],
      [
        "vo.absorbed",
        "absorbed",
        [["boq_revision", JSON.stringify(`BOQ-${String.fromCharCode(65 + c.dice.below(26))}`)]]
      ]
    ])
  )
}

export const ncr = (c: Circumstances): Life => {
  const severity = c.dice.pick(["minor", "major", "critical"])
  return life(
    "ncrs",
    "ncr_id",
    `NCR-${c.number}`,
    cut(c, 0.4, [
      [
        "ncr.created",
        "open",
        [
          ["project_id", String(c.projectId)],
          ["severity", JSON.stringify(severity)]
        ]
      ],
      ["ncr.closed", "closed", [["closure_date", JSON.stringify(c.day(c.dice.below(30)))]]]
    ])
  )
}

export const hseIncident = (c: Circumstances): Life => {
  const classification = c.dice.pick(["near-miss", "first-aid", "medical-treatment", "lost-time"])
  return life("hse_incidents", "incident_id", `HSE-${c.number}`, [
    ["hse.incident.reported", "reported", [["classification", JSON.stringify(classification)]]]
  ])
}

export const permit = (c: Circumstances): Life => {
  const type = c.dice.pick(["hot-work", "confined-space", "excavation", "working-at-height"])
  const validity = `${c.day(0)}/${c.day(1 + c.dice.below(60))}`
  const expiring = (hours: string): Stage => ["permit.expiring", "expiring", [["hours_until_expiry", hours]]]
  return life(
    "permits",
    "permit_id",
    `PTW-${c.number}`,
    cut(c, 0.3, [
      [
        "permit.issued",
        "issued",
        [
          ["type", JSON.stringify(type)],
          ["validity", JSON.stringify(validity)]
        ]
      ],
      expiring("72"),
      expiring("23.5")
    ])
  )
}

export const transmittal = (c: Circumstances): Life => {
  const recipients = people.slice(c.dice.below(2), 2 + c.dice.below(people.length - 1))
  return life("transmittals", "transmittal_id", `TR-${c.number}`, [
    [
      "dms.transmittal.sent",
      "sent",
      [
        ["recipients", JSON.stringify(recipients)],
        ["document_count", String(1 + c.dice.below(60))]
      ]
    ]
  ])
}
