/**
 * How a certified amount is interpreted: as what is due by its certificate, or as the total certified in its project so
 * far, so that the difference from the preceding IPC is due; and how much of it is payable. Pure.
 *
 * A payment keeps the interpretation of its first entry, so other terms change nothing that is posted.
 */
import { less, type Payable, payableOf, type PayableRules } from "../../../config/Payable.ts"
import * as Amount from "../../Domain/Amount.ts"
import type { CertificateFact, CertifiedAs, Entry, Fact, PayableGround, PrecedingFact, Terms } from "../Fact.ts"
import type { Books } from "./Known.ts"

export const certifiedAs = (projectId: string | null, terms: Terms): CertifiedAs => {
  const { byProject, standard } = terms.certificates
  // Its project may turn out to be a cumulative one.
  if (projectId === null) return hasCumulative(terms) ? "cumulative" : (standard ?? "assumed")
  return byProject[projectId]?.amounts ?? standard ?? "assumed"
}

export const hasCumulative = ({ certificates: { byProject, standard } }: Terms): boolean =>
  standard === "cumulative" || Object.values(byProject).some(({ amounts }) => amounts === "cumulative")

/**
 * What is payable of a certified amount in this project; undefined if that depends on the project and the project isn't
 * known.
 */
const payableIn = (projectId: string | null, { certificates }: Terms): PayableRules | undefined => {
  const { byProject, payable } = certificates
  if (projectId !== null) return byProject[projectId]?.payable ?? payable
  const areOwn = Object.values(byProject).some((own) => own.payable !== null || own.withheld !== undefined)
  return areOwn ? undefined : payable
}

const withheldIn = (projectId: string | null, { certificates }: Terms): PayableRules =>
  certificates.byProject[projectId ?? ""]?.withheld ?? certificates.withheld ?? []

/** What a payment stores in the basis of its first entry, so that later entries follow the same interpretation. */
export const grounds = (ipcId: string, taken: Taken): ReadonlyArray<PayableGround> =>
  taken.payable?.length === 0 && taken.withheld.length === 0 && taken.as !== "cumulative"
    ? []
    : [groundOf(ipcId, taken)]

export const groundOf = (ipcId: string, { before, payable, withheld }: Taken): PayableGround => {
  const ground: PayableGround = {
    kind: "payable",
    ipcId,
    rules: payable === undefined ? "null" : textOf(payable),
    before
  }
  return withheld.length === 0 ? ground : { ...ground, withheld: textOf(withheld) }
}

/** Cached: the rules of the terms are the same for nearly all IPCs, and each is asked for several times. */
const texts = new WeakMap<PayableRules, string>()

const textOf = (rules: PayableRules): string => {
  const text = texts.get(rules) ?? JSON.stringify(rules)
  texts.set(rules, text)
  return text
}

let last: { readonly text: string; readonly rules: PayableRules | null } = { text: "null", rules: null }

/** Cached: consecutive IPCs usually have the same rules. */
const rulesIn = (text: string): PayableRules | null => {
  if (text !== last.text) last = { text, rules: JSON.parse(text) as PayableRules | null }
  return last.rules
}

/** What the entry stored. Rules are undefined if they weren't known; then a person gave the amount. */
export const keptIn = ({ basis }: Pick<Entry, "basis">): Pick<Taken, "before" | "payable" | "withheld"> => {
  const ground = basis.find(({ kind }) => kind === "payable")
  if (ground === undefined) return { before: null, payable: [], withheld: [] }
  const rules = rulesIn(String(ground["rules"]))
  return {
    before: ground["before"] === null ? null : String(ground["before"]),
    payable: rules ?? undefined,
    withheld: JSON.parse(String(ground["withheld"] ?? "[]")) as PayableRules
  }
}

export interface Due {
  readonly units: bigint
  /** The IPC's own part of the certified amount, of which `units` are payable. */
  readonly of: Payable
  /** What was certified before, if that counts. */
  readonly basis: ReadonlyArray<Fact>
}

type Certificate = Pick<CertificateFact, "at" | "units">

/**
 * What is due by a certificate; undefined if it isn't known what was certified before, or how much of it is payable.
 */
export type DueBy = (certificate: Certificate) => Due | undefined

/** How the certified amounts of a payment are interpreted. */
export interface Taken {
  /** Null in books of earlier versions: each certificate on its own. */
  readonly as: CertifiedAs | null
  readonly payable: PayableRules | undefined
  /** What is withheld from the payment. */
  readonly withheld: PayableRules
  /** What was certified before the first IPC of the project, as a canonical amount; null if not known. */
  readonly before: string | null
  /** The project under which it is posted. */
  readonly projectId: string | null
}

/** As the terms say. */
export const takenBy = (terms: Terms, projectId: string | null): Taken => ({
  as: certifiedAs(projectId, terms),
  payable: payableIn(projectId, terms),
  withheld: withheldIn(projectId, terms),
  before: terms.certificates.byProject[projectId ?? ""]?.certifiedBefore ?? null,
  projectId
})

/** `unit`: the smallest amount of the currency. */
export const dueByOf = (books: Preceded, taken: Taken, unit: bigint): DueBy => {
  const { as, payable } = taken
  if (payable === undefined) return () => undefined
  const due = (of: Payable, basis: Due["basis"]): Due => ({ units: of.payable, of, basis })
  if (as !== "cumulative") return ({ units }) => due(payableOf(units, payable, unit), [])
  return (certificate) => {
    const before = certifiedBefore(books, taken, certificate)
    if (before === undefined) return undefined
    return due(less(payableOf(certificate.units, payable, unit), payableOf(before.units, payable, unit)), before.basis)
  }
}

type Preceded = Pick<Books, "preceding" | "project">

/** What precedes is known only for the valid project, so not while a payment stays under another one. */
const certifiedBefore = (
  { preceding, project }: Preceded,
  { before, projectId }: Taken,
  { at }: Certificate
): Pick<Due, "basis" | "units"> | undefined => {
  if (preceding === undefined || project === undefined || project.projectId !== projectId) return undefined
  const { fact, said } = preceding
  if (said.ipcId === null) return before === null ? undefined : { units: Amount.toUnits(before), basis: [] }
  const last = newest(said.certificates.filter((each) => each.at <= at))
  if (last === undefined) return undefined
  const { ipcId, knownAt, number } = fact
  const shown: PrecedingFact = { kind: "preceding", ipcId, number, knownAt, of: said.ipcId, ...last }
  return { units: last.units, basis: [shown] }
}

/** Undefined if there is none, or if those of the newest time disagree. */
const newest = (certificates: ReadonlyArray<Certificate>): Certificate | undefined => {
  const last = certificates.reduce((latest, { at }) => (at > latest ? at : latest), "")
  const [first, ...others] = certificates.filter(({ at }) => at === last)
  return first !== undefined && others.every(({ units }) => units === first.units) ? first : undefined
}
