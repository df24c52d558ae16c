/**
 * What an OpenAPI document offers to sync, from shape alone (envelope, parameters, names, schemas), without vendor
 * extensions: every operation is a list, a child list (read once for each row of its parent), a detail, an action, or
 * not syncable, each with its confidence and the reasons. Pure: the same document gives the same answer.
 *
 * A part that can't be read is reported, in words, for the operation that needed it; the others continue.
 */
import { baseOf } from "./Base.ts"
import { type Document, entriesOf, at } from "./Document.ts"
import { type Draft, draftOf, isParameter, segmentsOf } from "./Drafts.ts"
import { type Context, listsOf } from "./Lists.ts"
import { addressOf, mostOperations, nameOf, type Operation, operationsOf, signsIn } from "./Operations.ts"
import { type Confidence, type Kind, type List, type Review, schema } from "./Review.ts"
import { called, type Fields, type Shape, Shapes } from "./Shape.ts"

export interface Options extends Pick<Context, "plan" | "shown" | "taken"> {
  /** The path of the service's base address, if it is known. */
  readonly base?: string
}

/** The result for an operation. */
export interface Found {
  readonly operation: string
  readonly kind: Kind
  readonly confidence: Confidence
  readonly reasons: ReadonlyArray<string>
  /** For a list. */
  readonly table?: string
}

export interface Discovered {
  readonly review: Review
  readonly operations: ReadonlyArray<Found>
  /** About the document as a whole. */
  readonly notes: ReadonlyArray<string>
}

export const discover = (document: Document, { base: configured, ...options }: Options): Discovered => {
  const shapes = new Shapes(document)
  const operations = operationsOf(document, shapes, baseOf(document, configured))
  const reading = operations.filter(({ method }) => method === "GET")
  const drafts = withoutSingle(reading.flatMap((operation) => draftOf(shapes, operation) ?? []))
  const listed = new Set(drafts.map(({ operation }) => operation))
  const details = new Map(
    reading
      .filter((operation) => !listed.has(operation) && endsInParameter(operation))
      .map((operation) => [addressOf(operation.path), operation])
  )
  const lists = listsOf({ ...options, shapes, details }, drafts)
  const byRead = new Map(lists.map((list) => [list.read, list]))
  const addresses = new Set(drafts.map(({ address }) => address))
  const found = operations.map((operation) => judged(shapes, operation, byRead.get(nameOf(operation)), addresses))
  return {
    review: {
      schema,
      document: { title: document.title, version: document.version, openapi: document.openapi },
      plan: options.plan,
      lists,
      notSyncable: found
        .filter(({ kind, table }) => kind === "not syncable" && table === undefined)
        .map(({ operation, reasons }) => ({ read: operation, why: reasons.join(" ") }))
    },
    operations: found,
    notes: [...document.notes, ...notesOf(document, operations)]
  }
}

/** Some services answer one record in the list's own envelope. */
const withoutSingle = (drafts: ReadonlyArray<Draft>): ReadonlyArray<Draft> => {
  const byAddress = new Map(drafts.map((draft) => [draft.address, draft]))
  return drafts.filter(({ address, envelope, segments }) => {
    if (!isParameter(segments.at(-1) ?? "")) return true
    const above = byAddress.get(address.replace(/\/[^/]*$/, ""))
    if (above === undefined) return true
    const { item } = above.envelope
    const isSame = item.ref === undefined ? sameNames(item, envelope.item) : item.ref === envelope.item.ref
    return !isSame
  })
}

const sameNames = (a: Fields, b: Fields): boolean =>
  a.fields.size === b.fields.size && [...a.fields.keys()].every((name) => b.fields.has(name))

const endsInParameter = ({ answer, path }: Operation): boolean =>
  isParameter(segmentsOf(path).at(-1) ?? "") && !("problem" in answer)

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

const judged = (
  shapes: Shapes,
  operation: Operation,
  list: List | undefined,
  addresses: ReadonlySet<string>
): Found => {
  const name = nameOf(operation)
  const { answer, method, path } = operation
  if (list !== undefined) {
    const reasons = list.problems ?? [...(list.needs ?? []), ...list.reasons]
    return { operation: name, kind: list.kind, confidence: list.confidence, reasons, table: list.table }
  }
  if (operation.problem !== undefined) return unsyncable(name, `${capital(operation.problem)}.`)
  if (method !== "GET") return action(shapes, operation)
  if ("problem" in answer) return unsyncable(name, `${capital(answer.problem)}.`)
  const last = segmentsOf(path).at(-1) ?? ""
  if (isParameter(last)) {
    const above = addressOf(path).replace(/\/[^/]*$/, "")
    const isListed = addresses.has(above)
    const reason = isListed ? "One record of a list." : "One record, by a value that no list shows."
    return { operation: name, kind: "detail", confidence: isListed ? "high" : "medium", reasons: [reason] }
  }
  return unsyncable(
    name,
    `It answers ${what(shapes, answer.shape)}${path.includes("{") ? " for each value in its path" : ""}, not a list of records.`
  )
}

const what = (shapes: Shapes, shape: Shape): string => {
  if (shape.kind === "array") return `a list of ${called(shapes.of(shape.items))} values`
  if (shape.kind === "object")
    return shape.others === undefined || shape.fields.size > 0 ? "one object" : "an object of values by name"
  return `one ${called(shape)}`
}

const unsyncable = (operation: string, reason: string): Found => ({
  operation,
  kind: "not syncable",
  confidence: "high",
  reasons: [reason]
})

const verbs: Readonly<Record<string, string>> = {
  POST: "creates or does something",
  PUT: "replaces something",
  PATCH: "changes something",
  DELETE: "deletes something"
}

const action = (shapes: Shapes, operation: Operation): Found => {
  const { answer, method } = operation
  const name = nameOf(operation)
  if (!("problem" in answer) && draftOf(shapes, operation) !== undefined) {
    return unsyncable(name, "It lists records, but by POST, which a walk doesn't send.")
  }
  const does = verbs[method]
  if (does === undefined) return unsyncable(name, `${method} answers no records.`)
  return {
    operation: name,
    kind: "action",
    confidence: method === "POST" ? "medium" : "high",
    reasons: [`${method} ${does}.`]
  }
}

const notesOf = (document: Document, operations: ReadonlyArray<Operation>): ReadonlyArray<string> => [
  ...(operations.length >= mostOperations
    ? [`It has more than ${mostOperations} operations: the rest wasn't looked at.`]
    : []),
  ...(signsIn(document) ? [] : ["It shows no sign-in that siteledger has (OAuth 2.0, or its bearer token)."]),
  ...(entriesOf(at(document.root, "webhooks")).length > 0
    ? ["It describes webhooks, which discovery doesn't read."]
    : [])
]
