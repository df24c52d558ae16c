/**
 * QuickBooks' own ids of what vouchers name: accounts, customers, vendors, classes and locations.
 *
 * An id that was found is cached until QuickBooks refuses an entry with it. What isn't found is asked for again at most
 * once a minute: a person can add it in QuickBooks at any time, and many entries may wait for it.
 */
import { Cache, Duration, Effect, Exit, Option, Schema } from "effect"
import type { HttpClient } from "effect/http"
import type { Voucher, VoucherLine } from "../../src/Ledger/Voucher.ts"
import { type QuickBooksError, refused } from "./QuickBooksAnswer.ts"
import { type QuickBooksApi, quoted } from "./QuickBooksApi.ts"
import { type IdentifiedLine, type LineIds, tracked } from "./QuickBooksEntry.ts"

type Asked<A> = Effect.Effect<A, QuickBooksError, HttpClient.HttpClient>

export interface Currencies {
  /** QuickBooks keeps several, and requires each entry's. */
  readonly isMulti: boolean
  /** Undefined if QuickBooks doesn't say. */
  readonly home: string | undefined
}

export interface QuickBooksNames {
  /** Those of the voucher's lines, in order. */
  readonly accounts: (voucher: Voucher) => Asked<ReadonlyArray<string>>
  readonly lines: (voucher: Voucher) => Asked<ReadonlyArray<IdentifiedLine>>
  readonly currencies: Asked<Currencies>
  /** Forgets the ids of what the voucher names. */
  readonly forget: (voucher: Voucher) => Effect.Effect<void>
}

/** The entity of each kind of name, and its field. */
const kinds = {
  customer: { entity: "Customer", field: "DisplayName" },
  vendor: { entity: "Vendor", field: "DisplayName" },
  Class: { entity: "Class", field: "FullyQualifiedName" },
  Location: { entity: "Department", field: "FullyQualifiedName" }
} as const
type Kind = keyof typeof kinds

const Text = Schema.optional(Schema.NullOr(Schema.String))
const Row = Schema.Struct({
  Id: Schema.String,
  AcctNum: Text,
  Name: Text,
  FullyQualifiedName: Text,
  DisplayName: Text
})
type Row = typeof Row.Type
const readRow = Schema.decodeUnknownOption(Row)

const Preferences = Schema.Struct({
  CurrencyPrefs: Schema.Struct({
    MultiCurrencyEnabled: Schema.optional(Schema.Boolean),
    HomeCurrency: Schema.optional(Schema.Struct({ value: Schema.String }))
  })
})
const readPreferences = Schema.decodeUnknownOption(Preferences)

const missingFor = Duration.minutes(1)
const currenciesFor = Duration.hours(1)
/** Per kind. */
const mostKept = 10_000

const cached = <Key, A>(ask: (key: Key) => Asked<A>, life: (answer: A) => Duration.Duration) =>
  Cache.makeWith(ask, {
    capacity: mostKept,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? life(exit.value) : Duration.zero),
    requireServicesAt: "lookup"
  })

type Ids = ReadonlyArray<string>
const untilForgotten = ({ length }: Ids): Duration.Duration => (length === 0 ? missingFor : Duration.infinity)

export const make = Effect.fnUntraced(function* (api: QuickBooksApi): Effect.fn.Return<QuickBooksNames> {
  // Fetched whole, because QuickBooks doesn't promise that accounts can be queried by number.
  const chart = yield* cached(
    (entity: "Account") => Effect.map(api.query(entity, "Active = true"), rowsIn),
    () => missingFor
  )
  const accounts = yield* cached(
    (code: string) => Effect.map(Cache.get(chart, "Account"), (rows) => accountsCalled(code, rows)),
    untilForgotten
  )
  const named = (kind: Kind) => {
    const { entity, field } = kinds[kind]
    return cached(
      (name: string) =>
        Effect.map(api.query(entity, `${field} = ${quoted(name)}`), (rows) => idsCalled(name, field, rowsIn(rows))),
      untilForgotten
    )
  }
  const others = yield* Effect.all({
    customer: named("customer"),
    vendor: named("vendor"),
    Class: named("Class"),
    Location: named("Location")
  })
  const preferences = yield* cached(
    (entity: "Preferences") => Effect.map(api.query(entity, ""), currenciesIn),
    () => currenciesFor
  )

  const account = (code: string) => Effect.flatMap(Cache.get(accounts, code), (ids) => only(ids, "account", code))
  const other = ({ kind, name }: Other) =>
    Effect.flatMap(Cache.get(others[kind], name), (ids) => only(ids, kind.toLowerCase(), name))

  const idsOf = Effect.fnUntraced(function* (
    line: VoucherLine
  ): Effect.fn.Return<LineIds, QuickBooksError, HttpClient.HttpClient> {
    const tracking: Array<LineIds["tracking"][number]> = []
    for (const each of trackedIn(line)) tracking.push({ reference: tracked[each.kind], id: yield* other(each) })
    return {
      account: yield* account(line.account),
      counterparty: line.counterparty === null ? null : yield* other(line.counterparty),
      tracking
    }
  })

  return {
    accounts: ({ lines }) => Effect.forEach(lines, (line) => account(line.account)),
    lines: ({ lines }) => Effect.forEach(lines, (line) => Effect.map(idsOf(line), (ids) => ({ line, ids }))),
    currencies: Cache.get(preferences, "Preferences"),
    forget: Effect.fnUntraced(function* ({ lines }) {
      for (const line of lines) {
        yield* Cache.invalidate(accounts, line.account)
        for (const { kind, name } of othersIn(line)) yield* Cache.invalidate(others[kind], name)
      }
    })
  }
})

interface Other {
  readonly kind: Kind
  readonly name: string
}

const isTracked = (category: string): category is keyof typeof tracked => category in tracked

const trackedIn = ({ tracking }: VoucherLine) =>
  tracking.flatMap(({ category, option }) => (isTracked(category) ? [{ kind: category, name: option }] : []))

const othersIn = (line: VoucherLine): ReadonlyArray<Other> =>
  line.counterparty === null ? trackedIn(line) : [line.counterparty, ...trackedIn(line)]

const rowsIn = (rows: ReadonlyArray<unknown>): ReadonlyArray<Row> => rows.flatMap((row) => Option.toArray(readRow(row)))

const currenciesIn = ([preferences]: ReadonlyArray<unknown>): Currencies =>
  Option.match(readPreferences(preferences), {
    onNone: () => ({ isMulti: false, home: undefined }),
    onSome: ({ CurrencyPrefs: { HomeCurrency, MultiCurrencyEnabled = false } }) => ({
      isMulti: MultiCurrencyEnabled,
      home: HomeCurrency?.value
    })
  })

/** QuickBooks compares names case-insensitively. */
const idsCalled = (
  name: string,
  field: "AcctNum" | "Name" | "FullyQualifiedName" | "DisplayName",
  rows: ReadonlyArray<Row>
): Ids => rows.filter((row) => row[field]?.toLowerCase() === name.toLowerCase()).map(({ Id }) => Id)

/** A number or a full name belongs to only one account; a name can belong to several, below different parents. */
const accountsCalled = (code: string, rows: ReadonlyArray<Row>): Ids => {
  const byNumber = idsCalled(code, "AcctNum", rows)
  if (byNumber.length > 0) return byNumber
  const byFullName = idsCalled(code, "FullyQualifiedName", rows)
  return byFullName.length > 0 ? byFullName : idsCalled(code, "Name", rows)
}

const only = (ids: Ids, what: string, name: string): Effect.Effect<string, QuickBooksError> => {
  const [id] = ids
  if (id === undefined)
    return Effect.fail(
      refused(`QuickBooks has no active ${what} "${name}": add it there, or change the name in the ledger's file.`)
    )
  return ids.length === 1
    ? Effect.succeed(id)
    : Effect.fail(refused(`QuickBooks has several accounts "${name}": write it with its parents, like "Parent:Child".`))
}
