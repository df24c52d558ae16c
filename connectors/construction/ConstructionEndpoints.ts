/**
 * Where the service is and who we are to it, each with how a person knows it: the worker's are variables, those of
 * `siteledger/client` options. So what is said of them names what to check.
 */
import { Context, Effect, Layer, Record } from "effect"
import { ClientSettings, ServiceSettings } from "../../config/Settings.ts"
import type { ValuesOf } from "../../config/Variable.ts"
import * as Variables from "../../config/Variables.ts"

const { walkEvery: _walkEvery, ...declared } = Variables.service

/** What a client of the service is told. */
export const api = declared

type Names<V> = Readonly<Record<keyof V, string>>

/** The authorization server (interface document §5). */
export class AuthEndpoint extends Context.Service<
  AuthEndpoint,
  ValuesOf<typeof Variables.client> & { readonly names: Names<typeof Variables.client> }
>()("siteledger/construction/AuthEndpoint") {
  static readonly layer: Layer.Layer<AuthEndpoint, never, ClientSettings> = Layer.effect(
    AuthEndpoint,
    Effect.map(ClientSettings, (settings) => ({
      ...settings,
      names: Record.map(Variables.client, ({ name }) => name)
    }))
  )
}

/** The API (§1, §4). */
export class ApiEndpoint extends Context.Service<
  ApiEndpoint,
  ValuesOf<typeof api> & {
    readonly names: Names<typeof api>
    /** Scopes may be those of a person's consent. */
    readonly takesLogins: boolean
  }
>()("siteledger/construction/ApiEndpoint") {
  static readonly layer: Layer.Layer<ApiEndpoint, never, ServiceSettings> = Layer.effect(
    ApiEndpoint,
    Effect.map(ServiceSettings, (settings) => ({
      ...settings,
      names: Record.map(api, ({ name }) => name),
      takesLogins: true
    }))
  )
}
