/**
 * Reads a review file. Errors are sentences that name the place, by list and column if there are any; each continues
 * the file's name. A file that passes can be walked: names are safe in SQL and in paths, and lists that are on have a
 * key, a table of their own, parents that are on, and values for everything that they send.
 */
import { Result, Schema, SchemaIssue } from "effect"
import * as Parse from "../../../config/Parse.ts"
import { entityNames } from "../../Domain/Resource.ts"
import { listAt, textAt } from "../Document.ts"
import { isName } from "../../Domain/Names.ts"
import { parametersIn } from "../Drafts.ts"
import { isHeaderName, isParameterName, isSound } from "../Operations.ts"
import { isOwnHeader } from "../Requests.ts"
import { lookUpProblems } from "./LookUp.ts"
import { nestedProblems, nestedTwice } from "./Nested.ts"
import {
  type Column,
  columnTypes,
  confidences,
  kinds,
  type List,
  newFields,
  type Paging,
  Review,
  schema,
  timeForms,
  uses
} from "../Review.ts"

type Sentences = ReadonlyArray<string>

const oneOf = (words: ReadonlyArray<string>): string => `isn't one of ${words.join(", ")}`

/** What is allowed at a place, by the last known name in its path. */
const takes: Readonly<Record<string, string>> = {
  schema: `isn't "${schema}"`,
  read: 'isn\'t an operation like "GET /projects"',
  on: "isn't true or false",
  kind: oneOf(kinds.filter((kind) => kind !== "detail" && kind !== "action")),
  type: oneOf(columnTypes),
  use: oneOf(uses),
  money: 'isn\'t "suggested" or "signed-off"',
  confidence: oneOf(confidences),
  paging: "isn't a way of paging: style with the names of its parameters, as docs/discovery.md lists them",
  key: "isn't a list of columns' names",
  newFields: oneOf(newFields),
  as: oneOf(timeForms),
  scope: "isn't a list of scopes",
  query: "isn't an object of texts by parameter (null: to be given)",
  headers: "isn't an object of texts by header (null: to be given)",
  parameters: "isn't an object of the parent's columns by parameter",
  records: "isn't a whole number",
  requestsPerMinute: "isn't a whole number of at least 1",
  pageSize: "isn't a whole number of at least 1",
  lookUp: "isn't on (true or false), with record, certificate and paid as docs/discovery.md has them",
  certificate: "isn't names of columns for amount and at, and for currency, url and project if there are any",
  columns: "isn't a list of columns",
  lists: "isn't a list of lists"
}

/** `lists.3` together with what it reads, so that a person finds it. */
const placeOf = (path: ReadonlyArray<string>, content: unknown): string => {
  const [first, index, ...rest] = path
  if (first !== "lists" || index === undefined) return path.join(".")
  const list = listAt(content, "lists")[Number(index)]
  const [part, number, ...inner] = rest
  const named = `lists.${index} (${textAt(list, "read") ?? "?"})`
  if (part !== "columns" || number === undefined) return [named, ...rest].join(".")
  const column = textAt(listAt(list, "columns")[Number(number)], "name") ?? number
  return [`${named}.columns.${column}`, ...inner].join(".")
}

const wrong = (issue: SchemaIssue.Issue, content: unknown): Sentences => {
  const issues = SchemaIssue.makeFormatterStandardSchemaV1()(issue).issues
  const sentences = issues.map(({ message, path = [] }) => {
    const steps = path.map((step) => String(typeof step === "object" ? step.key : step))
    if (steps.length === 0) return "isn't a review file: it is no JSON object."
    const known = takes[steps.findLast((step) => Object.hasOwn(takes, step)) ?? ""]
    const [last = ""] = steps.slice(-1)
    if (/missing/i.test(message)) return `lacks ${placeOf(steps, content)}.`
    if (/unexpected|excess/i.test(message)) return `has ${placeOf(steps, content)}, which isn't known to this version.`
    return `has ${placeOf(steps, content)}, which ${Object.hasOwn(takes, last) ? takes[last] : (known ?? "isn't what belongs there")}.`
  })
  return [...new Set(sentences)].slice(0, most)
}

/** A person fixes some, and runs it again. */
const most = 20

export const decode = (text: string): Result.Result<Review, Sentences> => {
  const parsed = Result.try(() => JSON.parse(text.replace(/^\uFEFF/, "")) as unknown)
  if (Result.isFailure(parsed)) return Result.fail(["isn't JSON."])
  const content = parsed.success
  const options = { onExcessProperty: "error", errors: "all" } as const
  const decoded = Schema.decodeUnknownResult(Review)(content, options)
  if (Result.isFailure(decoded)) return Result.fail(wrong(decoded.failure.issue, content))
  const sentences = problemsOf(decoded.success)
  return sentences.length > 0 ? Result.fail(sentences.slice(0, most)) : Result.succeed(decoded.success)
}

const problemsOf = ({ lists }: Review): Sentences => {
  const twiceNested = nestedTwice(lists)
  const byTable = new Map(lists.map((list) => [list.table, list]))
  return [
    ...twice(lists.map(({ table }) => table)).map(
      (table) => `has two lists with the table ${table}; each needs its own.`
    ),
    ...twice(lists.map(({ read }) => read)).map((read) => `has ${read} twice.`),
    ...lists.flatMap((list) =>
      [
        ...formed(list),
        ...columnsOf(list),
        ...evolvable(list),
        ...lookUpProblems(list),
        ...nestedProblems(list, columnProblems),
        ...(twiceNested.has(list) ? [twiceNested.get(list)] : []),
        ...(list.on ? walkable(list, byTable) : [])
      ].map((what) => `has ${list.read}, ${what}.`)
    )
  ]
}

const twice = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...Map.groupBy(names, (name) => name)].flatMap(([name, those]) => (those.length > 1 ? [name] : []))

const isPlace = (text: string): boolean => text === "" || text.startsWith("/") || /^header [\w-]+$/.test(text)

const placesIn = ({ answer, paging }: List): ReadonlyArray<string | undefined> => [
  ...Object.values(answer),
  ...("next" in paging ? [paging.next] : []),
  ...("more" in paging ? [paging.more] : [])
]

const parametersOf = (paging: Paging): ReadonlyArray<string | undefined> => {
  switch (paging.style) {
    case "page":
      return [paging.page, paging.size]
    case "offset":
      return [paging.offset, paging.size]
    case "cursor":
      return [paging.cursor, paging.size]
    case "after":
      return [paging.after, paging.size]
    case "link":
      return [paging.size]
    case "none":
      return []
  }
}

/** Rejects what would break out of its quoting, or send a request elsewhere. */
const formed = (list: List): Sentences => {
  const path = list.read.replace(/^GET /, "")
  const names = [
    ...parametersOf(list.paging).filter((name) => name !== undefined),
    ...Object.keys(list.query ?? {}),
    ...Object.keys(list.parent?.parameters ?? {})
  ]
  const headers = Object.entries(list.headers ?? {})
  return [
    ...(list.read.startsWith("GET ") && isSound(path)
      ? []
      : ['which isn\'t "GET" and a plain path like "GET /projects"']),
    ...(isName(list.table) ? [] : [`whose table isn't a name of small letters, digits and _, at most 63 of them`]),
    ...(placesIn(list).every((place) => place === undefined || isPlace(place))
      ? []
      : ['whose places aren\'t all like "/data", "header Link" or ""']),
    ...(names.every(isParameterName) ? [] : ["whose parameters aren't all names of parameters"]),
    ...headers
      .filter(([name, value]) => !isHeaderName(name) || isOwnHeader(name) || /[^\t\x20-\x7e]/.test(value ?? ""))
      .map(([name]) => `whose header ${JSON.stringify(name.slice(0, 60))} can't be sent`),
    ...[list.refresh.every, ...(list.refresh.changed === undefined ? [] : [list.refresh.changed.whole])]
      .filter((time) => Result.isFailure(Parse.duration(time)))
      .map(
        (time) =>
          `whose refresh has ${JSON.stringify(time.slice(0, 60))}, which isn't a duration like 1 hour or 30 minutes`
      )
  ]
}

const isPointer = (text: string): boolean => text.startsWith("/") && text.length <= 2000

const columnsOf = ({ columns, key }: List): Sentences => {
  const byName = new Map(columns.map((column) => [column.name, column]))
  return [
    ...twice(columns.map(({ name }) => name)).map((name) => `whose column ${name} is there twice`),
    ...columns.flatMap((column) =>
      columnProblems(column).map((what) => `whose column ${JSON.stringify(column.name.slice(0, 80))} ${what}`)
    ),
    ...key.flatMap((name) => {
      const column = byName.get(name)
      if (column === undefined) return [`whose key ${JSON.stringify(name.slice(0, 80))} isn't one of its columns`]
      return column.use === "drop" || column.type === "JSON" ? [`whose key ${name} is dropped, or is JSON`] : []
    })
  ]
}

const columnProblems = ({ from, money, name, parameter, type }: Column): Sentences => [
  ...(isName(name)
    ? []
    : ["isn't a name of small letters, digits and _, that begins with a letter, at most 63 of them"]),
  ...(from === undefined || isPointer(from) ? [] : ['has a from that isn\'t a place like "/name"']),
  ...(from === undefined || parameter === undefined ? [] : ["has both from and parameter; keep one"]),
  ...(money === undefined || type === "DECIMAL(28,4)" ? [] : ["is money, which is DECIMAL(28,4)"])
]

/** What events say about an entity already has columns. */
const evolvable = ({ newFields: wanted, table }: List): Sentences =>
  wanted === "evolve" && entityNames.some((name) => name === table)
    ? [`whose table ${table} keeps its columns; newFields is "freeze" or "discard" there`]
    : []

/** Checks what a walk needs. */
const walkable = (list: List, byTable: ReadonlyMap<string, List>): Sentences => {
  const { headers = {}, key, parent, query = {}, read } = list
  const unsaid = [...Object.entries(query), ...Object.entries(headers)].filter(([, value]) => value === null)
  const unfilled = parametersIn(read).filter((name) => !Object.hasOwn(parent?.parameters ?? {}, name))
  const above = parent === undefined ? undefined : byTable.get(parent.table)
  return [
    ...(key.length > 0 ? [] : ["which is on without a key"]),
    ...unsaid.map(([name]) => `which is on without a value for ${name}`),
    ...unfilled.map((name) => `which is on while nothing fills {${name}}`),
    ...(parent === undefined ? [] : parentProblems(parent, above))
  ]
}

const parentProblems = ({ parameters, table }: NonNullable<List["parent"]>, above: List | undefined): Sentences => {
  if (above === undefined) return [`which is on, but its parent ${table} isn't one of the lists`]
  const columns = new Map(above.columns.map((column) => [column.name, column]))
  return [
    ...(above.on ? [] : [`which is on while its parent ${table} is off`]),
    ...Object.values(parameters)
      .filter((name) => columns.get(name)?.use !== "keep")
      .map((name) => `which is on, but ${table} keeps no column ${JSON.stringify(name.slice(0, 80))}`)
  ]
}
