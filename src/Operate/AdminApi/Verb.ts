/**
 * How a verb is described: its name, the role that it needs, its payload, its answer. All of it is plain JSON, so both
 * sides have the same types and nothing is translated between them.
 */
import { Context, Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"

/** Why something wasn't done, in one sentence for a person. */
export class VerbError extends Schema.TaggedError<VerbError>()("VerbError", { message: Schema.String }) {}

const refusal = (status: number) =>
  Schema.Struct({ error: Schema.String }).pipe(
    Schema.decodeTo(
      Schema.instanceOf(VerbError),
      SchemaTransformation.transform({
        decode: ({ error }) => new VerbError({ message: error }),
        encode: ({ message }) => ({ error: message })
      })
    ),
    HttpApiSchema.status(status)
  )

/** It failed; it needs a token; it needs another role, or came under a Host name that isn't this machine's. */
export const refusals = [refusal(500), refusal(401), refusal(403)] as const

/**
 * What principals can be given. `decide`: about money. `operate`: everything else that changes something. Both include
 * `read`.
 */
export const roles = ["read", "decide", "operate"] as const
export type Role = (typeof roles)[number]

/**
 * What a request needs: a role, or what no principal is given but an owner of the admin token or the data directory
 * has.
 */
export type Needed = Role | "admin"

export const Needs = Context.Reference<Needed>("siteledger/Needs", { defaultValue: () => "admin" })

interface Described<Payload, Answer> {
  readonly needs: Needed
  readonly payload: Schema.Codec<Payload>
  readonly answer: Schema.Codec<Answer>
}

export const verb = <const Name extends string, Payload, Answer>(
  name: Name,
  { answer, needs, payload }: Described<Payload, Answer>
) =>
  HttpApiEndpoint.post(name, `/verbs/${name}`, {
    payload,
    success: answer,
    error: refusals,
    disableCodecs: true
  }).annotate(Needs, needs)

export const nothing = Schema.Struct({})
