/**
 * The service's records as they move through their lives: how many are at each stage, and which changed last. Pure,
 * from the events up to a step. Only the counts of whole blocks of events are remembered.
 */
import { Effect } from "effect"
import type { Events } from "../Events.ts"
import * as EntityState from "../EntityState.ts"
import type { Entity } from "../Lifecycles.ts"
import type { Column } from "./Page.ts"

export interface Kind {
  readonly entity: Entity
  readonly name: string
  /** The name of one record. */
  readonly singular: string
  readonly stages: ReadonlyArray<string>
  /** The fields in the order of the columns, with their headings and how each is shown. */
  readonly contents: ReadonlyArray<readonly [content: string, heading: string, kind?: Column["kind"]]>
}

export const kinds: ReadonlyArray<Kind> = [
  {
    entity: "ipcs",
    name: "IPCs",
    singular: "IPC",
    stages: ["created", "submitted", "certified", "paid"],
    contents: [
      ["project_id", "Project", "short"],
      ["draft_amount", "Draft", "amount"],
      ["amount", "Submitted", "amount"],
      ["certified_amount", "Certified", "amount"],
      ["payment_reference", "Payment"]
    ]
  },
  {
    entity: "vos",
    name: "VOs",
    singular: "VO",
    stages: ["created", "priced", "agreed", "absorbed"],
    contents: [
      ["project_id", "Project", "short"],
      ["description", "Description"],
      ["total_cost_impact", "Cost impact", "amount"],
      ["final_amount", "Final", "amount"],
      ["time_impact", "Time impact", "short"],
      ["boq_revision", "BOQ", "short"]
    ]
  },
  {
    entity: "ncrs",
    name: "NCRs",
    singular: "NCR",
    stages: ["open", "closed"],
    contents: [
      ["project_id", "Project", "short"],
      ["severity", "Severity"],
      ["closure_date", "Closed on"]
    ]
  },
  {
    entity: "hse_incidents",
    name: "HSE incidents",
    singular: "Incident",
    stages: ["reported"],
    contents: [["classification", "Classification"]]
  },
  {
    entity: "permits",
    name: "Permits",
    singular: "Permit",
    stages: ["issued", "expiring"],
    contents: [
      ["type", "Type"],
      ["validity", "Validity"],
      ["hours_until_expiry", "Hours left", "number"]
    ]
  },
  {
    entity: "transmittals",
    name: "Transmittals",
    singular: "Transmittal",
    stages: ["sent"],
    contents: [
      ["recipients", "Recipients"],
      ["document_count", "Documents", "number"]
    ]
  }
]

export interface Changed extends EntityState.EntityState {
  /** When its last event happened: ISO 8601 with microseconds. */
  readonly changedAt: string
}

const changedAt = ({ contents }: EntityState.EntityState): string => {
  let latest = ""
  for (const [name, json] of contents) if (name.endsWith("_at") && json > latest) latest = json
  return latest.slice(1, -1)
}

/**
 * At most `most` records of a kind, the last changed first. No life spans two blocks, so every record of an earlier
 * block is older.
 */
export const latest = (events: Events, steps: number, entity: Entity, most: number): ReadonlyArray<Changed> => {
  const found: Array<Changed> = []
  for (let block = Math.floor(steps / events.blockLength); block >= 0 && found.length < most; block--) {
    const changed = EntityState.ofBlock(events, block, steps, entity).map((state) => ({
      ...state,
      changedAt: changedAt(state)
    }))
    found.push(...changed.toSorted((a, b) => (a.changedAt < b.changedAt ? 1 : -1)))
  }
  return found.slice(0, most)
}

/** How many records of a kind are at a stage. */
export type Counts = (entity: Entity, stage: string) => number

export interface Tally {
  /** `steps`: how many events have been emitted; read again after each yield. */
  readonly counts: (steps: () => number) => Effect.Effect<Counts>
}

/** Blocks counted before the fiber yields. */
const blocksPerTurn = 16

export const tally = (events: Events): Tally => {
  const whole = new Map<string, number>()
  let counted = 0
  const add = (counts: Map<string, number>, block: number, steps: number) => {
    for (const { entity, status } of EntityState.ofBlock(events, block, steps)) {
      const key = `${entity} ${status}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  return {
    counts: Effect.fnUntraced(function* (steps: () => number) {
      while ((counted + 1) * events.blockLength <= steps()) {
        add(whole, counted++, Infinity)
        if (counted % blocksPerTurn === 0) yield* Effect.yieldNow
      }
      const counts = new Map(whole)
      add(counts, counted, steps())
      return (entity: Entity, stage: string) => counts.get(`${entity} ${stage}`) ?? 0
    })
  }
}
