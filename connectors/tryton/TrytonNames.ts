/**
 * Tryton's own numbers of what vouchers and settings name: the company, the journal, periods, accounts and parties.
 *
 * What was found is cached for a minute. What isn't found is asked for again with each attempt, because a person can
 * add it in Tryton at any time.
 */
import { Cache, Duration, Effect, Exit, Option, Schema } from "effect"
import type { Voucher, VoucherLine } from "../../src/Ledger/Voucher.ts"
import { refused, type TrytonError, unavailable, unreadable } from "./TrytonAnswer.ts"
import { type Company, dayOf, type IdentifiedLine } from "./TrytonMove.ts"
import type { Asked, Domain, TrytonRpc } from "./TrytonRpc.ts"

export interface Named {
  /** The name of the company's party in Tryton; null for the only company that the user sees. */
  readonly company: string | null
  /** The journal's code. */
  readonly journal: string
}

export interface TrytonNames {
  readonly company: Asked<Company>
  readonly journal: Asked<number>
  /** The open one that contains the date. */
  readonly period: (date: string) => Asked<number>
  /** Those of the voucher's lines, in order. */
  readonly accounts: (voucher: Voucher) => Asked<ReadonlyArray<number>>
  readonly lines: (voucher: Voucher) => Asked<ReadonlyArray<IdentifiedLine>>
}

/** The companies of the user. */
const Preferences = Schema.Struct({
  companies: Schema.Array(Schema.Int),
  company: Schema.optional(Schema.NullOr(Schema.Int)),
  company_filter: Schema.optional(Schema.NullOr(Schema.String))
})
const readPreferences = Schema.decodeUnknownOption(Preferences)

const Company = Schema.Struct({
  id: Schema.Int,
  "currency.": Schema.Struct({ code: Schema.String, digits: Schema.Int })
})
/** Tryton on SQLite uses 0 and 1 for booleans. */
const Account = Schema.Struct({ id: Schema.Int, party_required: Schema.Unknown })
const Row = Schema.Struct({ id: Schema.Int })

/** Either all rows are read or none: a row that can't be read isn't a missing one. */
const rowsOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, what: string) => {
  const decode = Schema.decodeUnknownOption(Schema.Array(schema))
  return (rows: ReadonlyArray<unknown>) =>
    Option.match(decode(rows), { onNone: () => Effect.fail(unreadable(what)), onSome: Effect.succeed })
}
const companiesIn = rowsOf(Company, "the currency of a company")
const accountsIn = rowsOf(Account, "what an account is")
const idsIn = rowsOf(Row, "the number of a record")

const keptFor = Duration.minutes(1)
/** Per kind. */
const mostKept = 10_000

const cached = <Key, A>(ask: (key: Key) => Asked<A>) =>
  Cache.makeWith(ask, {
    capacity: mostKept,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? keptFor : Duration.zero),
    requireServicesAt: "lookup"
  })

export const make = Effect.fnUntraced(function* (rpc: TrytonRpc, named: Named) {
  const companies = yield* cached(
    Effect.fnUntraced(function* (name: string | null) {
      const domain: Domain = [
        ["id", "in", yield* seenBy(yield* rpc.call("res.user.get_preferences", [false], {}))],
        ...(name === null ? [] : ([["party.name", "=", name]] as const))
      ]
      const found = yield* rpc.rows("company.company", domain, ["currency.code", "currency.digits"])
      return yield* onlyCompany(yield* companiesIn(found), name)
    })
  )
  const company = Cache.get(companies, named.company)

  const rows = (model: string, fields: ReadonlyArray<string>, domainIn: (company: Company) => Domain) =>
    Effect.flatMap(company, (own) => rpc.rows(model, domainIn(own), fields, { company: own.id }))

  const journals = yield* cached(
    Effect.fnUntraced(function* (code: string) {
      const [journal] = yield* idsIn(yield* rows("account.journal", ["id"], () => [["code", "=", code]]))
      return journal?.id ?? (yield* noJournal(code))
    })
  )
  const periods = yield* cached(
    Effect.fnUntraced(function* (date: string) {
      const [period] = yield* idsIn(yield* rows("account.period", ["id"], openAt(date)))
      return period?.id ?? (yield* noPeriod(date))
    })
  )
  const accounts = yield* cached(
    Effect.fnUntraced(function* (code: string) {
      const found = yield* accountsIn(yield* rows("account.account", ["party_required"], codedAs(code)))
      return yield* only(found, "account", "code", code)
    })
  )
  const parties = yield* cached(
    Effect.fnUntraced(function* (name: string) {
      const found = yield* idsIn(yield* rows("party.party", ["id"], () => [["name", "=", name]]))
      return (yield* only(found, "party", "name", name)).id
    })
  )

  const idsOf = Effect.fnUntraced(function* ({ account: code, counterparty }: VoucherLine) {
    const account = yield* Cache.get(accounts, code)
    if (!account.party_required) return { account: account.id, party: null }
    if (counterparty === null) return yield* noCounterparty(code)
    return { account: account.id, party: yield* Cache.get(parties, counterparty.name) }
  })

  return {
    company,
    journal: Cache.get(journals, named.journal),
    period: (date) => Cache.get(periods, date),
    accounts: ({ lines }) =>
      Effect.forEach(lines, (line) => Effect.map(Cache.get(accounts, line.account), ({ id }) => id)),
    lines: ({ lines }) => Effect.forEach(lines, (line) => Effect.map(idsOf(line), (ids) => ({ line, ids })))
  } satisfies TrytonNames as TrytonNames
})

/** Other accounts take no entries. */
const codedAs =
  (code: string) =>
  ({ id }: Company): Domain => [
    ["code", "=", code],
    ["company", "=", id],
    ["type", "!=", null],
    ["closed", "!=", true]
  ]

const openAt =
  (date: string) =>
  ({ id }: Company): Domain => [
    ["fiscalyear.company", "=", id],
    ["type", "=", "standard"],
    ["state", "=", "open"],
    ["start_date", "<=", dayOf(date)],
    ["end_date", ">=", dayOf(date)]
  ]

/** Tryton shows the records of these. */
const seenBy = (preferences: unknown): Effect.Effect<ReadonlyArray<number>, TrytonError> =>
  Option.match(readPreferences(preferences), {
    onNone: () => Effect.fail(unreadable("the companies of its user")),
    onSome: ({ companies, company, company_filter: filter }) => {
      if (filter === "all") return Effect.succeed(companies)
      return Effect.succeed(company === undefined || company === null ? [] : [company])
    }
  })

const onlyCompany = (found: ReadonlyArray<typeof Company.Type>, name: string | null): Asked<Company> => {
  const [company, ...others] = found
  if (company === undefined)
    return Effect.fail(
      unavailable(
        name === null
          ? "siteledger's user in Tryton has no current company: choose one."
          : `siteledger's user in Tryton sees no company "${name}": make it the user's current company, or correct SITELEDGER_TRYTON_PARTY.`
      )
    )
  if (others.length > 0)
    return Effect.fail(
      unavailable("siteledger's user in Tryton sees several companies: set SITELEDGER_TRYTON_PARTY to the name of one.")
    )
  const { code, digits } = company["currency."]
  return Effect.succeed({ id: company.id, currency: code, digits })
}

const only = <A>(
  found: ReadonlyArray<A>,
  what: string,
  field: string,
  value: string
): Effect.Effect<A, TrytonError> => {
  const [one, ...others] = found
  if (one === undefined)
    return Effect.fail(
      refused(
        `Tryton has no active ${what} with the ${field} "${value}": add it there, or change it in the ledger's file.`
      )
    )
  return others.length === 0
    ? Effect.succeed(one)
    : Effect.fail(
        refused(`Tryton has ${found.length} records with the ${field} "${value}" (${what}): give each its own.`)
      )
}

const noJournal = (code: string): TrytonError =>
  unavailable(
    `Tryton has no active journal with the code "${code}": add it there, or correct SITELEDGER_TRYTON_JOURNAL.`
  )

const noPeriod = (date: string): TrytonError =>
  refused(`Tryton has no open period that contains ${date}: open it there, and replay this entry.`)

const noCounterparty = (account: string): TrytonError =>
  refused(`Tryton wants a party on account ${account}: name a customer or vendor for it in the ledger's file.`)
