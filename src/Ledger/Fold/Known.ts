/**
 * What is known about one IPC: its facts, sorted by what they say, and what was posted and asked because of them. Pure.
 */
import { isAfter, never } from "../../Domain/Version.ts"
import type {
  ByHandFact,
  AnyCertificate,
  DecisionFact,
  Entry,
  Fact,
  Hold,
  OpeningFact,
  PaymentFact,
  Preceding,
  ProjectFact
} from "../Fact.ts"

export interface Books {
  readonly ipcId: string
  /** The valid project. */
  readonly project: ProjectFact | undefined
  readonly certificates: ReadonlyArray<AnyCertificate>
  readonly opening: OpeningFact | undefined
  /** What was certified before it in its project, where certificates are cumulative, and the fact that said so. */
  readonly preceding: { readonly fact: Fact; readonly said: Preceding } | undefined
  /** One for each reference; the first is *the* payment. */
  readonly payments: ReadonlyArray<PaymentFact>
  /** Each report of a payment that says an amount. */
  readonly amounts: ReadonlyArray<PaymentFact>
  /** By the hold that was decided. */
  readonly decisions: ReadonlyMap<string, DecisionFact>
  readonly byHand: ReadonlyArray<ByHandFact>
  readonly entries: ReadonlyArray<Entry>
  readonly holds: ReadonlyMap<string, Hold>
}

export const empty = (ipcId: string): Books => ({
  ipcId,
  project: undefined,
  certificates: [],
  opening: undefined,
  preceding: undefined,
  payments: [],
  amounts: [],
  decisions: noDecisions,
  byHand: [],
  entries: [],
  holds: noHolds
})

/** Shared: a map takes more memory than the rest of such books, and verifying creates them by the million. */
const noDecisions: Books["decisions"] = new Map()
export const noHolds: Books["holds"] = new Map()

/** The books with these facts known, and nothing posted for them yet. */
export const learn = (books: Books, facts: ReadonlyArray<Fact>): Books => {
  const [only] = facts
  if (facts.length === 1 && only !== undefined) return learnOne(books, only)
  const of = <K extends Fact["kind"]>(kind: K) =>
    facts.filter((fact): fact is Extract<Fact, { readonly kind: K }> => fact.kind === kind)
  return {
    ...books,
    project: facts.flatMap(projectIn).reduce(newer, books.project),
    certificates: and(books.certificates, facts.filter(isCertificate)),
    opening: of("opening").at(-1) ?? books.opening,
    preceding: facts.reduce(said, books.preceding),
    payments: of("payment").reduce(named, books.payments),
    amounts: and(
      books.amounts,
      of("payment").filter(({ units }) => units !== undefined)
    ),
    decisions: decided(books.decisions, of("decision")),
    byHand: and(books.byHand, [...of("posting"), ...of("reversal")])
  }
}

/** The same for the single fact of a turn, which is far more frequent: only what it concerns is rebuilt. */
const learnOne = (books: Books, fact: Fact): Books => {
  const preceding = said(books.preceding, fact)
  switch (fact.kind) {
    case "certificate":
      return { ...books, preceding, certificates: [...books.certificates, fact] }
    case "looked-up":
      return {
        ...books,
        preceding,
        project: projectIn(fact).reduce(newer, books.project),
        certificates: [...books.certificates, fact]
      }
    case "payment":
      return {
        ...books,
        preceding,
        payments: named(books.payments, fact),
        amounts: fact.units === undefined ? books.amounts : [...books.amounts, fact]
      }
    case "project":
      return { ...books, preceding, project: newer(books.project, fact) }
    case "opening":
      return { ...books, preceding, opening: fact }
    case "decision":
      return { ...books, preceding, decisions: decided(books.decisions, [fact]) }
    case "posting":
    case "reversal":
      return { ...books, preceding, byHand: [...books.byHand, fact] }
    case "accounting":
    case "release":
    case "preceding":
    case "terms":
      return { ...books, preceding }
  }
}

const isCertificate = (fact: Fact): fact is AnyCertificate => fact.kind === "certificate" || fact.kind === "looked-up"

/** The record that a look-up found names its project too. */
const projectIn = (fact: Fact): ReadonlyArray<ProjectFact> => {
  if (fact.kind === "project") return [fact]
  if (fact.kind !== "looked-up" || fact.projectId === undefined) return []
  const { ipcId, knownAt, number, projectId, version } = fact
  return [{ kind: "project", ipcId, knownAt, number, projectId, version }]
}

const said = (before: Books["preceding"], fact: Fact): Books["preceding"] =>
  fact.preceding === undefined ? before : { fact, said: fact.preceding }

/** Facts of the first version of the rules have no version, and only the first of them is stored. */
const newer = (project: ProjectFact | undefined, fact: ProjectFact): ProjectFact =>
  project === undefined || isAfter(fact.version ?? never, project.version) ? fact : project

const named = (payments: ReadonlyArray<PaymentFact>, fact: PaymentFact): ReadonlyArray<PaymentFact> =>
  payments.some(({ reference }) => reference === fact.reference) ? payments : [...payments, fact]

const decided = (known: Books["decisions"], more: ReadonlyArray<DecisionFact>): Books["decisions"] =>
  more.length === 0 ? known : new Map([...known, ...more.map((fact) => [fact.holdId, fact] as const)])

export const and = <A>(known: ReadonlyArray<A>, more: ReadonlyArray<A>): ReadonlyArray<A> =>
  more.length === 0 ? known : [...known, ...more]
