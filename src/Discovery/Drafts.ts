/**
 * Lists as they are found, before they have tables, keys and parents. Pure.
 */
import { type Field, fieldsOf } from "./RecordFields.ts"
import { Doubts } from "./Doubts.ts"
import { type Envelope, envelopeOf } from "./Envelope.ts"
import { isPlural, singular, words } from "../Domain/Names.ts"
import { addressOf, type Operation } from "./Operations.ts"
import type { Shapes } from "./Shape.ts"

export interface Draft {
  readonly operation: Operation
  /** Its path without the names of parameters. */
  readonly address: string
  readonly segments: ReadonlyArray<string>
  /** The parameters of the path, in order. */
  readonly pathParameters: ReadonlyArray<string>
  readonly envelope: Envelope
  readonly fields: ReadonlyArray<Field>
  /** The plural name of the records, from the path: the words after its last parameter. */
  readonly called: string
  readonly doubts: Doubts
}

export const segmentsOf = (path: string): ReadonlyArray<string> =>
  path
    .replace(/\.json$/i, "")
    .split("/")
    .filter((segment) => segment !== "")

export const isParameter = (segment: string): boolean => segment.includes("{")

const isVersion = (segment: string): boolean => /^(v\d+(\.\d+)*|api|rest|latest)$/i.test(segment)

export const parametersIn = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name)

/** The words at the end of the path, after its last parameter. */
export const calledBy = (segments: ReadonlyArray<string>): string => {
  const end = segments.slice(segments.findLastIndex(isParameter) + 1).filter((segment) => !isVersion(segment))
  return end.flatMap((segment) => words(segment)).join("_")
}

const computed = /^(reports?|statistics|stats|analytics|metrics|insights|summary|summaries|usage|dashboards?)$/i

export const draftOf = (shapes: Shapes, operation: Operation): Draft | undefined => {
  if (operation.problem !== undefined) return undefined
  const envelope = envelopeOf(shapes, operation)
  if (envelope === undefined) return undefined
  const segments = segmentsOf(operation.path)
  const doubts = new Doubts()
  doubts.because(envelope.reason, envelope.doubt)
  if (envelope.item.problem !== undefined)
    doubts.because(`A part of its schema can't be read: ${envelope.item.problem}.`, 1)
  const last = segments.at(-1) ?? ""
  const isNamedSo = isPlural(words(last).at(-1) ?? "")
  if (!isNamedSo && Object.keys(envelope.places).length === 0)
    doubts.because("Nothing but an array says that it is a list.", 1)
  if (segments.some((segment) => computed.test(segment)))
    doubts.because("Its address is that of a computed answer, not of records.", 2)
  if (operation.isDeprecated) doubts.because("The document calls it deprecated.", 1)
  return {
    operation,
    address: addressOf(operation.path),
    segments,
    pathParameters: parametersIn(operation.path),
    envelope,
    fields: fieldsOf(shapes, envelope.item),
    called: calledBy(segments),
    doubts
  }
}

/** For `/projects/{id}/ipcs`: "project". */
export const ownerOf = ({ segments }: Pick<Draft, "segments">): string => {
  const last = segments.findLastIndex(isParameter)
  const before = segments.slice(0, Math.max(0, last)).filter((segment) => !isVersion(segment))
  const owner = before.findLast((segment) => !isParameter(segment)) ?? ""
  return words(owner)
    .map((word, index, all) => (index === all.length - 1 ? singular(word) : word))
    .join("_")
}
