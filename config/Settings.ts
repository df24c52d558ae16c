/**
 * The only reader of the environment, through Effect's ConfigProvider, so that tests and the demo can provide another.
 * `layer` provides Settings (for every verb); `layerAll` also provides ServiceSettings (for what talks to the service).
 * All problems of a layer are in one SettingsError, whose message names every variable and no value. Nothing is written
 * and no connection is made, so a well-formed path or address may still not work.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, Layer, Option, Result } from "effect"
import * as Accounting from "./Accounting.ts"
import * as Backup from "./Backup.ts"
import { quickBooks } from "./Accounting/QuickBooks.ts"
import { tryton } from "./Accounting/Tryton.ts"
import { xero } from "./Accounting/Xero.ts"
import { asking } from "./Asking.ts"
import { isLoopback, type Lake, type Listen, type Warehouse } from "./Address.ts"
import { type Environment, fields, read, SettingsError, warnings } from "./Environment.ts"
import { settingsIn } from "./InForce.ts"
import * as Ledger from "./Ledger.ts"
import { log } from "./Log.ts"
import * as Migration from "./Migration.ts"
import { offered } from "./OpenApi.ts"
import { telemetry } from "./Telemetry.ts"
import { all, bad, type Field, type Fields, fine, maybe, rule, type ValuesOf } from "./Variable.ts"
import * as V from "./Variables.ts"

export type { Listen } from "./Address.ts"
export { SettingsError } from "./Environment.ts"

const settings = (environment: Environment) => {
  const worker = fields(environment, V.worker)
  const backup = fields(environment, Backup.backup)
  const reading = Result.map(all(fields(environment, V.wire)), ({ envelope, fieldAliases, trustTypeHeader }) => ({
    aliases: fieldAliases,
    contentsAt: envelope.delivery,
    trustTypeHeader
  }))
  const parsed = {
    ...worker,
    ...backup,
    ...fields(environment, log),
    ...fields(environment, telemetry),
    ...fields(environment, asking),
    ...fields(environment, Ledger.waiting),
    ledger: Ledger.termsOf(fields(environment, Ledger.posting), worker.timezone, reading),
    /** How entries are laid out for an accounting system. */
    ledgerChart: Result.map(fields(environment, Ledger.posting).file, ({ chart }) => chart),
    ledgerSink: Accounting.sinkOf({
      sink: fields(environment, Accounting.sink),
      xero: fields(environment, xero),
      quickBooks: fields(environment, quickBooks),
      tryton: fields(environment, tryton)
    })
  }
  const read = all(parsed, guardedBeyondLoopback(worker), Backup.withKey(backup))
  return Result.map(read, ({ exportCron, lakeKeep, lakeKeepFor, noColor, ...values }) => ({
    ...values,
    warehouse: Option.getOrElse(values.warehouse, (): Warehouse => ({
      engine: "duckdb",
      path: join(values.dataDir, "warehouse.duckdb")
    })),
    lake: Option.getOrElse(values.lake, (): Lake => ({ kind: "folder", path: join(values.dataDir, "lake") })),
    /** In `timezone`; there is at least one date to come. */
    exportCron: exportCron(values.timezone),
    /** Which exports stay. */
    lakeKeep: { newest: lakeKeep, for: lakeKeepFor },
    /** False under NO_COLOR. */
    color: Option.isNone(noColor),
    /** For a person; none of it is secret. */
    inForce: settingsIn(environment),
    /** Sentences to log once: names that look like typos of our variables. */
    warnings: warnings(environment)
  }))
}

const service = (environment: Environment) => {
  const parsed = { ...fields(environment, V.service), ...fields(environment, V.webhooks) }
  const worker = fields(environment, V.worker)
  const names = { pageParam: V.service.pageParam.name, perPageParam: V.service.perPageParam.name }
  return all(parsed, someWayToAToken(parsed, worker), differentParameters(parsed, names), twoListeners(parsed, worker))
}

export class Settings extends Context.Service<Settings, Readonly<Result.Result.Success<ReturnType<typeof settings>>>>()(
  "siteledger/Settings"
) {}

/** For the parts that talk to the service or listen to it. */
export class ServiceSettings extends Context.Service<ServiceSettings, ValuesOf<typeof V.service & typeof V.webhooks>>()(
  "siteledger/ServiceSettings"
) {}

/** For a person's login, before the worker is configured. */
export class ClientSettings extends Context.Service<ClientSettings, ValuesOf<typeof V.login>>()(
  "siteledger/ClientSettings"
) {}

type Worker = Fields<typeof V.worker>
type Service = Fields<typeof V.service>

const guardedBeyondLoopback = ({ adminListen, adminToken }: Worker): Field<void> =>
  rule({ adminListen, adminToken }, ({ adminListen: { host }, adminToken }) =>
    isLoopback(host) || Option.isSome(adminToken)
      ? fine
      : bad(V.worker.adminListen.name, `can be reached from other machines; set ${V.worker.adminToken.name} too.`)
  )

/** The file of the sealed login. */
export const loginPath = (dataDir: string): string => join(dataDir, "login")

const someWayToAToken = ({ clientSecret }: Service, { dataDir }: Worker): Field<void> =>
  rule({ clientSecret, dataDir }, ({ clientSecret, dataDir }) =>
    Option.isSome(clientSecret) || existsSync(loginPath(dataDir))
      ? fine
      : bad(
          V.client.clientSecret.name,
          "is missing, and there is no stored login. Set it (client credentials), or run `siteledger login`."
        )
  )

type Parameters = Pick<Service, "pageParam" | "perPageParam">

/** `names`: the two, by the names that a person knows. */
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
          `names the same address as ${V.worker.adminListen.name}; each listener needs its own.`
        )
      : fine
  )

const readAs = <A>(of: (environment: Environment) => Field<A>): Effect.Effect<A, SettingsError> =>
  Effect.flatMap(read, (environment) => Effect.mapError(Effect.fromResult(of(environment)), SettingsError.of))

/** For reading a sample before the rest is configured. */
export const wire: Effect.Effect<ValuesOf<typeof V.wire>, SettingsError> = readAs((environment) =>
  all(fields(environment, V.wire))
)

/** For `siteledger migrate`. */
export const migration: Effect.Effect<ValuesOf<typeof Migration.migration>, SettingsError> = readAs((environment) =>
  all(fields(environment, Migration.migration))
)

const discovering = {
  ...offered,
  baseUrl: maybe(V.service.baseUrl),
  requestsPerMinute: V.service.requestsPerMinute,
  pageSize: V.service.pageSize,
  dataDir: V.worker.dataDir
}

/** Which lists are on. */
export const reviewed: Effect.Effect<Pick<ValuesOf<typeof offered>, "resources">, SettingsError> = readAs(
  (environment) => all(fields(environment, { resources: offered.resources }))
)

/** For `siteledger discover`, which is run before anything else. */
export const discovery: Effect.Effect<ValuesOf<typeof discovering>, SettingsError> = readAs((environment) =>
  all(fields(environment, discovering))
)

export const layer: Layer.Layer<Settings, SettingsError> = Layer.effect(Settings, readAs(settings))

/** For logging in: nothing is required that only the worker needs. */
export const layerClient: Layer.Layer<Settings | ClientSettings, SettingsError> = Layer.effectContext(
  Effect.map(
    readAs((environment) => all({ client: all(fields(environment, V.login)), settings: settings(environment) })),
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
