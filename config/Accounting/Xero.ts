/**
 * The variables of Xero, which takes entries as manual journals (docs/accounting/xero.md).
 */
import { type Redacted, Result } from "effect"
import * as Address from "../Address.ts"
import * as Parse from "../Parse.ts"
import { all, type Fields, optional, preset, secret } from "../Variable.ts"
import { company, currency, type Given, ifSet, needed, orNull, type Taken } from "./Given.ts"

export const xero = {
  clientId: optional(
    "SITELEDGER_XERO_CLIENT_ID",
    "Client id of a custom connection to Xero (if not set, entries don't go to Xero).",
    Parse.plain,
    "0123456789ABCDEF0123456789ABCDEF"
  ),
  clientSecret: secret(
    "SITELEDGER_XERO_CLIENT_SECRET",
    "Its client secret; required with the id.",
    Parse.secret,
    "change-me-please"
  ),
  tenantId: optional(
    "SITELEDGER_XERO_TENANT_ID",
    "Tenant id of the organisation; required with the id.",
    Parse.plain,
    "2c9f6e2a-5e0d-4a53-9a0e-5b1c6f0d7e11"
  ),
  company: company("SITELEDGER_XERO_COMPANY", "Xero"),
  currency: optional("SITELEDGER_XERO_CURRENCY", "Currency of its books; required with the id.", currency, "EUR"),
  url: preset("SITELEDGER_XERO_URL", "Xero's API.", Address.sink, "https://api.xero.com/api.xro/2.0"),
  tokenUrl: preset(
    "SITELEDGER_XERO_TOKEN_URL",
    "Address of Xero's token endpoint.",
    Address.sink,
    "https://identity.xero.com/connect/token"
  )
}

export interface Xero extends Taken {
  readonly kind: "xero"
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  readonly tenantId: string
  readonly url: URL
  readonly tokenUrl: URL
}

export const xeroOf = (fields: Fields<typeof xero>): Given<Xero> =>
  ifSet(fields.clientId, () =>
    Result.map(
      all({
        ...fields,
        company: orNull(fields.company),
        clientId: needed(fields.clientId, xero.clientId, xero.clientId),
        clientSecret: needed(fields.clientSecret, xero.clientSecret, xero.clientId),
        tenantId: needed(fields.tenantId, xero.tenantId, xero.clientId),
        currency: needed(fields.currency, xero.currency, xero.clientId)
      }),
      (found) => ({ kind: "xero" as const, ...found })
    )
  )
