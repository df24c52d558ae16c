/**
 * The versions of the rules. A fact is folded by the version in the terms that it was stored under, so an upgrade posts
 * nothing by itself, and books of any earlier version still verify. Each difference between versions is a flag here;
 * nothing else in the fold depends on the version.
 */
import { rulesVersion, type Terms } from "../../../config/Ledger.ts"

export interface Rules {
  /**
   * What a person refused never posts later, disregarded certificates stay disregarded, and a hold for a closed period
   * is asked again when the period is open. Before that, a refusal held until the amount, the period or the policy
   * changed.
   */
  readonly areRefusalsFinal: boolean
  /** The project with the newest event time counts, as in rows. Before that, the first one that arrived counted. */
  readonly isNewestProjectValid: boolean
  /** Entries have a posting date. */
  readonly arePostingDatesKept: boolean
  /** Entries say how certified amounts were interpreted. Before that, each certificate counted on its own. */
  readonly isCertifiedAsKept: boolean
  /** Facts of payments say what was paid if their events do. Before that, they never did. */
  readonly arePaidAmountsKept: boolean
}

const first: Rules = {
  areRefusalsFinal: false,
  isNewestProjectValid: false,
  arePostingDatesKept: false,
  isCertifiedAsKept: false,
  arePaidAmountsKept: false
}
const second: Rules = {
  areRefusalsFinal: true,
  isNewestProjectValid: true,
  arePostingDatesKept: true,
  isCertifiedAsKept: false,
  arePaidAmountsKept: false
}
const third: Rules = { ...second, isCertifiedAsKept: true, arePaidAmountsKept: true }

const versions: ReadonlyMap<number, Rules> = new Map([
  [1, first],
  [2, second],
  [3, third]
])

export const rulesOf = ({ rules }: Terms): Rules => {
  const known = versions.get(rules)
  if (known === undefined) throw new Error(`rules of version ${rules} are unknown`)
  return known
}

/** Why this program must not touch the books; undefined if it may. */
export const objectionTo = ({ rules }: Terms): string | undefined =>
  rules <= rulesVersion
    ? undefined
    : `The books follow version ${rules} of the ledger's rules, and this siteledger knows versions up to ${rulesVersion}: ` +
      "start the newer siteledger that wrote them."
