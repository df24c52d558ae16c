/**
 * The service's addresses and our identity there, each with the name by which a person knows it: a variable of the
 * worker, or an option of `siteledger-client`. Messages use these names.
 */
import { Context, type Duration, Effect, Layer, Record } from "effect"
import { ClientSettings, ServiceSettings } from "../../config/Settings.ts"
import type { ValuesOf } from "../../config/Variable.ts"
import * as Variables from "../../config/Variables.ts"
import type { Bound } from "./ConstructionText.ts"

const { longestPause: _longestPause, redirectUri: _redirectUri, walkEvery: _walkEvery, ...declared } = Variables.service

/** The configuration of a client of the service. */
export const api = declared

/** The variables, as a person sets them for a worker. */
export const apiNames = Record.map(api, ({ name }) => name)

type Names<V> = Readonly<Record<keyof V, string>>

/** The authorization server (interface document §5). */
export class AuthEndpoint extends Context.Service<
  AuthEndpoint,
  ValuesOf<typeof Variables.client> & {
    readonly names: Names<typeof Variables.client>
    /** It is asked again after this time, even if it requested a longer pause. */
    readonly longestPause: Duration.Duration
  }
>()("siteledger/construction/AuthEndpoint") {
  static readonly layer: Layer.Layer<AuthEndpoint, never, ClientSettings> = Layer.effect(
    AuthEndpoint,
    Effect.map(ClientSettings, (settings) => ({
      ...settings,
      names: Record.map(Variables.client, ({ name }) => name)
    }))
  )
}

/** For a token, a refusal, or the metadata. */
export const tokenBound = ({
  names,
  tokenMaxBytes
}: Pick<AuthEndpoint["Service"], "names" | "tokenMaxBytes">): Bound => ({
  kind: "a token",
  bytes: tokenMaxBytes,
  advice: `raise ${names.tokenMaxBytes}`
})

/** The API (§1, §4). */
export class ApiEndpoint extends Context.Service<
  ApiEndpoint,
  ValuesOf<typeof api> & {
    readonly names: Names<typeof api>
    /** Scopes may come from a person's consent. */
    readonly takesLogins: boolean
  }
>()("siteledger/construction/ApiEndpoint") {
  static readonly layer: Layer.Layer<ApiEndpoint, never, ServiceSettings> = Layer.effect(
    ApiEndpoint,
    Effect.map(ServiceSettings, (settings) => ({
      ...settings,
      names: apiNames,
      takesLogins: true
    }))
  )
}

type Bounds = Pick<ApiEndpoint["Service"], "answerMaxBytes" | "pageMaxBytes"> & {
  readonly names: Pick<Names<typeof api>, "answerMaxBytes" | "pageMaxBytes" | "pageSize">
}

/** Only the answer to a GET grows with the data. */
export const boundOf = ({ answerMaxBytes, names, pageMaxBytes }: Bounds, method: string): Bound =>
  method === "GET"
    ? {
        kind: "a list page",
        bytes: pageMaxBytes,
        advice: `lower ${names.pageSize}, or raise ${names.pageMaxBytes}`
      }
    : { kind: `the answer to a ${method}`, bytes: answerMaxBytes, advice: `raise ${names.answerMaxBytes}` }
