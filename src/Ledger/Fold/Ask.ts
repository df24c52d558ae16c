/**
 * Questions to a person, and the ids of holds and entries. Pure. The same question about the same things has the same id,
 * in any order of events.
 */
import { hash } from "node:crypto"
import * as Amount from "../../Domain/Amount.ts"
import type { Instant } from "../../Domain/Instant.ts"
import type { About, Basis, ByHandFact, Fact, Hold, HoldReason, PayableGround, PaymentFact } from "../Fact.ts"

/** What a question is about: a payment, or what a person did by hand. */
export type Subject = PaymentFact | ByHandFact

/** What a hold would be about. It becomes a Hold only when opened; most questions of a turn are already open. */
export interface Question {
  readonly holdId: string
  readonly reason: HoldReason
  readonly subject: Subject
  readonly facts: ReadonlyArray<Fact>
  /** See Hold. */
  readonly part: string
  /** See Hold. */
  readonly units: bigint | null
}

/** The part of the books that it concerns; undefined for its own part, which its answer opens. */
export interface Of {
  readonly part?: string
  readonly units?: bigint | null
}

export const ask = (
  reason: HoldReason,
  subject: Subject,
  about: ReadonlyArray<string>,
  facts: ReadonlyArray<Fact>,
  { part, units = null }: Of
): Question => {
  const holdId = identify("hold", subject.ipcId, subject.reference, reason, ...about)
  return { holdId, reason, subject, facts, part: part ?? holdId, units }
}

/** The hold that a question becomes. */
export const opened = (
  { facts, holdId, part, reason, subject, units }: Question,
  since: Instant,
  currency: string | null
): Hold => ({
  hold_id: holdId,
  ipc_id: subject.ipcId,
  payment_reference: subject.reference,
  reason,
  since,
  basis: basisOf([subject, ...facts]),
  units,
  currency,
  part
})

/** 128 bits of a hash over the parts, encoded so that no part can run into the next. */
export const identify = (...parts: ReadonlyArray<string>): string =>
  hash("sha256", JSON.stringify(parts), "hex").slice(0, 32)

type Shown = string | number | null

/**
 * For an auditor: units as amounts, and names in a fixed order, so a fact reads the same whether it is new or from the
 * Store.
 */
export const basisOf = (facts: ReadonlyArray<Fact | PayableGround>): Basis =>
  facts.map((fact) => {
    const values = fact as unknown as Readonly<Record<string, unknown>>
    // Loops, because arrays of pairs took more than twice as long, and sorting a handful of names took longest of all.
    const names: Array<string> = []
    const given: Array<Shown> = []
    for (const name in values) {
      const value = values[name]
      const isAmount = typeof value === "bigint"
      // Nested content is in the fact itself.
      if (!isAmount && (name === "ipcId" || !isShown(value))) continue
      const shownAs = isAmount ? "amount" : name
      let at = names.length
      for (; at > 0 && names[at - 1]! > shownAs; at--) {
        names[at] = names[at - 1]!
        given[at] = given[at - 1]!
      }
      names[at] = shownAs
      given[at] = isAmount ? (Amount.ofUnits(value) ?? null) : value
    }
    const shown: Record<string, Shown> = {}
    for (let at = 0; at < names.length; at++) shown[names[at]!] = given[at]!
    return shown
  })

const isShown = (value: unknown): value is Shown =>
  value === null || typeof value === "string" || typeof value === "number"

/** Stands in for the time of an opening certificate. */
export const undated = "opening"

const disregarding: ReadonlySet<HoldReason> = new Set(["ambiguous-order", "amount-not-positive", "amount-too-precise"])

/** What a decision about this hold refers to. */
export const aboutOf = ({ basis, part, payment_reference, reason, units }: Hold): About => ({
  reason,
  reference: payment_reference,
  part,
  units,
  certificates: disregarding.has(reason)
    ? basis.flatMap(({ amount, at, kind }) =>
        kind === "certificate" || kind === "looked-up" || kind === "opening"
          ? [{ at: String(at ?? undated), units: Amount.toUnits(String(amount)) }]
          : []
      )
    : [],
  projectId: reason === "project-changed" ? String(basis.find(({ kind }) => kind === "project")?.["projectId"]) : null
})
