/**
 * The only reader of the environment, through Effect's ConfigProvider, so that tests and the demo can provide another.
 * `layer` brings Settings (what every verb needs), `layerAll` brings ServiceSettings too (what talks to the service).
 * All problems of what a layer brings come in one SettingsError, whose message names every variable and no value.
 * Nothing is written and no connection is made: a path or an address that is well-formed may still not work.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Layer, Option, Result } from "effect"
import { isLoopback, type Lake, type Listen, type Warehouse } from "./Address.ts"
import { type Environment, fields, read, refuseLater, SettingsError, warnings } from "./Environment.ts"
import * as Ledger from "./Ledger.ts"
import { all, bad, type Field, type Fields, fine, rule, type ValuesOf } from "./Variable.ts"
import * as V from "./Variables.ts"

export type { Listen } from "./Address.ts"
export { SettingsError } from "./Environment.ts"

const settings = (environment: Environment) => {
  const worker = fields(environment, V.worker)
  const given = {
    ...worker,
    ...fields(environment, V.log),
    ledger: Ledger.termsOf(fields(environment, Ledger.posting)),
    ledgerSink: Ledger.sinkOf(fields(environment, Ledger.sink))
  }
  const read = all(given, guardedBeyondLoopback(worker), refuseLater(environment))
  return Result.map(read, ({ exportCron, noColor, ...values }) => ({
    ...values,
    warehouse: Option.getOrElse(values.warehouse, (): Warehouse => ({
      engine: "duckdb",
      path: join(values.dataDir, "warehouse.duckdb")
    })),
    lake: Option.getOrElse(values.lake, (): Lake => ({ kind: "folder", path: join(values.dataDir, "lake") })),
    /** In `timezone`; has at least one date to come. */
    exportCron: exportCron(values.timezone),
    /** False under NO_COLOR. */
    color: Option.isNone(noColor),
    /** Sentences to log once: names that look like typos of ours. */
    warnings: warnings(environment)
  }))
}

const service = (environment: Environment) => {
  const given = { ...fields(environment, V.service), ...fields(environment, V.webhooks) }
  const worker = fields(environment, V.worker)
  const names = { pageParam: V.service.pageParam.name, perPageParam: V.service.perPageParam.name }
  return all(given, someWayToAToken(given, worker), differentParameters(given, names), twoListeners(given, worker))
}

export class Settings extends Context.Service<Settings, Readonly<Result.Result.Success<ReturnType<typeof settings>>>>()(
  "siteledger/Settings"
) {}

/** What only those parts need that talk to the service or are talked to by it. */
export class ServiceSettings extends Context.Service<ServiceSettings, ValuesOf<typeof V.service & typeof V.webhooks>>()(
  "siteledger/ServiceSettings"
) {}

/** What a person's login needs, before the worker is configured. */
export class ClientSettings extends Context.Service<ClientSettings, ValuesOf<typeof V.client>>()(
  "siteledger/ClientSettings"
) {}

type Worker = Fields<typeof V.worker>
type Service = Fields<typeof V.service>

const guardedBeyondLoopback = ({ adminListen, adminToken }: Worker): Field<void> =>
  rule({ adminListen, adminToken }, ({ adminListen: { host }, adminToken }) =>
    isLoopback(host) || Option.isSome(adminToken)
      ? fine
      : bad(V.worker.adminListen.name, `is open beyond this machine; set ${V.worker.adminToken.name} too.`)
  )

/** Where a login lies, sealed. */
export const loginPath = (dataDir: string): string => join(dataDir, "login")

const someWayToAToken = ({ clientSecret }: Service, { dataDir }: Worker): Field<void> =>
  rule({ clientSecret, dataDir }, ({ clientSecret, dataDir }) =>
    Option.isSome(clientSecret) || existsSync(loginPath(dataDir))
      ? fine
      : bad(
          V.client.clientSecret.name,
          "is missing, and nobody has logged in. Set it (client credentials), or run `siteledger login`."
        )
  )

type Parameters = Pick<Service, "pageParam" | "perPageParam">

/** `names`: how a person knows the two. */
export const differentParameters = (
  { pageParam, perPageParam }: Parameters,
  names: Readonly<Record<keyof Parameters, string>>
): Field<void> =>
  rule({ pageParam, perPageParam }, ({ pageParam, perPageParam }) =>
    pageParam === perPageParam ? bad(names.perPageParam, `must differ from ${names.pageParam}.`) : fine
  )

const overlap = (a: Listen, b: Listen): boolean => {
  const every = (host: string) => host === "0.0.0.0" || host === "::"
  return a.port !== 0 && a.port === b.port && (a.host === b.host || every(a.host) || every(b.host))
}

const twoListeners = ({ webhookListen }: Fields<typeof V.webhooks>, { adminListen }: Worker): Field<void> =>
  rule({ adminListen, webhookListen }, ({ adminListen, webhookListen }) =>
    overlap(webhookListen, adminListen)
      ? bad(
          V.webhooks.webhookListen.name,
          `takes the same address as ${V.worker.adminListen.name}; they are two listeners.`
        )
      : fine
  )

const readAs = <A>(of: (environment: Environment) => Field<A>): Effect.Effect<A, SettingsError> =>
  Effect.flatMap(read, (environment) => Effect.mapError(Effect.fromResult(of(environment)), SettingsError.of))

export const layer: Layer.Layer<Settings, SettingsError> = Layer.effect(Settings, readAs(settings))

/** For logging in: nothing that only the worker needs is asked for. */
export const layerClient: Layer.Layer<Settings | ClientSettings, SettingsError> = Layer.effectContext(
  Effect.map(
    readAs((environment) => all({ client: all(fields(environment, V.client)), settings: settings(environment) })),
    ({ client, settings }) => Context.make(Settings, settings).pipe(Context.add(ClientSettings, client))
  )
)

export const layerAll: Layer.Layer<Settings | ServiceSettings | ClientSettings, SettingsError> = Layer.effectContext(
  Effect.map(
    readAs((environment) => all({ service: service(environment), settings: settings(environment) })),
    ({ service, settings }) =>
      Context.make(Settings, settings).pipe(Context.add(ServiceSettings, service), Context.add(ClientSettings, service))
  )
)
