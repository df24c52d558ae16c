/**
 * The arguments that a request gives a verb, or a sentence that says what is wrong with them.
 */
import { Effect, Schema, SchemaIssue } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Json from "../../Domain/Json.ts"
import { payloadOf, type VerbName } from "../AdminApi.ts"
import { VerbError } from "../AdminApi/Verb.ts"

/**
 * A verb's payload; without a body there are no arguments. An unknown argument is refused: with a typo in a filter,
 * `replay` would read everything again.
 */
export const payloadFor = <Name extends VerbName>(name: Name) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => request.text).pipe(
    Effect.orElseSucceed(() => ""),
    Effect.map((text) => (text === "" ? {} : Json.parse(text))),
    Effect.flatMap(Schema.decodeUnknownEffect(payloadOf(name), { onExcessProperty: "error" })),
    Effect.mapError(misfit)
  )

const misfit = ({ issue }: Schema.SchemaError) => new VerbError({ message: wrongIn(issue) })

/** The first problem, without the value, which may be a secret. */
const wrongIn = (issue: SchemaIssue.Issue): string => {
  const [wrong] = SchemaIssue.makeFormatterStandardSchemaV1()(issue).issues
  const name = wrong?.path?.map(String).join(".") ?? ""
  if (wrong === undefined || name === "") return "The arguments aren't a JSON object."
  if (wrong.message.includes("excess property")) return `There is no argument ${name}.`
  if (wrong.message === "Missing key") return `The argument ${name} is missing.`
  return `The argument ${name} is wrong: ${wrong.message.replace(/^E/, "e")}.`
}
