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
import * as QuickBooks from "./quickbooks/QuickBooks.ts"
import * as Tryton from "./tryton/Tryton.ts"
import * as Xero from "./xero/Xero.ts"

interface Given {
  readonly chart: Chart
  readonly dataDir: string
}

type Making = Effect.Effect<Adapter, never, Seal>

const makers: {
  readonly [Kind in System["kind"]]: (system: Extract<System, { readonly kind: Kind }>, given: Given) => Making
} = {
  post: ({ secret, url }) => Effect.sync(() => SinkPost.adapter(url, Redacted.value(secret))),
  xero: ({ url: baseUrl, ...system }, { chart }) => Xero.make({ ...system, baseUrl, chart }),
  quickBooks: ({ url: baseUrl, ...system }, given) => QuickBooks.make({ ...system, ...given, baseUrl }),
  tryton: ({ company, currency, party, ...system }, { chart }) =>
    Tryton.make({ ...system, company: party, books: { company, currency }, chart })
}

const make = <Kind extends System["kind"]>(system: Extract<System, { readonly kind: Kind }>, given: Given): Making => {
  const maker: (system: never, given: Given) => Making = makers[system.kind]
  return maker(system as never, given)
}

/** None if no accounting system is configured: no entry is sent. */
export const adapter: Effect.Effect<Option.Option<Adapter>, never, Seal | Settings> = Effect.flatMap(
  Settings,
  ({ dataDir, ledgerChart: chart, ledgerSink }) =>
    Option.match(ledgerSink, {
      onNone: () => Effect.succeedNone,
      onSome: ({ system }) => Effect.map(make(system, { chart, dataDir }), Option.some)
    })
)
