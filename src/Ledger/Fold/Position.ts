/**
 * The position of an IPC within its project: by its first certificate that counts, and for the same instant by its id.
 * Pure.
 */
import type { Instant } from "../../Domain/Instant.ts"
import type { CertificateFact, Fact, Preceding } from "../Fact.ts"
import { completed } from "./Decided.ts"
import { type Books, learn } from "./Known.ts"
import { regarding } from "./Refusals.ts"

type Certificate = Pick<CertificateFact, "at" | "units">

export interface Position {
  readonly ipcId: string
  readonly projectId: string
  readonly firstAt: Instant
  /** Those that count, in order, each time and amount once. */
  readonly certificates: ReadonlyArray<Certificate>
}

/** Undefined if its project isn't known, or nothing is certified. */
export const positionOf = (books: Books): Position | undefined => {
  const { certificates, ipcId, project } = regarding(books)
  if (project === undefined) return undefined
  const all = certificates.length < 2 ? certificates.map(shown) : distinct(certificates).toSorted(inOrder)
  const [first] = all
  return first === undefined ? undefined : { ipcId, projectId: project.projectId, firstAt: first.at, certificates: all }
}

const shown = ({ at, units }: Certificate): Certificate => ({ at, units })

const distinct = (certificates: ReadonlyArray<Certificate>): ReadonlyArray<Certificate> => [
  ...new Map(certificates.map((each) => [`${each.at} ${each.units}`, shown(each)])).values()
]

const inOrder = (a: Certificate, b: Certificate): number =>
  a.at === b.at ? Number(a.units > b.units) - Number(a.units < b.units) : a.at < b.at ? -1 : 1

const moving: ReadonlySet<Fact["kind"]> = new Set(["certificate", "looked-up", "project", "decision"])

/** Whether such a fact can change the position of its IPC, or its certificates. */
export const canMove = ({ kind }: Pick<Fact, "kind">): boolean => moving.has(kind)

/** The position once this fact is known. */
export const positionWith = (books: Books, fact: Fact): Position | undefined =>
  positionOf(learn(books, [completed(books, fact)]))

/** Whether nothing that determines its position has changed. */
export const stands = (before: Books, after: Books): boolean =>
  before.certificates.length === after.certificates.length &&
  before.decisions.size === after.decisions.size &&
  before.project?.projectId === after.project?.projectId

export const isSame = (a: Position | undefined, b: Position | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.ipcId === b.ipcId &&
      a.projectId === b.projectId &&
      a.firstAt === b.firstAt &&
      areSame(a.certificates, b.certificates)

/**
 * What precedes an IPC: for each of its own certificates, the newest certificate of the preceding IPC at that time. No
 * others can count for it.
 */
export const precedingOf = (before: Position | undefined, own: Position): Preceding => {
  if (before === undefined) return { ipcId: null, certificates: [] }
  const counting = new Set<Instant>()
  for (const { at } of own.certificates) {
    const newest = before.certificates.findLast((each) => each.at <= at)
    if (newest !== undefined) counting.add(newest.at)
  }
  return { ipcId: before.ipcId, certificates: before.certificates.filter(({ at }) => counting.has(at)) }
}

export const isSaid = ({ preceding }: Books, said: Preceding): boolean =>
  preceding !== undefined &&
  preceding.said.ipcId === said.ipcId &&
  areSame(preceding.said.certificates, said.certificates)

const areSame = (a: ReadonlyArray<Certificate>, b: ReadonlyArray<Certificate>): boolean =>
  a.length === b.length && a.every(({ at, units }, n) => at === b[n]!.at && units === b[n]!.units)
