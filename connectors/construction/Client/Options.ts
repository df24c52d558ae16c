/**
 * What a client is told, read by the same rules and with the same defaults as the worker's configuration: each option
 * is one of its variables under another name. All problems come in one error, which repeats no value.
 */
import { type Duration, Redacted, Result } from "effect"
import type { Field } from "../../../config/Environment.ts"
import { serviceSettings, type ServiceSettings } from "../../../config/ServiceSettings.ts"
import type { Name } from "../../../config/Variables.ts"
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

const variables = {
  baseUrl: "SITELEDGER_BASE_URL",
  authUrl: "SITELEDGER_AUTH_URL",
  clientId: "SITELEDGER_CLIENT_ID",
  clientSecret: "SITELEDGER_CLIENT_SECRET",
  scopes: "SITELEDGER_SCOPES",
  requestsPerMinute: "SITELEDGER_REQUESTS_PER_MINUTE",
  pageSize: "SITELEDGER_PAGE_SIZE",
  pageParam: "SITELEDGER_PAGE_PARAM",
  perPageParam: "SITELEDGER_PER_PAGE_PARAM"
} as const satisfies Readonly<Record<keyof Omit<Options, "giveUpAfter">, Name>>

const optionOf: ReadonlyMap<string, string> = new Map(
  Object.entries(variables).map(([option, variable]) => [variable, option])
)

/** A sentence about variables as one about options. */
export const inOptions = (sentence: string): string =>
  sentence.replace(/\bSITELEDGER_[A-Z_]+\b/g, (variable) => optionOf.get(variable) ?? variable)

/** The worker must have an address for its receiver; a client has none, and nothing here asks for it. */
const noReceiver = "https://receiver.invalid/"

const written = (value: Options[keyof typeof variables]): string => {
  if (value === undefined) return ""
  if (Redacted.isRedacted(value)) return Redacted.value(value)
  return typeof value === "object" ? value.join(" ") : String(value)
}

export const settings = (options: Options): Result.Result<ServiceSettings["Service"], ServiceError> => {
  const given = Object.entries(variables).map(
    ([option, variable]) => [variable, written(options[option as keyof typeof variables]).trim()] as const
  )
  const values = new Map<string, Field<string>>([
    // Without one the worker looks for a person's login, which a client has no place for.
    [variables.clientSecret, Result.fail([{ variable: variables.clientSecret, sentence: "is missing." }])],
    ["SITELEDGER_WEBHOOK_URL", Result.succeed(noReceiver)]
  ])
  for (const [variable, text] of given) if (text !== "") values.set(variable, Result.succeed(text))
  return serviceSettings({ values, names: [...values.keys()] }).pipe(
    Result.mapError((problems) => {
      const sentences = problems.map(({ variable, sentence }) => `${variable} ${sentence}`)
      const message = `The client's options are not usable: ${inOptions(sentences.join(" "))}`
      return new ServiceError({ reason: "Options", message })
    })
  )
}
