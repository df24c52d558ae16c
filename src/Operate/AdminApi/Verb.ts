/**
 * How a verb is described: its name, its payload, its answer. All of it is plain JSON, so that both sides have the same
 * types and nothing is translated between them.
 */
import { Schema, SchemaTransformation } from "effect"
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

/** It failed; it needs the token; it came under a Host name that isn't this machine's. */
export const refusals = [refusal(500), refusal(401), refusal(403)] as const

export const verb = <const Name extends string, Payload, Answer>(
  name: Name,
  { payload, answer }: { readonly payload: Schema.Codec<Payload>; readonly answer: Schema.Codec<Answer> }
) => HttpApiEndpoint.post(name, `/verbs/${name}`, { payload, success: answer, error: refusals, disableCodecs: true })

export const nothing = Schema.Struct({})
