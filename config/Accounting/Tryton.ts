/**
 * The variables of a Tryton server, which takes entries as account moves (docs/accounting/tryton.md).
 */
import { type Redacted, Result } from "effect"
import * as Address from "../Address.ts"
import * as Parse from "../Parse.ts"
import { all, type Fields, optional, preset, secret } from "../Variable.ts"
import { company, currency, type Given, ifSet, needed, orNull, type Taken } from "./Given.ts"

export const tryton = {
  url: optional(
    "SITELEDGER_TRYTON_URL",
    "URL of a Tryton server, with its database as path (if not set, entries don't go to Tryton).",
    Address.sink,
    "https://tryton.example.com/books/"
  ),
  user: optional("SITELEDGER_TRYTON_USER", "Its user; required with the URL.", Parse.plain, "siteledger"),
  password: secret(
    "SITELEDGER_TRYTON_PASSWORD",
    "Its password; required with the URL.",
    Parse.secret,
    "change-me-please"
  ),
  party: optional(
    "SITELEDGER_TRYTON_PARTY",
    "Name of the company in Tryton (if not set, the only one that the user sees).",
    Parse.plain,
    "North Ltd"
  ),
  journal: preset("SITELEDGER_TRYTON_JOURNAL", "Code of the journal in Tryton.", Parse.plain, "CASH"),
  company: company("SITELEDGER_TRYTON_COMPANY", "Tryton"),
  currency: optional("SITELEDGER_TRYTON_CURRENCY", "Currency of its books; required with the URL.", currency, "EUR")
}

export interface Tryton extends Taken {
  readonly kind: "tryton"
  readonly url: URL
  readonly user: string
  readonly password: Redacted.Redacted
  readonly party: string | null
  readonly journal: string
}

export const trytonOf = (fields: Fields<typeof tryton>): Given<Tryton> =>
  ifSet(fields.url, () =>
    Result.map(
      all({
        ...fields,
        company: orNull(fields.company),
        party: orNull(fields.party),
        url: needed(fields.url, tryton.url, tryton.url),
        user: needed(fields.user, tryton.user, tryton.url),
        password: needed(fields.password, tryton.password, tryton.url),
        currency: needed(fields.currency, tryton.currency, tryton.url)
      }),
      (found) => ({ kind: "tryton" as const, ...found })
    )
  )
