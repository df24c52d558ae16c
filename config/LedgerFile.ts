/**
 * Reads the file that says what certified amounts are, and how entries are laid out for an accounting system
 * (`config/ledger.example.json`; docs/ledger.md explains it to people). As in Parse.ts, a failure is a sentence: it names the
 * place and repeats no value.
 */
import { Result, Schema, SchemaIssue } from "effect"
import { type Chart, type Counterparty, plain, strangeIn } from "./Chart.ts"
import * as Parse from "./Parse.ts"
import type { PayableRule, PayableRules } from "./Payable.ts"
import { textFile } from "./TextFile.ts"

/**
 * each: a certificate says what is due for it. cumulative: it says all that is certified in its project so far, and the
 * difference to the certificate before it is due.
 */
export type Amounts = "each" | "cumulative"

export interface OfProject {
  readonly amounts: Amounts | null
  /** What was certified in the project before its first certificate here: a canonical amount; null: nobody has said. */
  readonly certifiedBefore: string | null
  /** Null: as for all projects. */
  readonly payable: PayableRules | null
}

/** What certified amounts are; null: nobody has said. */
export interface Certificates {
  readonly standard: Amounts | null
  /** What is payable of them; none: all. */
  readonly payable: PayableRules
  /** By project id, where it differs. */
  readonly byProject: Readonly<Record<string, OfProject>>
}

export const unsaid: Certificates = { standard: null, payable: [], byProject: {} }

export interface LedgerFile {
  readonly certificates: Certificates
  readonly chart: Chart
}

export const none: LedgerFile = { certificates: unsaid, chart: plain }

const Amounts = Schema.Literals(["each", "cumulative"])
const Money = Schema.String.check(Schema.isPattern(/^\d{1,24}(\.\d{1,4})?$/))
const SignedMoney = Schema.String.check(Schema.isPattern(/^-?\d{1,24}(\.\d{1,4})?$/))
const Percent = Schema.String.check(Schema.isPattern(/^-?\d{1,3}(\.\d{1,4})?$/))
const Text = Schema.String.check(Schema.isPattern(/^[^\p{Cc}]{1,200}$/u))
const Template = Text.check(Schema.makeFilter((text) => strangeIn(text) === undefined))
const ProjectId = /^(0|-?[1-9]\d*)$/
const Pattern = Schema.String.check(Schema.isPattern(/^(0|-?[1-9]\d*|-?\d*\*)$/))

const PayableRule = Schema.Struct({
  name: Text,
  percent: Schema.optionalKey(Percent),
  amount: Schema.optionalKey(SignedMoney),
  of: Schema.optionalKey(Schema.Literals(["certified", "payable"])),
  cap: Schema.optionalKey(Money)
})

const Project = Schema.Struct({
  payable: Schema.optionalKey(Schema.Array(PayableRule)),
  certificates: Schema.optionalKey(Amounts),
  certifiedBefore: Schema.optionalKey(Money),
  company: Schema.optionalKey(Text)
})

const LineRule = Schema.Struct({
  account: Schema.optionalKey(Text),
  projects: Schema.optionalKey(Schema.Array(Pattern)),
  taxCode: Schema.optionalKey(Text),
  costCode: Schema.optionalKey(Text),
  customer: Schema.optionalKey(Text),
  vendor: Schema.optionalKey(Text),
  tracking: Schema.optionalKey(Schema.Record(Text, Template))
})

const File = Schema.Struct({
  certificates: Schema.optionalKey(Amounts),
  company: Schema.optionalKey(Text),
  payable: Schema.optionalKey(Schema.Array(PayableRule)),
  projects: Schema.optionalKey(Schema.Record(Schema.String, Project)),
  accounts: Schema.optionalKey(Schema.Record(Text, Text)),
  narration: Schema.optionalKey(Template),
  lines: Schema.optionalKey(Schema.Array(LineRule))
})

const aText = "isn't a text of up to 200 characters, without line breaks"
const aTemplate = `${aText}, that names in braces only ipc, project, reference, kind or sequence`

/** What a place takes, by the last of its names that is known. */
const takes: Readonly<Record<string, string>> = {
  certificates: 'isn\'t "each" or "cumulative"',
  certifiedBefore: 'isn\'t an amount like "125000.00"',
  projects:
    "isn't what belongs there: an object of projects by their ids, or in a line a list of ids, or of their beginnings with a *",
  accounts: `${aText}, or isn't an object of them`,
  narration: aTemplate,
  tracking: aTemplate,
  lines: "isn't a list of objects",
  payable: "isn't a list of objects",
  percent: 'isn\'t a percentage like "-5" or "20.5"',
  amount: 'isn\'t an amount like "-5000.00"',
  of: 'isn\'t "certified" or "payable"',
  cap: 'isn\'t an amount like "50000.00"'
}

const texts: ReadonlySet<string> = new Set(["company", "name", "account", "taxCode", "costCode", "customer", "vendor"])

const wrong = (issue: SchemaIssue.Issue): string => {
  const [first] = SchemaIssue.makeFormatterStandardSchemaV1()(issue).issues
  const path = (first?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step))
  if (path.length === 0) return "names a file that isn't a JSON object."
  const place = `names a file whose ${path.join(".")}`
  const [last = ""] = path.slice(-1)
  if (texts.has(last)) return `${place} ${aText}.`
  if (path.length === 2 && path[0] === "projects") return `${place} isn't an object.`
  const known = takes[last] ?? (isItem(path) ? takes[path.at(-2) ?? ""] : undefined)
  return `${place} ${known ?? "isn't known to this version"}.`
}

/** Of a list, or of an object whose names are a person's. */
const isItem = (path: ReadonlyArray<string>): boolean =>
  ["accounts", "lines", "payable", "projects", "tracking"].includes(path.at(-2) ?? "")

const counterpartyOf = ({ customer, vendor }: typeof LineRule.Type): Counterparty | null => {
  if (customer !== undefined) return { kind: "customer", name: customer }
  return vendor === undefined ? null : { kind: "vendor", name: vendor }
}

const chartOf = ({ accounts = {}, company, lines = [], narration, projects = {} }: typeof File.Type): Chart => ({
  accounts,
  company: company ?? null,
  companies: Object.fromEntries(
    Object.entries(projects).flatMap(([id, project]) => (project.company === undefined ? [] : [[id, project.company]]))
  ),
  narration: narration ?? plain.narration,
  lines: lines.map((line) => ({
    account: line.account ?? null,
    projects: line.projects ?? [],
    taxCode: line.taxCode ?? null,
    costCode: line.costCode ?? null,
    counterparty: counterpartyOf(line),
    tracking: line.tracking ?? {}
  }))
})

const canonical = (text: string): Result.Result<string, string> =>
  Result.map(Parse.amount(text.replace("-", "")), (amount) => (text.startsWith("-") ? `-${amount}` : amount))

const rulesOf = (rules: ReadonlyArray<typeof PayableRule.Type>, place: string, amounts: Amounts | null) =>
  Result.gen(function* () {
    const all: Array<PayableRule> = []
    for (const [index, { amount, cap, name, of = "payable", percent }] of rules.entries()) {
      const rule = `names a file whose ${place}.${index}`
      if ((amount === undefined) === (percent === undefined)) {
        return yield* Result.fail(`${rule} needs a percent or an amount, and not both.`)
      }
      if (cap !== undefined && amounts !== "cumulative") {
        return yield* Result.fail(`${rule}.cap says something only where certificates are cumulative.`)
      }
      all.push({
        name,
        percent: percent === undefined ? null : (yield* canonical(percent)).replace(".", ""),
        amount: amount === undefined ? null : yield* canonical(amount),
        of,
        cap: cap === undefined ? null : yield* canonical(cap)
      })
    }
    return all
  })

const certificatesOf = ({ certificates, payable = [], projects = {} }: typeof File.Type) =>
  Result.gen(function* () {
    const standard: Amounts | null = certificates ?? null
    const byProject: Record<string, OfProject> = {}
    for (const [id, project] of Object.entries(projects)) {
      const { certifiedBefore, payable: own } = project
      const amounts: Amounts | null = project.certificates ?? null
      if (certifiedBefore !== undefined && (amounts ?? standard) !== "cumulative") {
        return yield* Result.fail(
          `names a file whose projects.${id}.certifiedBefore says something only where certificates are cumulative.`
        )
      }
      if (own === undefined && (amounts ?? standard) !== "cumulative" && payable.some(({ cap }) => cap !== undefined)) {
        return yield* Result.fail(
          `names a file whose projects.${id} needs a payable of its own: a cap says something only where certificates are cumulative.`
        )
      }
      byProject[id] = {
        amounts,
        certifiedBefore: certifiedBefore === undefined ? null : yield* canonical(certifiedBefore),
        payable: own === undefined ? null : yield* rulesOf(own, `projects.${id}.payable`, amounts ?? standard)
      }
    }
    return { standard, payable: yield* rulesOf(payable, "payable", standard), byProject } satisfies Certificates
  })

export const ledgerFile: Parse.Parse<LedgerFile> = (path) =>
  Result.gen(function* () {
    const json = yield* textFile(path)
    const content = yield* Result.try({
      try: () => JSON.parse(json) as unknown,
      catch: () => "names a file that isn't JSON."
    })
    const file = yield* Schema.decodeUnknownResult(File, { onExcessProperty: "error" })(content).pipe(
      Result.mapError(({ issue }) => wrong(issue))
    )
    if (!Object.keys(file.projects ?? {}).every((id) => ProjectId.test(id))) {
      return yield* Result.fail("names a file whose projects aren't named by their ids, which are whole numbers.")
    }
    const both = (file.lines ?? []).findIndex(({ customer, vendor }) => customer !== undefined && vendor !== undefined)
    if (both >= 0) return yield* Result.fail(`names a file whose lines.${both} has a customer and a vendor; keep one.`)
    return { certificates: yield* certificatesOf(file), chart: chartOf(file) }
  })
