/**
 * The adapter of the configured accounting system.
 */
import { Effect, Option, Redacted } from "effect"
import type { System } from "../config/Accounting.ts"
import type { Chart } from "../config/Chart.ts"
import { Settings } from "../config/Settings.ts"
import type { Adapter } from "../src/Ledger/Outbox/Adapter.ts"
import * as SinkPost from "../src/Ledger/Outbox/SinkPost.ts"
import { Seal } from "../src/Runtime/Seal.ts"
import type { Store } from "../src/Stores/Store.ts"
import * as QuickBooks from "./quickbooks/QuickBooks.ts"
import * as Tryton from "./tryton/Tryton.ts"
import * as Xero from "./xero/Xero.ts"

type Making = Effect.Effect<Adapter, never, Seal | Store>

const makers: {
  readonly [Kind in System["kind"]]: (system: Extract<System, { readonly kind: Kind }>, chart: Chart) => Making
} = {
  post: ({ secret, url }) => Effect.sync(() => SinkPost.adapter(url, Redacted.value(secret))),
  xero: ({ url: baseUrl, ...system }, chart) => Xero.make({ ...system, baseUrl, chart }),
  quickBooks: ({ url: baseUrl, ...system }, chart) => QuickBooks.make({ ...system, baseUrl, chart }),
  tryton: ({ company, currency, party, ...system }, chart) =>
    Tryton.make({ ...system, company: party, books: { company, currency }, chart })
}

const make = <Kind extends System["kind"]>(system: Extract<System, { readonly kind: Kind }>, chart: Chart): Making => {
  const maker: (system: never, chart: Chart) => Making = makers[system.kind]
  return maker(system as never, chart)
}

/** None if no accounting system is configured: no entry is sent. */
export const adapter: Effect.Effect<Option.Option<Adapter>, never, Seal | Settings | Store> = Effect.flatMap(
  Settings,
  ({ ledgerChart, ledgerSink }) =>
    Option.match(ledgerSink, {
      onNone: () => Effect.succeedNone,
      onSome: ({ system }) => Effect.map(make(system, ledgerChart), Option.some)
    })
)
