/**
 * Reports, settings and lists of texts (`Reports.ts`): answered with random values that are the same each time.
 */
import { Effect } from "effect"
import * as Seed from "../../Seed.ts"
import { body } from "../Body.ts"
import * as Fields from "../Fields.ts"
import type { Schema, Typed } from "../Kinds.ts"
import type { Asked, Operation, Step } from "../Operation.ts"
import { found, json } from "../Operation.ts"
import type { Context } from "../Properties.ts"
import * as Properties from "../Properties.ts"
import { lookups, reports, type Setting, settings } from "../Reports.ts"
import { textHash } from "../Spelling.ts"

export interface Parts {
  readonly context: Context
  readonly scope: (tag: string, name: string, right: "read" | "write") => string
  /** The step for `{project_id}`. */
  readonly project: Step
}

const stepsOf = ({ project }: Parts, path: string) => (path.includes(`{${project.parameter}}`) ? [project] : [])

/** `cost-summary`, preceded by `project` if the name exists twice. */
const nameOf = (path: string): string =>
  path
    .replace(/^\/(projects)\/\{\w+\}/, "/$1")
    .slice(1)
    .replaceAll(/[^a-z]+/g, "_")

const objectOf = ({ context }: Parts, name: string, fields: string): Typed => {
  const properties = Properties.of(context, Properties.pascal(name), Fields.read(fields))
  return { schema: Properties.object(properties), value: Properties.valueOf(properties) }
}

const dice = (name: string, { params }: Pick<Asked, "params">, row: number) =>
  Seed.dice(textHash(name + (params["project_id"] ?? "")), Seed.Purpose.record, row)

type Described = Pick<Operation, "path" | "tag" | "scope" | "verb" | "object" | "summary">

const reading = (parts: Parts, described: Described, schema: Schema, value: (asked: Asked) => unknown): Operation => ({
  ...described,
  method: "GET",
  query: [],
  body: undefined,
  success: { status: 200, content: { mediaType: "application/json", schema }, hasLink: false },
  answer: (asked) =>
    Effect.sync(() => {
      const parent = found(stepsOf(parts, described.path), asked.params)
      return "missing" in parent ? parent.missing : json(value(asked))
    })
})

const mostRows = 6

const report = (parts: Parts, { about, path, rows, tag, totals }: (typeof reports)[number]): Operation => {
  const name = nameOf(path)
  const row = objectOf(parts, `${name} row`, rows)
  const total = objectOf(parts, `${name} total`, totals)
  const properties = {
    generated_at: { type: "string", format: "date-time" },
    rows: { type: "array", items: row.schema },
    totals: total.schema
  }
  const schema = { type: "object", required: Object.keys(properties), properties }
  const described = { path, tag, scope: parts.scope(tag, "reports", "read"), verb: "get", object: name, summary: about }
  return reading(parts, described, schema, (asked) => ({
    generated_at: "2026-01-05T06:00:00Z",
    rows: Array.from({ length: mostRows }, (_, n) => row.value(dice(name, asked, n), 3)),
    totals: total.value(dice(name, asked, mostRows), 3)
  }))
}

const setting = (parts: Parts, { about, canChange, fields, path, tag }: Setting): ReadonlyArray<Operation> => {
  const name = nameOf(path)
  const { schema, value } = objectOf(parts, name, fields)
  const described = {
    path,
    tag,
    scope: parts.scope(tag, "settings", "read"),
    verb: "get",
    object: name,
    summary: `See ${about}`
  }
  const read = reading(parts, described, schema, (asked) => value(dice(name, asked, 0), 3))
  if (!canChange) return [read]
  const changed: Operation = {
    ...read,
    method: "PUT",
    verb: "replace",
    summary: `Replace ${about}`,
    scope: parts.scope(tag, "settings", "write"),
    body: { mediaType: "application/json", schema },
    answer: (asked) => {
      const parent = found(stepsOf(parts, path), asked.params)
      return "missing" in parent
        ? Effect.succeed(parent.missing)
        : body(asked.request, [], () => json(value(dice(name, asked, 0), 3)))
    }
  }
  return [read, changed]
}

const lookup = (parts: Parts, [path, about, tag, texts]: (typeof lookups)[number]): Operation => {
  const described = {
    path,
    tag,
    scope: parts.scope(tag, "lookups", "read"),
    verb: "list",
    object: nameOf(path),
    summary: `List the ${about}`
  }
  return reading(parts, described, { type: "array", items: { type: "string" } }, () => texts)
}

export const all = (parts: Parts): ReadonlyArray<Operation> => [
  ...reports.map((each) => report(parts, each)),
  ...settings.flatMap((each) => setting(parts, each)),
  ...lookups.map((each) => lookup(parts, each))
]
