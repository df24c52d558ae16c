/**
 * What a certified amount is taken for: what is due by its certificate, or all that is certified in its project so far, so that
 * the difference to the IPC before it is due. Pure.
 *
 * A payment keeps what its first entry took it for, so other terms change nothing that is posted.
 */
import * as Amount from "../../Domain/Amount.ts"
import type { CertificateFact, CertifiedAs, Fact, PrecedingFact, Terms } from "../Fact.ts"
import type { Books } from "./Known.ts"

export const certifiedAs = (projectId: string | null, terms: Terms): CertifiedAs => {
  const { byProject, standard } = terms.certificates
  // Its project may turn out to be one of those.
  if (projectId === null) return hasCumulative(terms) ? "cumulative" : (standard ?? "assumed")
  return byProject[projectId]?.amounts ?? standard ?? "assumed"
}

export const hasCumulative = ({ certificates: { byProject, standard } }: Terms): boolean =>
  standard === "cumulative" || Object.values(byProject).some(({ amounts }) => amounts === "cumulative")

export interface Due {
  readonly units: bigint
  /** What was certified before, if that counts. */
  readonly basis: ReadonlyArray<Fact>
}

type Certificate = Pick<CertificateFact, "at" | "units">

/** What is due by a certificate; undefined if it isn't known what was certified before. */
export type DueBy = (certificate: Certificate) => Due | undefined

export const eachForItself: DueBy = ({ units }) => ({ units, basis: [] })

/** What precedes is known of the valid project alone, so not while a payment stays under another one. */
export const lessPreceding =
  (
    { preceding, project }: Pick<Books, "preceding" | "project">,
    projectId: string | null,
    { certificates }: Terms
  ): DueBy =>
  ({ at, units }) => {
    if (preceding === undefined || project === undefined || project.projectId !== projectId) return undefined
    const { fact, said } = preceding
    if (said.ipcId === null) {
      const before = certificates.byProject[project.projectId]?.certifiedBefore
      return before == null ? undefined : { units: units - Amount.toUnits(before), basis: [] }
    }
    const last = newest(said.certificates.filter((each) => each.at <= at))
    if (last === undefined) return undefined
    const { ipcId, knownAt, number } = fact
    const shown: PrecedingFact = { kind: "preceding", ipcId, number, knownAt, of: said.ipcId, ...last }
    return { units: units - last.units, basis: [shown] }
  }

/** Undefined if there is none, or those of the newest time disagree. */
const newest = (certificates: ReadonlyArray<Certificate>): Certificate | undefined => {
  const last = certificates.reduce((latest, { at }) => (at > latest ? at : latest), "")
  const [first, ...others] = certificates.filter(({ at }) => at === last)
  return first !== undefined && others.every(({ units }) => units === first.units) ? first : undefined
}
