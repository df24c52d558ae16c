/**
 * A client's options, with the rules and defaults of the worker's configuration: each is one of its variables under
 * another name. One error names all problems and repeats no value.
 */
import { type Duration, Record, Redacted, Result } from "effect"
import { differentParameters } from "../../../config/Settings.ts"
import { all, fieldOf, fieldsOf } from "../../../config/Variable.ts"
import { api, type ApiEndpoint } from "../ConstructionEndpoints.ts"
import { ServiceError } from "./ServiceError.ts"

export interface Options {
  /** Address of the API with its version segment, like `https://service.example.com/v1` (§1). */
  readonly baseUrl: string
  /** Address under which `/oauth/token` lives (§4.3). */
  readonly authUrl: string
  readonly clientId: string
  readonly clientSecret: string | Redacted.Redacted
  /** Like `projects.read` (§5.1). Default: the token request names none. */
  readonly scopes?: ReadonlyArray<string> | undefined
  /** The plan's limit (§8), or your share of it: 600, or 3000 for Premium. Default 600. */
  readonly requestsPerMinute?: number | undefined
  /** Projects asked for at once; the service may grant fewer. Default 1000. */
  readonly pageSize?: number | undefined
  /** Query parameter of the page number; its name is not shown (§4.1). Default `page`. */
  readonly pageParam?: string | undefined
  /** Query parameter of the page size. Default `per_page`. */
  readonly perPageParam?: string | undefined
  /**
   * How long one call may take with all its waiting: for its turn in the plan, for a 429 to pass, for the next try.
   * Default 5 minutes.
   */
  readonly giveUpAfter?: Duration.Input | undefined
}

/** A client has only its credentials, no login. */
const declared = {
  ...api,
  clientSecret: {
    ...api.clientSecret,
    read: (text: string | undefined) => (text === undefined ? Result.fail("is missing.") : api.clientSecret.read(text))
  }
}

const names = Record.map(declared, (_variable, option) => option)

const written = (value: Options[keyof typeof declared]): string | undefined => {
  if (value === undefined) return undefined
  const text = Redacted.isRedacted(value) ? Redacted.value(value) : typeof value === "object" ? value.join(" ") : value
  return String(text).trim() || undefined
}

export const endpointOf = (options: Options): Result.Result<ApiEndpoint["Service"], ServiceError> => {
  const fields = fieldsOf(declared, (variable, option) => fieldOf(variable, option, written(options[option])))
  return all(fields, differentParameters(fields, names)).pipe(
    Result.map((values) => ({ ...values, names, takesLogins: false })),
    Result.mapError((problems) => {
      const sentences = problems.map(({ variable, sentence }) => `${variable} ${sentence}`)
      return new ServiceError({
        reason: "Options",
        message: `The client's options are not usable: ${sentences.join(" ")}`
      })
    })
  )
}
