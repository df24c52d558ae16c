/**
 * What only those parts need that talk to the service or are talked to by it: addresses, credentials, pace, paging,
 * webhooks. Its layers are in Settings.ts, because a person must see the problems of both in one message.
 */
import { Context, Result } from "effect"
import type { Duration, Redacted } from "effect"
import { type ClientFields, clientSettings, someWayToAToken } from "./ClientSettings.ts"
import type { Environment, Field } from "./Environment.ts"
import { all, check, field, optional } from "./Environment.ts"
import type { Aliases, Listen } from "./Parse.ts"
import * as Parse from "./Parse.ts"

export class ServiceSettings extends Context.Service<
  ServiceSettings,
  ClientFields & {
    /** As `authUrl`. */
    readonly baseUrl: URL
    readonly requestsPerMinute: number
    readonly walkEvery: Duration.Duration
    readonly pageSize: number
    readonly pageParam: string
    readonly perPageParam: string
    readonly webhookUrl: URL
    /** Of subscriptions made by hand; at least 8 characters each. */
    readonly webhookSecrets: ReadonlyArray<Redacted.Redacted>
    /** Undefined: every type of the interface document. */
    readonly webhookEvents: ReadonlyArray<string> | undefined
    readonly webhookListen: Listen
    readonly webhookMaxBytes: number
    readonly trustTypeHeader: boolean
    /** From our wire name to further names, in the order of the file. */
    readonly fieldAliases: Aliases
  }
>()("siteledger/ServiceSettings") {}

const overlap = (a: Listen, b: Listen): boolean => {
  const every = (host: string) => host === "0.0.0.0" || host === "::"
  return a.port !== 0 && a.port === b.port && (a.host === b.host || every(a.host) || every(b.host))
}

const rules = (environment: Environment): Field<unknown> =>
  all({
    pageParam: field(environment, "SITELEDGER_PAGE_PARAM", Parse.parameterName),
    perPageParam: field(environment, "SITELEDGER_PER_PAGE_PARAM", Parse.parameterName),
    webhookListen: field(environment, "SITELEDGER_WEBHOOK_LISTEN", Parse.listen),
    adminListen: field(environment, "SITELEDGER_ADMIN_LISTEN", Parse.listen)
  }).pipe(
    // A value that is bad by itself is reported where it is read.
    Result.match({
      onFailure: () => Result.succeed(undefined),
      onSuccess: ({ pageParam, perPageParam, webhookListen, adminListen }) =>
        all({
          parameters: check(
            pageParam !== perPageParam,
            "SITELEDGER_PER_PAGE_PARAM",
            "must differ from SITELEDGER_PAGE_PARAM."
          ),
          listeners: check(
            !overlap(webhookListen, adminListen),
            "SITELEDGER_WEBHOOK_LISTEN",
            "takes the same address as SITELEDGER_ADMIN_LISTEN; they are two listeners."
          )
        })
    })
  )

export const serviceSettings = (environment: Environment): Field<ServiceSettings["Service"]> =>
  all({
    baseUrl: field(environment, "SITELEDGER_BASE_URL", Parse.serviceUrl),
    client: clientSettings(environment),
    token: someWayToAToken(environment),
    requestsPerMinute: field(environment, "SITELEDGER_REQUESTS_PER_MINUTE", Parse.positiveInteger),
    walkEvery: field(environment, "SITELEDGER_WALK_EVERY", Parse.duration),
    pageSize: field(environment, "SITELEDGER_PAGE_SIZE", Parse.positiveInteger),
    pageParam: field(environment, "SITELEDGER_PAGE_PARAM", Parse.parameterName),
    perPageParam: field(environment, "SITELEDGER_PER_PAGE_PARAM", Parse.parameterName),
    webhookUrl: field(environment, "SITELEDGER_WEBHOOK_URL", Parse.webhookUrl),
    webhookSecrets: optional(environment, "SITELEDGER_WEBHOOK_SECRET", Parse.secrets),
    webhookEvents: optional(environment, "SITELEDGER_WEBHOOK_EVENTS", Parse.words(/[\s,]+/)),
    webhookListen: field(environment, "SITELEDGER_WEBHOOK_LISTEN", Parse.listen),
    webhookMaxBytes: field(environment, "SITELEDGER_WEBHOOK_MAX_BYTES", Parse.positiveInteger),
    trustTypeHeader: field(environment, "SITELEDGER_TRUST_TYPE_HEADER", Parse.boolean),
    fieldAliases: optional(environment, "SITELEDGER_FIELD_ALIASES", Parse.aliasFile),
    rules: rules(environment)
  }).pipe(
    Result.map(({ client, rules: _rules, token: _token, ...settings }) => ({
      ...client,
      ...settings,
      webhookSecrets: settings.webhookSecrets ?? [],
      fieldAliases: settings.fieldAliases ?? {}
    }))
  )
