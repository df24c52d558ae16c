/**
 * How certified amounts are interpreted, according to the ledger's file: each on its own or cumulative, and what is
 * payable of them, by default and by project. As in Parse.ts, a failure is a sentence: it names the place and repeats
 * no value.
 */
import { Result, Schema } from "effect"
import * as Parse from "./Parse.ts"
import type { PayableRule, PayableRules } from "./Payable.ts"

/**
 * each: a certificate says what is due by it. cumulative: it says the total certified in its project so far, and the
 * difference from the preceding certificate is due.
 */
export type Amounts = "each" | "cumulative"

export interface OfProject {
  readonly amounts: Amounts | null
  /** What was certified in the project before its first certificate here, as a canonical amount; null if not given. */
  readonly certifiedBefore: string | null
  /** Null if it is the same as for all projects. */
  readonly payable: PayableRules | null
  /** Absent if it is the same as for all projects. */
  readonly withheld?: PayableRules
}

/** How certified amounts are interpreted; null if not given. */
export interface Certificates {
  readonly standard: Amounts | null
  /** What is payable of them; no rules means all. */
  readonly payable: PayableRules
  /** What is withheld from a payment, so that the bank moves less than is settled; absent for nothing. */
  readonly withheld?: PayableRules
  /** By project id, where it differs. */
  readonly byProject: Readonly<Record<string, OfProject>>
}

export const unsaid: Certificates = { standard: null, payable: [], byProject: {} }

/** Certificates are posted when they are issued: as a receivable and revenue, or as a cost and a payable. */
export interface Accrual {
  /** The revenue account, or the cost account. */
  readonly account: string
  /** "YYYY-MM-DD", in the books' time zone: IPCs that were first certified earlier were posted elsewhere. */
  readonly from: string
}

const Amounts = Schema.Literals(["each", "cumulative"])
const Money = Schema.String.check(Schema.isPattern(/^\d{1,24}(\.\d{1,4})?$/))
const SignedMoney = Schema.String.check(Schema.isPattern(/^-?\d{1,24}(\.\d{1,4})?$/))
const Percent = Schema.String.check(Schema.isPattern(/^\d{1,3}(\.\d{1,4})?$/))
const SignedPercent = Schema.String.check(Schema.isPattern(/^-?\d{1,3}(\.\d{1,4})?$/))
const Day = Schema.String.check(Schema.makeFilter((text) => Result.isSuccess(Parse.day(text))))
export const Text = Schema.String.check(Schema.isPattern(/^[^\p{Cc}]{1,200}$/u))

const Rule = Schema.Struct({
  name: Text,
  percent: Schema.optionalKey(SignedPercent),
  amount: Schema.optionalKey(SignedMoney),
  of: Schema.optionalKey(Schema.Literals(["certified", "payable"])),
  cap: Schema.optionalKey(Money),
  account: Schema.optionalKey(Text)
})

const WithheldRule = Schema.Struct({
  name: Text,
  percent: Schema.optionalKey(Percent),
  amount: Schema.optionalKey(Money),
  account: Text
})

export const Project = Schema.Struct({
  payable: Schema.optionalKey(Schema.Array(Rule)),
  withheld: Schema.optionalKey(Schema.Array(WithheldRule)),
  certificates: Schema.optionalKey(Amounts),
  certifiedBefore: Schema.optionalKey(Money),
  company: Schema.optionalKey(Text)
})

export const fields = {
  certificates: Schema.optionalKey(Amounts),
  payable: Schema.optionalKey(Schema.Array(Rule)),
  withheld: Schema.optionalKey(Schema.Array(WithheldRule)),
  accrual: Schema.optionalKey(Schema.Struct({ account: Text, from: Day })),
  projects: Schema.optionalKey(Schema.Record(Schema.String, Project))
}
const Fields = Schema.Struct(fields)
type Fields = typeof Fields.Type

/** What is allowed at a place, by the last known name in its path. */
export const takes: Readonly<Record<string, string>> = {
  certificates: 'isn\'t "each" or "cumulative"',
  certifiedBefore: 'isn\'t an amount like "125000.00"',
  payable: "isn't a list of objects",
  withheld: "isn't a list of objects",
  percent: 'isn\'t a percentage like "-5" or "20.5"',
  amount: 'isn\'t an amount like "-5000.00"',
  "withheld percent": 'isn\'t a percentage like "5" or "20.5"',
  "withheld amount": 'isn\'t an amount like "5000.00"',
  of: 'isn\'t "certified" or "payable"',
  cap: 'isn\'t an amount like "50000.00"',
  accrual: "isn't an object with an account and a day (from)",
  from: 'isn\'t a day like "2026-10-01"'
}

const canonical = (text: string): Result.Result<string, string> =>
  Result.map(Parse.amount(text.replace("-", "")), (amount) => (text.startsWith("-") ? `-${amount}` : amount))

const complaint = (place: string) => Result.fail(`names a file whose ${place}`)

interface Of {
  readonly place: string
  readonly amounts: Amounts | null
  readonly isAccruing: boolean
}

const rulesOf = (rules: ReadonlyArray<typeof Rule.Type>, { amounts, isAccruing, place }: Of) =>
  Result.gen(function* () {
    const all: Array<PayableRule> = []
    for (const [index, { account, amount, cap, name, of = "payable", percent }] of rules.entries()) {
      const rule = `${place}.${index}`
      if ((amount === undefined) === (percent === undefined)) {
        return yield* complaint(`${rule} needs a percent or an amount, and not both.`)
      }
      if (cap !== undefined && amounts !== "cumulative") {
        return yield* complaint(`${rule}.cap has a meaning only where certificates are cumulative.`)
      }
      if (isAccruing && account === undefined) {
        return yield* complaint(`${rule} needs an account, because accrual posts what it holds back or adds.`)
      }
      all.push({
        name,
        percent: percent === undefined ? null : (yield* canonical(percent)).replace(".", ""),
        amount: amount === undefined ? null : yield* canonical(amount),
        of,
        cap: cap === undefined ? null : yield* canonical(cap),
        ...(account === undefined ? {} : { account })
      })
    }
    return all
  })

/** A rule that deducts. */
const withheldOf = (rules: ReadonlyArray<typeof WithheldRule.Type>, place: string) =>
  rulesOf(
    rules.map(({ account, amount, name, percent }) => ({
      name,
      account,
      of: "certified",
      ...(percent === undefined ? {} : { percent: `-${percent}` }),
      ...(amount === undefined ? {} : { amount: `-${amount}` })
    })),
    { place, amounts: null, isAccruing: false }
  )

const projectOf = (id: string, { payable: own, withheld, ...project }: typeof Project.Type, file: Fields) =>
  Result.gen(function* () {
    const amounts: Amounts | null = project.certificates ?? null
    const applying = amounts ?? file.certificates ?? null
    if (project.certifiedBefore !== undefined && applying !== "cumulative") {
      return yield* complaint(`projects.${id}.certifiedBefore has a meaning only where certificates are cumulative.`)
    }
    if (own === undefined && applying !== "cumulative" && file.payable?.some(({ cap }) => cap !== undefined) === true) {
      return yield* complaint(
        `projects.${id} needs a payable of its own: a cap has a meaning only where certificates are cumulative.`
      )
    }
    const place = `projects.${id}`
    const of = { place: `${place}.payable`, amounts: applying, isAccruing: file.accrual !== undefined }
    return {
      amounts,
      certifiedBefore: project.certifiedBefore === undefined ? null : yield* canonical(project.certifiedBefore),
      payable: own === undefined ? null : yield* rulesOf(own, of),
      ...(withheld === undefined ? {} : { withheld: yield* withheldOf(withheld, `${place}.withheld`) })
    } satisfies OfProject
  })

export const certificatesOf = (file: Fields): Result.Result<Certificates, string> =>
  Result.gen(function* () {
    const { accrual, payable = [], projects = {}, withheld } = file
    const standard: Amounts | null = file.certificates ?? null
    if (accrual !== undefined && standard === null) {
      return yield* complaint("accrual needs certificates: without it, nobody has said what certified amounts are.")
    }
    const byProject: Record<string, OfProject> = {}
    for (const [id, project] of Object.entries(projects)) byProject[id] = yield* projectOf(id, project, file)
    return {
      standard,
      payable: yield* rulesOf(payable, { place: "payable", amounts: standard, isAccruing: accrual !== undefined }),
      ...(withheld === undefined ? {} : { withheld: yield* withheldOf(withheld, "withheld") }),
      byProject
    } satisfies Certificates
  })
