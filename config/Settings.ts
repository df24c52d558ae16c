/**
 * The only reader of the environment, through Effect's ConfigProvider, so that tests and the demo can provide another.
 * `layer` brings Settings (what every verb needs), `layerAll` brings ServiceSettings too (what talks to the service).
 * All problems of what a layer brings come in one SettingsError, whose message names every variable and no value.
 * Nothing is written and no connection is made: a path or an address that is well-formed may still not work.
 */
import { Context, DateTime, Effect, Layer, Option, Result } from "effect"
import type { Cron, LogLevel, Redacted } from "effect"
import { join } from "node:path"
import { ClientSettings, clientSettings } from "./ClientSettings.ts"
import type { Environment, Field } from "./Environment.ts"
import { all, check, field, optional, read, refuseLater, SettingsError, warnings } from "./Environment.ts"
import type { Listen, LogFormat } from "./Parse.ts"
import * as Parse from "./Parse.ts"
import { lake, type LakeSetting } from "./ParseLake.ts"
import { type LedgerSettings, ledgerSettings, type SinkSettings, sinkSettings } from "./LedgerSettings.ts"
import { ServiceSettings, serviceSettings } from "./ServiceSettings.ts"

export { ClientSettings } from "./ClientSettings.ts"
export { SettingsError } from "./Environment.ts"
export type { Aliases, Listen, LogFormat } from "./Parse.ts"
export { ServiceSettings } from "./ServiceSettings.ts"
export { variables } from "./Variables.ts"

export class Settings extends Context.Service<
  Settings,
  {
    /** Absolute, like every path here. */
    readonly dataDir: string
    /** 64 hex digits; none: the key lies in the data directory. */
    readonly key: Option.Option<Redacted.Redacted>
    readonly warehouse: Parse.WarehouseSetting
    readonly lake: LakeSetting
    /** How the ledger posts. */
    readonly ledger: LedgerSettings
    /** The accounting system that entries are posted to. */
    readonly ledgerSink: Option.Option<SinkSettings>
    /** In `timezone`; has at least one date to come. */
    readonly exportCron: Cron.Cron
    /** As it was written. */
    readonly exportCronText: string
    readonly timezone: DateTime.TimeZone
    readonly adminListen: Listen
    /** Always there when `adminListen` is not on loopback. */
    readonly adminToken: Option.Option<Redacted.Redacted>
    /** Told when Status turns red and when it recovers. */
    readonly alertUrl: Option.Option<Redacted.Redacted>
    readonly logLevel: LogLevel.LogLevel
    readonly logFormat: LogFormat
    /** False under NO_COLOR. */
    readonly color: boolean
    /** Sentences to log once: names that look like typos of ours. */
    readonly warnings: ReadonlyArray<string>
  }
>()("siteledger/Settings") {}

const tokenRule = (listen: Field<Listen>, token: Field<Redacted.Redacted | undefined>): Field<void> => {
  const open = Result.isSuccess(listen) && !Parse.isLoopback(listen.success.host)
  const bare = Result.isSuccess(token) && token.success === undefined
  return check(
    !(open && bare),
    "SITELEDGER_ADMIN_LISTEN",
    "is open beyond this machine; set SITELEDGER_ADMIN_TOKEN too."
  )
}

const settings = (environment: Environment, now: DateTime.DateTime): Field<Settings["Service"]> => {
  const dataDir = field(environment, "SITELEDGER_DATA_DIR", Parse.folder)
  const timezone = field(environment, "SITELEDGER_TIMEZONE", Parse.timezone)
  const zone = Result.getOrElse(timezone, () => DateTime.zoneMakeOffset(0))
  const adminListen = field(environment, "SITELEDGER_ADMIN_LISTEN", Parse.listen)
  const adminToken = optional(environment, "SITELEDGER_ADMIN_TOKEN", Parse.token)
  const fields = all({
    dataDir,
    key: optional(environment, "SITELEDGER_KEY", Parse.key),
    warehouse: optional(environment, "SITELEDGER_WAREHOUSE", Parse.warehouse),
    lake: optional(environment, "SITELEDGER_LAKE", lake),
    ledger: ledgerSettings(environment),
    ledgerSink: sinkSettings(environment),
    exportCron: field(environment, "SITELEDGER_EXPORT_CRON", Parse.cron(zone, now)),
    exportCronText: field(environment, "SITELEDGER_EXPORT_CRON", Parse.plain),
    timezone,
    adminListen,
    adminToken,
    adminRule: tokenRule(adminListen, adminToken),
    alertUrl: optional(environment, "SITELEDGER_ALERT_URL", Parse.alertUrl),
    logLevel: field(environment, "LOG_LEVEL", Parse.logLevel),
    logFormat: field(environment, "LOG_FORMAT", Parse.logFormat),
    noColor: optional(environment, "NO_COLOR", Parse.plain),
    later: refuseLater(environment)
  })
  return Result.map(fields, ({ adminRule: _rule, later: _later, noColor, ...values }) => ({
    ...values,
    warehouse: values.warehouse ?? { engine: "duckdb", path: join(values.dataDir, "warehouse.duckdb") },
    lake: values.lake ?? { kind: "folder", path: join(values.dataDir, "lake") },
    key: Option.fromUndefinedOr(values.key),
    adminToken: Option.fromUndefinedOr(values.adminToken),
    alertUrl: Option.fromUndefinedOr(values.alertUrl),
    color: noColor === undefined,
    warnings: warnings(environment)
  }))
}

const orFail = <A>(value: Field<A>): Effect.Effect<A, SettingsError> =>
  Result.isFailure(value) ? Effect.fail(SettingsError.of(value.failure)) : Effect.succeed(value.success)

export const layer: Layer.Layer<Settings, SettingsError> = Layer.effect(
  Settings,
  Effect.gen(function* () {
    return yield* orFail(settings(yield* read, yield* DateTime.now))
  })
)

/** For logging in: nothing that only the worker needs is asked for. */
export const layerClient: Layer.Layer<Settings | ClientSettings, SettingsError> = Layer.effectContext(
  Effect.gen(function* () {
    const environment = yield* read
    const both = all({ client: clientSettings(environment), settings: settings(environment, yield* DateTime.now) })
    const values = yield* orFail(both)
    return Context.make(Settings, values.settings).pipe(Context.add(ClientSettings, values.client))
  })
)

export const layerAll: Layer.Layer<Settings | ServiceSettings | ClientSettings, SettingsError> = Layer.effectContext(
  Effect.gen(function* () {
    const environment = yield* read
    const both = all({ service: serviceSettings(environment), settings: settings(environment, yield* DateTime.now) })
    const values = yield* orFail(both)
    return Context.make(Settings, values.settings).pipe(
      Context.add(ServiceSettings, values.service),
      Context.add(ClientSettings, values.service)
    )
  })
)
