/**
 * Reads the file that says what certified amounts are, by default and for single projects (`config/ledger.example.json`;
 * docs/ledger.md explains it to people). As in Parse.ts, a failure is a sentence: it names the place and repeats no value.
 */
import { Result, Schema, SchemaIssue } from "effect"
import * as Parse from "./Parse.ts"
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
}

/** What certified amounts are; null: nobody has said. */
export interface Certificates {
  readonly standard: Amounts | null
  /** By project id, where it differs. */
  readonly byProject: Readonly<Record<string, OfProject>>
}

export const unsaid: Certificates = { standard: null, byProject: {} }

const Amounts = Schema.Literals(["each", "cumulative"])

const Money = Schema.String.check(Schema.isPattern(/^\d{1,24}(\.\d{1,4})?$/))

const Project = Schema.Struct({
  certificates: Schema.optionalKey(Amounts),
  certifiedBefore: Schema.optionalKey(Money)
})

const File = Schema.Struct({
  certificates: Schema.optionalKey(Amounts),
  projects: Schema.optionalKey(Schema.Record(Schema.String, Project))
})

/** What each place takes, by the name of its last step. */
const takes: Readonly<Record<string, string>> = {
  certificates: 'isn\'t "each" or "cumulative"',
  certifiedBefore: 'isn\'t an amount like "125000.00"',
  projects: "isn't an object of projects by their ids"
}

const wrong = (issue: SchemaIssue.Issue): string => {
  const [first] = SchemaIssue.makeFormatterStandardSchemaV1()(issue).issues
  const path = (first?.path ?? []).map((step) => String(typeof step === "object" ? step.key : step))
  const [last = ""] = path.slice(-1)
  if (path.length === 0) return "names a file that isn't a JSON object."
  if (path.length === 2 && path[0] === "projects") return `names a file whose ${path.join(".")} isn't an object.`
  return `names a file whose ${path.join(".")} ${takes[last] ?? "isn't known to this version"}.`
}

const isProjectId = (id: string): boolean => /^(0|-?[1-9]\d*)$/.test(id)

export const certificates: Parse.Parse<Certificates> = (path) =>
  Result.gen(function* () {
    const json = yield* textFile(path)
    const content = yield* Result.try({
      try: () => JSON.parse(json) as unknown,
      catch: () => "names a file that isn't JSON."
    })
    const { certificates: standard = null, projects = {} } = yield* Schema.decodeUnknownResult(File, {
      onExcessProperty: "error"
    })(content).pipe(Result.mapError(({ issue }) => wrong(issue)))
    if (!Object.keys(projects).every(isProjectId)) {
      return yield* Result.fail("names a file whose projects aren't named by their ids, which are whole numbers.")
    }
    const byProject: Record<string, OfProject> = {}
    for (const [id, { certificates: amounts = null, certifiedBefore }] of Object.entries(projects)) {
      if (certifiedBefore !== undefined && (amounts ?? standard) !== "cumulative") {
        return yield* Result.fail(
          `names a file whose projects.${id}.certifiedBefore says something only where certificates are cumulative.`
        )
      }
      byProject[id] = {
        amounts,
        certifiedBefore: certifiedBefore === undefined ? null : yield* Parse.amount(certifiedBefore)
      }
    }
    return { standard, byProject }
  })
