/**
 * The endpoint that a client's options describe, by the rules and defaults of the worker's configuration: each option
 * is one of its variables under another name. A single error names all problems and repeats no value.
 */
import { Record, Redacted, Result } from "effect"
import { differentParameters } from "../../../config/Settings.ts"
import { all, fieldOf, fieldsOf } from "../../../config/Variable.ts"
import { api, type ApiEndpoint } from "../ConstructionEndpoints.ts"
import type { RedactedOptions } from "./RedactedOptions.ts"
import { ServiceError } from "./ServiceError.ts"

/** A client has only its credentials, not a login. */
const declared = {
  ...api,
  clientSecret: {
    ...api.clientSecret,
    read: (text: string | undefined) => (text === undefined ? Result.fail("is missing.") : api.clientSecret.read(text))
  }
}

const names = Record.map(declared, (_variable, option) => option)

const written = (value: RedactedOptions[keyof typeof declared]): string | undefined => {
  if (value === undefined) return undefined
  const text = Redacted.isRedacted(value) ? Redacted.value(value) : typeof value === "object" ? value.join(" ") : value
  return String(text).trim() || undefined
}

export const endpointOf = (options: RedactedOptions): Result.Result<ApiEndpoint["Service"], ServiceError> => {
  const fields = fieldsOf(declared, (variable, option) => fieldOf(variable, option, written(options[option])))
  return all(fields, differentParameters(fields, names)).pipe(
    Result.map((values) => ({ ...values, names, takesLogins: false })),
    Result.mapError((problems) => {
      const sentences = problems.map(({ variable, sentence }) => `${variable} ${sentence}`)
      return new ServiceError("Options", `The client's options are not usable: ${sentences.join(" ")}`)
    })
  )
}
