/**
 * The variables of QuickBooks Online, which takes entries as journal entries (docs/accounting/quickbooks.md).
 */
import { type Redacted, Result } from "effect"
import * as Address from "../Address.ts"
import * as Parse from "../Parse.ts"
import { all, type Fields, optional, preset, secret } from "../Variable.ts"
import { company, currency, type Given, ifSet, needed, orNull, type Taken } from "./Given.ts"

export const quickBooks = {
  clientId: optional(
    "SITELEDGER_QUICKBOOKS_CLIENT_ID",
    "Client id of an app for QuickBooks Online (if not set, entries don't go to QuickBooks).",
    Parse.plain,
    "ABcdEf0123456789"
  ),
  clientSecret: secret(
    "SITELEDGER_QUICKBOOKS_CLIENT_SECRET",
    "Its client secret; required with the id.",
    Parse.secret,
    "change-me-please"
  ),
  realmId: optional(
    "SITELEDGER_QUICKBOOKS_REALM_ID",
    "The company's realm id; required with the id.",
    Parse.plain,
    "9130347596842384"
  ),
  refreshToken: secret(
    "SITELEDGER_QUICKBOOKS_REFRESH_TOKEN",
    "The first refresh token; required with the id. Later ones are kept in the store.",
    Parse.secret,
    "change-me-please"
  ),
  company: company("SITELEDGER_QUICKBOOKS_COMPANY", "QuickBooks"),
  currency: optional("SITELEDGER_QUICKBOOKS_CURRENCY", "Currency of its books; required with the id.", currency, "USD"),
  url: preset("SITELEDGER_QUICKBOOKS_URL", "QuickBooks' API.", Address.sink, "https://quickbooks.api.intuit.com"),
  tokenUrl: preset(
    "SITELEDGER_QUICKBOOKS_TOKEN_URL",
    "Address of Intuit's token endpoint.",
    Address.sink,
    "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer"
  )
}

export interface QuickBooks extends Taken {
  readonly kind: "quickBooks"
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  readonly realmId: string
  readonly refreshToken: Redacted.Redacted
  readonly url: URL
  readonly tokenUrl: URL
}

export const quickBooksOf = (fields: Fields<typeof quickBooks>): Given<QuickBooks> =>
  ifSet(fields.clientId, () =>
    Result.map(
      all({
        ...fields,
        company: orNull(fields.company),
        clientId: needed(fields.clientId, quickBooks.clientId, quickBooks.clientId),
        clientSecret: needed(fields.clientSecret, quickBooks.clientSecret, quickBooks.clientId),
        realmId: needed(fields.realmId, quickBooks.realmId, quickBooks.clientId),
        refreshToken: needed(fields.refreshToken, quickBooks.refreshToken, quickBooks.clientId),
        currency: needed(fields.currency, quickBooks.currency, quickBooks.clientId)
      }),
      (found) => ({ kind: "quickBooks" as const, ...found })
    )
  )
