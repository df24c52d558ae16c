/**
 * Reads the file that says how certified amounts are interpreted and how entries are laid out for an accounting system
 * (`config/ledger.example.json`; docs/ledger.md explains it to people). As in Parse.ts, a failure is a sentence: it
 * names the place and repeats no value.
 */
import { Result, Schema, SchemaIssue } from "effect"
import {
  type Accrual,
  type Certificates,
  certificatesOf,
  fields,
  takes as taking,
  Text,
  unsaid
} from "./Certificates.ts"
import { type Chart, type Counterparty, plain, strangeIn } from "./Chart.ts"
import * as Parse from "./Parse.ts"
import { textFile } from "./TextFile.ts"

export interface LedgerFile {
  readonly certificates: Certificates
  /** Null if only payments are posted, not certificates. */
  readonly accrual: Accrual | null
  readonly chart: Chart
}

export const none: LedgerFile = { certificates: unsaid, accrual: null, chart: plain }

const Template = Text.check(Schema.makeFilter((text) => strangeIn(text) === undefined))
const ProjectId = /^(0|-?[1-9]\d*)$/
const Pattern = Schema.String.check(Schema.isPattern(/^(0|-?[1-9]\d*|-?\d*\*)$/))

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
  ...fields,
  company: Schema.optionalKey(Text),
  accounts: Schema.optionalKey(Schema.Record(Text, Text)),
  narration: Schema.optionalKey(Template),
  lines: Schema.optionalKey(Schema.Array(LineRule))
})

const aText = "isn't a text of up to 200 characters, without line breaks"
const aTemplate = `${aText}, that names in braces only ipc, project, reference, kind or sequence`

/** What is allowed at a place, by the last known name in its path. */
const takes: Readonly<Record<string, string>> = {
  ...taking,
  projects:
    "isn't what belongs there: an object of projects by their ids, or in a line a list of ids, or of their beginnings with a *",
  accounts: `${aText}, or isn't an object of them`,
  narration: aTemplate,
  tracking: aTemplate,
  lines: "isn't a list of objects"
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
  const known =
    takes[`${path.at(-3) ?? ""} ${last}`] ?? takes[last] ?? (isItem(path) ? takes[path.at(-2) ?? ""] : undefined)
  return `${place} ${known ?? "isn't known to this version"}.`
}

/** An item of a list, or of an object whose names a person chooses. */
const isItem = (path: ReadonlyArray<string>): boolean =>
  ["accounts", "lines", "payable", "projects", "tracking", "withheld"].includes(path.at(-2) ?? "")

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
    return { certificates: yield* certificatesOf(file), accrual: file.accrual ?? null, chart: chartOf(file) }
  })
