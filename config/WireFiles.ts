/**
 * Reads the files that say how the service names things and where it puts them. As in Parse.ts, a failure is a sentence
 * that repeats nothing from the file. docs/wire.md explains both to people.
 */
import { Result, Schema } from "effect"
import type { Parse } from "./Parse.ts"
import { textFile } from "./TextFile.ts"

const Words = Schema.Union([Schema.NonEmptyString, Schema.Array(Schema.NonEmptyString)])

const listOf = (words: typeof Words.Type = []): ReadonlyArray<string> => [words].flat()

const Aliases = Schema.fromJsonString(Schema.Record(Schema.NonEmptyString, Words))

/** Dotted paths. Optional ones are checked in addition to those of the interface document. */
const Envelope = Schema.fromJsonString(
  Schema.Struct({
    /** Objects that have the contents of a delivery. */
    delivery: Schema.optional(Words),
    /** Its array of records, and its three counts (§2.2). */
    list: Schema.optional(
      Schema.Struct({
        data: Schema.optional(Words),
        total: Schema.optional(Words),
        page: Schema.optional(Words),
        per_page: Schema.optional(Words)
      })
    ),
    /** Objects that have the `secret` of a new subscription (§4.2). */
    creation: Schema.optional(Words)
  })
)

type Paths = ReadonlyArray<string>

export interface Envelope {
  readonly delivery: Paths
  readonly list: Readonly<Record<"data" | "total" | "page" | "per_page", Paths>>
  readonly creation: Paths
}

const envelopeOf = ({ creation, delivery, list = {} }: Partial<typeof Envelope.Type>): Envelope => ({
  // The envelopes of a delivery and of a creation aren't documented (§6): assumed.
  delivery: [...listOf(delivery), "data", "payload"],
  list: {
    data: [...listOf(list.data), "data"],
    total: [...listOf(list.total), "pagination.total"],
    page: [...listOf(list.page), "pagination.page"],
    per_page: [...listOf(list.per_page), "pagination.per_page"]
  },
  creation: [...listOf(creation), "data", "payload"]
})

export const documented: Envelope = envelopeOf({})

const jsonFile =
  <A>(schema: Schema.Codec<A, string>, what: string): Parse<A> =>
  (path) =>
    Result.flatMap(textFile(path), (json) =>
      Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(json).pipe(
        Result.mapError(() => `names a file that is not ${what}.`)
      )
    )

/** By our wire name: the additional names, in the order of the file. */
export const aliases: Parse<Readonly<Record<string, Paths>>> = (path) =>
  jsonFile(
    Aliases,
    "a JSON object from field name to alias or list of aliases"
  )(path).pipe(
    Result.map((names) => Object.fromEntries(Object.entries(names).map(([name, words]) => [name, listOf(words)])))
  )

export const envelope: Parse<Envelope> = (path) =>
  jsonFile(
    Envelope,
    "a JSON object of delivery, list (data, total, page, per_page) and creation, each a path or a list of paths"
  )(path).pipe(Result.map(envelopeOf))
