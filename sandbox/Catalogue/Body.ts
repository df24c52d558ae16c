/**
 * Bodies of requests to the catalogue: a JSON object with the required fields, or a form with a file. Anything else is
 * refused as elsewhere in the sandbox, with 400 or 415; the guard refuses bodies that are too large.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Json from "../../src/Domain/Json.ts"
import { refusal } from "../Refusal.ts"
import type { Answer } from "./Operation.ts"
import type { Fields } from "./Shelf.ts"

type Request = HttpServerRequest.HttpServerRequest

const is = ({ headers }: Request, mediaType: string): boolean =>
  headers["content-type"]?.toLowerCase().startsWith(mediaType) === true

const notOf = (mediaType: string) => refusal(415, "unsupported_media_type", `the body must be ${mediaType}`)
const noObject = refusal(400, "invalid_request", "the body must be a JSON object")
const lacking = (name: string) => refusal(400, "invalid_request", `the body lacks ${name}`)

/** `needed`: the required fields. */
export const body = (
  request: Request,
  needed: ReadonlyArray<string>,
  answer: (given: Fields) => Answer
): Effect.Effect<Answer> => {
  if (!is(request, "application/json") && !is(request, "application/merge-patch+json")) {
    return Effect.succeed(notOf("application/json"))
  }
  return Effect.map(Effect.orDie(request.text), (text) => {
    const given = Json.parse(text)
    if (!Json.isObject(given)) return noObject
    const missing = needed.find((name) => given[name] === undefined)
    return missing === undefined ? answer(given) : lacking(missing)
  })
}

/** The file itself is read and dropped. */
export const form = (request: Request, answer: (bytes: number) => Answer): Effect.Effect<Answer> =>
  is(request, "multipart/form-data")
    ? Effect.map(Effect.orDie(request.arrayBuffer), ({ byteLength }) => answer(byteLength))
    : Effect.succeed(notOf("multipart/form-data"))
