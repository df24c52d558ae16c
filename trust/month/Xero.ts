/**
 * South's books in euros, in Xero's stand-in: the balances are the sums of the manual journals that it lists as posted.
 */
import type { Dice } from "../../sandbox/Seed.ts"
import { StandIn } from "../../test/connectors/xero/StandIn.ts"
import * as Decimal from "./Decimal.ts"
import { accounts, south } from "./Firm.ts"
import { Gate } from "./Gate.ts"
import { holding, type System } from "./Systems.ts"

interface Journal {
  readonly Narration: string
  readonly Status: string
  readonly JournalLines: ReadonlyArray<{ readonly AccountCode: string; readonly LineAmount: string }>
}

const listed = async (server: StandIn): Promise<ReadonlyArray<Journal>> => {
  const credentials = Buffer.from(`${server.clientId}:${server.clientSecret}`).toString("base64")
  const granted = await fetch(`${server.origin}/connect/token`, {
    method: "POST",
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: server.scope })
  })
  const { access_token: token } = (await granted.json()) as { readonly access_token: string }
  const headers = { authorization: `Bearer ${token}`, "xero-tenant-id": server.tenantId, accept: "application/json" }
  const all: Array<Journal> = []
  for (let page = 1; ; page++) {
    const url = `${server.origin}/api.xro/2.0/ManualJournals?page=${page}&order=ManualJournalID%20ASC`
    const body = Decimal.parse(await (await fetch(url, { headers })).text())
    const { ManualJournals: some } = body as { readonly ManualJournals: ReadonlyArray<Journal> }
    if (some.length === 0) return all
    all.push(...some)
  }
}

export const open = async (dice: Dice): Promise<System> => {
  const server = new StandIn()
  await server.open()
  // Bank accounts and receivables take no manual journals in Xero: these codes are clearing accounts.
  for (const code of Object.values(accounts)) server.journals.accounts.set(code, "CURRENT")
  const gate = await Gate.open({
    target: new URL(server.origin),
    dice,
    requests: 1,
    isEntry: ({ method }) => method === "PUT"
  })
  return {
    name: "Xero's stand-in",
    ledger: { company: south, currency: "EUR" },
    gate,
    environment: () => ({
      SITELEDGER_XERO_CLIENT_ID: server.clientId,
      SITELEDGER_XERO_CLIENT_SECRET: server.clientSecret,
      SITELEDGER_XERO_TENANT_ID: server.tenantId,
      SITELEDGER_XERO_COMPANY: south.name,
      SITELEDGER_XERO_CURRENCY: "EUR",
      SITELEDGER_XERO_URL: `${gate.origin}/api.xro/2.0`,
      SITELEDGER_XERO_TOKEN_URL: `${gate.origin}/connect/token`
    }),
    held: async () =>
      holding(
        (await listed(server)).map(({ JournalLines, Narration, Status }) => ({
          id: /\[siteledger ([0-9a-f]{32})\]$/.exec(Narration)?.[1],
          isPosted: Status === "POSTED",
          lines: JournalLines.map(({ AccountCode, LineAmount }) => ({
            code: AccountCode,
            units: Decimal.read(LineAmount)
          }))
        })),
        server.complaints
      ),
    close: async () => {
      gate.close()
      await server.close()
    }
  }
}
