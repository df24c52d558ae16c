/**
 * What people have refused: amounts that never post again, and certificates that stay disregarded. Pure.
 *
 * A refused amount counts as if it were posted. So what is learned later differs from it only by the new difference,
 * which is a new question.
 */
import { undated } from "./Ask.ts"
import type { CertificateFact, HoldReason } from "../Fact.ts"
import type { Books } from "./Known.ts"
import { baseOf } from "./Parts.ts"
import { takenBack } from "./SecondPerson.ts"

export interface Refusal {
  readonly units: bigint
  /** It was posted before. */
  readonly isTakenBack: boolean
}

/** Rejecting one of these refuses the hold's difference. */
const ofDifferences: ReadonlySet<HoldReason> = new Set([
  "period-closed",
  "period-reopened",
  "changed-after-refusal",
  "differs-from-accounting"
])

export const nothingRefused: ReadonlyMap<string, ReadonlyArray<Refusal>> = new Map()

/** By part, wherever a change of project moved it. An entry that a person reversed was posted, then refused. */
export const refusals = (books: Books): ReadonlyMap<string, ReadonlyArray<Refusal>> => {
  // Only people refuse, and most books contain no acts of people.
  if (books.decisions.size === 0 && books.byHand.length === 0) return nothingRefused
  const all = new Map<string, Array<Refusal>>()
  const add = (part: string, refusal: Refusal) => {
    const base = baseOf(part)
    all.set(base, [...(all.get(base) ?? []), refusal])
  }
  for (const { about, verdict } of books.decisions.values()) {
    if (verdict === "reject" && about !== undefined && ofDifferences.has(about.reason)) {
      add(about.part, { units: about.units ?? 0n, isTakenBack: false })
    }
  }
  for (const { part, units } of takenBack(books)) add(part, { units, isTakenBack: true })
  return all
}

/**
 * The books with only the certificates that count: not disregarded, neither at their own instant nor together with
 * others.
 */
export const regarding = (books: Books): Books => {
  const { certificates, decisions, opening } = books
  if (decisions.size === 0) return books
  const disregarded = new Set<string>()
  for (const { about, verdict } of decisions.values()) {
    if (verdict === "reject") for (const each of about?.certificates ?? []) disregarded.add(keyOf(each))
  }
  if (disregarded.size === 0) return books
  return {
    ...books,
    certificates: certificates.filter((each) => !disregarded.has(keyOf(each))),
    opening: opening === undefined || disregarded.has(keyOf({ ...opening, at: undated })) ? undefined : opening
  }
}

const keyOf = ({ at, units }: Pick<CertificateFact, "at" | "units">): string => `${at} ${units}`
