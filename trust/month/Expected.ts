/**
 * What the books must hold in the end, computed only from the history and from docs/ledger.md: for each IPC the lines,
 * with account and signed amount, by company and currency. It shares no code with the ledger.
 */
import * as Decimal from "./Decimal.ts"
import { type Calendar, less, type Payable, payableOf, type Rules, type Site } from "./Firm.ts"
import type { Act, Certificate, Life, Payment, Phase } from "./Life.ts"

export interface Line {
  readonly company: string
  readonly currency: string
  /** The account's name in the books. */
  readonly account: string
  /** In ten-thousandths: a debit is positive. */
  readonly units: bigint
}

const cent = 100n

type Chain = (site: Site, upTo: Phase) => ReadonlyArray<Life>

const validOf = ({ certificates }: Life, upTo: Phase): ReadonlyArray<Certificate> =>
  certificates.filter(({ isDisregarded, phase }) => !isDisregarded && phase <= upTo)

const firstOf = (life: Life, upTo: Phase): number => Math.min(...validOf(life, upTo).map(({ at }) => at))

/** The IPCs of each project that have certificates, ordered by their first certificate. */
const chainsOf = (lives: ReadonlyArray<Life>): Chain => {
  const bySite = Map.groupBy(lives, ({ site }) => site.id)
  const chains = new Map<string, ReadonlyArray<Life>>()
  return ({ id }, upTo) => {
    const key = `${id} ${upTo}`
    const chain =
      chains.get(key) ??
      (bySite.get(id) ?? [])
        .filter((life) => validOf(life, upTo).length > 0)
        .toSorted((a, b) => firstOf(a, upTo) - firstOf(b, upTo))
    chains.set(key, chain)
    return chain
  }
}

const newest = (certificates: ReadonlyArray<Certificate>): ReadonlyArray<Certificate> => {
  const at = Math.max(...certificates.map((each) => each.at))
  return certificates.filter((each) => each.at === at)
}

/** The amount on which they agree; undefined if there is none, or they disagree. */
const agreed = (certificates: ReadonlyArray<Certificate>): bigint | undefined => {
  const amounts = new Set(certificates.map(({ units }) => units))
  return amounts.size === 1 ? [...amounts][0] : undefined
}

/** One IPC's part of the history, as far as it is known at a time. */
class Books {
  readonly #life: Life
  readonly #upTo: Phase
  readonly #chain: Chain

  constructor(life: Life, upTo: Phase, chain: Chain) {
    this.#life = life
    this.#upTo = upTo
    this.#chain = chain
  }

  get #certificates(): ReadonlyArray<Certificate> {
    return validOf(this.#life, this.#upTo)
  }

  /** What a person says if asked; undefined: nothing. */
  #said(reason: string, reference = ""): bigint | undefined {
    const { answers } = this.#life
    const answer = answers.get(`${reason} ${reference}`) ?? answers.get(reason)
    return answer?.verdict === "accept" ? answer.amount : undefined
  }

  /** What was certified before, for an IPC with cumulative certificates. */
  #before(certificate: Certificate): bigint | undefined {
    const { site } = this.#life
    const chain = this.#chain(site, this.#upTo)
    const previous = chain[chain.indexOf(this.#life) - 1]
    if (previous === undefined) return site.before
    const known = validOf(previous, this.#upTo).filter(({ at }) => at <= certificate.at)
    return known.length === 0 ? undefined : agreed(newest(known))
  }

  /** What is due by one certificate; undefined if the amount certified before it isn't known. */
  #due(certificate: Certificate): Payable | undefined {
    const { isCumulative, rules } = this.#life.site.company
    const all = payableOf(certificate.units, rules)
    if (!isCumulative) return all
    const before = this.#before(certificate)
    return before === undefined ? undefined : less(all, payableOf(before, rules))
  }

  /** What a payment without an amount settles, and the certificate that decides it. */
  #settled(at: number): { readonly units: bigint | undefined; readonly by?: Certificate } {
    const all = this.#certificates
    const before = all.filter((each) => each.at <= at)
    const { opening } = this.#life
    if (before.length === 0 && opening !== undefined) return { units: opening }
    const first = Math.min(...all.map((each) => each.at))
    const own = before.length > 0 ? newest(before) : all.filter((each) => each.at === first)
    const [by] = own
    if (by === undefined) return { units: this.#said("awaiting-certified-amount") }
    if (agreed(own) === undefined) return { units: this.#said("ambiguous-order"), by }
    const due = this.#due(by)?.payable
    if (due === undefined) return { units: this.#said("previous-amount-unknown"), by }
    if (due <= 0n) return { units: this.#said("amount-not-positive"), by }
    if (due % cent !== 0n || by.units % cent !== 0n) return { units: this.#said("amount-too-precise"), by }
    return { units: due, by }
  }

  /** What is posted for its payments, as parts that are each one posted amount. */
  get paid(): ReadonlyArray<bigint> {
    const [first, ...others] = this.#life.payments.filter(({ phase }) => phase <= this.#upTo)
    if (first === undefined) return []
    if (first.said.length > 0) return [first, ...others].map((payment) => this.#amountOf(payment))
    const { by, units } = this.#settled(first.at)
    if (units === undefined) return []
    const later = this.#certificates.filter(
      (each) => each.at > first.at && each.at !== by?.at && this.#due(each)?.payable !== units
    )
    const moved = later.map(() => this.#said("recertified-after-payment") ?? 0n)
    const seconds = others.map(({ reference }) => this.#said("second-payment-reference", reference) ?? 0n)
    return [units, ...moved, ...seconds]
  }

  #amountOf({ reference, said }: Payment): bigint {
    const { answers } = this.#life
    const isNone = answers.get(`over-payment ${reference}`)?.verdict === "reject"
    const [only = 0n, ...others] = new Set(said)
    const isClear = others.length === 0 && only > 0n && only % cent === 0n
    return isNone ? 0n : isClear ? only : (this.#said("paid-amount-unclear") ?? 0n)
  }

  /**
   * What is due by its newest certificate, if certificates are posted and the amount is known; undefined: nothing is
   * posted.
   */
  accrued(from: number): Payable | undefined {
    const all = this.#certificates
    if (all.length === 0 || this.#life.opening !== undefined || firstOf(this.#life, this.#upTo) < from) return undefined
    const last = newest(all)
    const units = agreed(last)
    return units === undefined || units % cent !== 0n ? undefined : this.#due(last[0] as Certificate)
  }
}

/** By account. */
type Amounts = ReadonlyArray<readonly [account: string, units: bigint]>

const accrualOf = ({ certified, payable, retained, tax }: Payable): Amounts => [
  ["receivable", payable],
  ["retention", retained],
  ["VAT", -tax],
  ["revenue", -certified]
]

/** The payer withholds a tax; the receivable is settled in full. */
const paymentOf = (units: bigint, { withheld }: Rules): Amounts => {
  const kept = withheld === undefined ? 0n : Decimal.share(units, Decimal.read(withheld))
  return [
    ["bank", units - kept],
    ["withheld", kept],
    ["receivable", -units]
  ]
}

const postingOf = (act: Act): Amounts =>
  act.verb === "post"
    ? [
        [act.debit, act.amount],
        [act.credit, -act.amount]
      ]
    : []

const isTakenBack = ({ acts }: Life, what: "payments" | "accruals"): boolean =>
  acts.some((act) => act.verb === "reverse" && act.what === what && act.isUndone !== true)

/** If people refuse a late event, that concerns only payments: they aren't asked about certificates. */
const linesOf = (life: Life, chain: Chain, { accruing }: Calendar): ReadonlyArray<Line> => {
  const { acts, late, site } = life
  const { company, currency } = site
  const accrued = isTakenBack(life, "accruals") ? undefined : new Books(life, 2, chain).accrued(accruing.from)
  const paid = isTakenBack(life, "payments") ? [] : new Books(life, late === "reject" ? 1 : 2, chain).paid
  return [
    ...(accrued === undefined ? [] : accrualOf(accrued)),
    ...paid.flatMap((units) => paymentOf(units, company.rules)),
    ...acts.flatMap(postingOf)
  ].map(([account, units]) => ({ company: company.name, currency, account, units }))
}

/** By IPC. */
export const expected = (lives: ReadonlyArray<Life>, calendar: Calendar): ReadonlyMap<string, ReadonlyArray<Line>> => {
  const chain = chainsOf(lives)
  return new Map(lives.map((life) => [life.id, linesOf(life, chain, calendar)]))
}
