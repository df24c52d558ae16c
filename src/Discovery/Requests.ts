/**
 * What is sent with each request of a list besides its paging: values that the document requires, a filter that hides
 * nothing, and an order on which pages can rely; also the filter with which a walk may ask only for changes. Pure.
 */
import { at, listAt, textAt } from "./Document.ts"
import type { Doubts } from "./Doubts.ts"
import { plain } from "../Domain/Names.ts"
import type { Operation, Parameter } from "./Operations.ts"
import type { Column, List, timeForms } from "./Review.ts"

type Values = Readonly<Record<string, string | null>>

export interface Sent {
  readonly query: Values
  readonly headers: Values
}

/** Headers that belong to the walker itself. */
const ownHeaders =
  /^(authorization|accept|accept-encoding|content-type|content-length|cookie|host|user-agent|connection)$/i

export const isOwnHeader = (name: string): boolean => ownHeaders.test(name)

const scalarText = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined

/** The only value that the document allows, or its default. */
const givenBy = (schema: unknown): string | undefined => {
  const options = listAt(schema, "enum")
  return scalarText(at(schema, "const") ?? (options.length === 1 ? options[0] : undefined) ?? at(schema, "default"))
}

/** Names of query parameters without which there is no answer, and that nothing fills yet. */
export const requiredOf = ({ parameters }: Operation, taken: ReadonlySet<string>): ReadonlyArray<string> =>
  parameters
    .filter(
      ({ in: where, isRequired, name, schema }) =>
        where === "query" && isRequired && !taken.has(name) && givenBy(schema) === undefined
    )
    .map(({ name }) => name)

export const sentWith = (
  operation: Operation,
  taken: ReadonlySet<string>,
  isNumbered: boolean,
  doubts: Doubts
): Sent => {
  const query: Array<readonly [string, string | null]> = []
  const headers: Array<readonly [string, string | null]> = []
  for (const { in: where, isRequired, name, schema } of operation.parameters) {
    if (where === "path" || taken.has(name)) continue
    const value = givenBy(schema)
    if (where === "header" && isRequired && !isOwnHeader(name))
      headers.push([name, value ?? asked(doubts, name, "headers")])
    if (where === "cookie" && isRequired) doubts.fail(`It requires the cookie ${name}, which isn't sent.`)
    if (where !== "query") continue
    if (isRequired) query.push([name, value ?? asked(doubts, name, "query")])
    else query.push(...chosen(name, schema, isNumbered, doubts))
  }
  return { query: Object.fromEntries(query), headers: Object.fromEntries(headers) }
}

const questions = /^(q|query|search|searchterm|term|text|keyword|keywords|input|prefix)$/

const asked = (doubts: Doubts, name: string, place: string): null => {
  if (questions.test(plain(name))) doubts.fail(`It answers a question (${name}), and lists nothing without one.`)
  else doubts.need(`It requires ${name}: give its value under ${place}.`)
  return null
}

const orders = ["id", "created_at", "created", "createdAt", "created_on"]

const chosen = (
  name: string,
  schema: unknown,
  isNumbered: boolean,
  doubts: Doubts
): ReadonlyArray<readonly [string, string]> => {
  const options = listAt(schema, "enum").filter((each) => typeof each === "string")
  const all = options.find((option) => /^(all|any)$/i.test(option))
  const standard = at(schema, "default")
  if (
    all !== undefined &&
    /^(state|status|filter|type|scope|archived|deleted|visibility)$/.test(plain(name)) &&
    standard !== all
  ) {
    doubts.because(`${name} is ${all}, so that nothing is hidden.`)
    return [[name, all]]
  }
  const order = orders.find((each) => options.includes(each))
  if (isNumbered && /^(sort|sortby|orderby|ordering|order)$/.test(plain(name)) && order !== undefined) {
    doubts.because(`Sorted by ${order}, so that rows stay on their pages.`)
    return [[name, order]]
  }
  if (/^(include|with|show)?(archived|deleted|inactive|trashed)$/.test(plain(name))) {
    doubts.because(`${name} may show more records; what it leaves out counts as deleted.`)
  }
  return []
}

const changedNames =
  /^((last)?(updated|modified|changed)(at|on|date)?(since|after|from|gte|gt|min|start|begin)|date(updated|modified)(since|after|from|gte|gt)|(since|from|after)(last)?(updated|modified|changed)(at)?|(min|start)(updated|modified)(at)?|(updated|modified|changed)since|filter(updated|modified)(at)?(gte|gt|since|after|from)?|ifmodifiedsince)$/

const changedColumns =
  /^(updated_at|modified_at|changed_at|last_modified|last_updated|last_modified_at|last_updated_at|updated|modified|updated_on|modified_on|date_modified|date_updated|updated_date_utc|last_changed_at|updated_date|modified_date|last_edited_time)$/

/** The filter that asks only for changes, and the column that says when a record changed. */
export const changedBy = (
  operation: Operation,
  columns: ReadonlyArray<Column>,
  whole: string
): List["refresh"]["changed"] => {
  const parameter = operation.parameters.find(
    (each) => (each.in === "query" || each.in === "header") && (changedNames.test(plain(each.name)) || isSince(each))
  )
  if (parameter === undefined) return undefined
  const column = columns.find(({ name, type }) => changedColumns.test(name) && type === "TIMESTAMPTZ")
  return {
    parameter: parameter.name,
    in: parameter.in === "header" ? "header" : "query",
    as: writtenAs(parameter),
    ...(column === undefined ? {} : { column: column.name }),
    whole
  }
}

const writtenAs = ({ in: where, schema, shape }: Parameter): (typeof timeForms)[number] => {
  if (shape.kind === "scalar" && shape.type !== "string") return "unix-seconds"
  const format = textAt(schema, "format")
  if (format === "date") return "date"
  return where === "header" && format === undefined ? "http-date" : "date-time"
}

const isSince = ({ name, says, schema }: Parameter): boolean =>
  plain(name) === "since" &&
  (/updat|modif|chang/i.test(says) || /updat|modif|chang/i.test(textAt(schema, "description") ?? ""))
