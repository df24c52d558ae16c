/**
 * South's books in dollars, in the stand-in of QuickBooks Online: the balances are the sums of its journal entries.
 */
import type { Dice } from "../../sandbox/Seed.ts"
import { client, realmId, StandIn } from "../../test/connectors/quickbooks/StandIn.ts"
import type { Account } from "../../test/connectors/quickbooks/Rules.ts"
import * as Decimal from "./Decimal.ts"
import { accounts, customer, south } from "./Firm.ts"
import { Gate } from "./Gate.ts"
import { holding, type System } from "./Systems.ts"

const types: Readonly<Record<string, string>> = {
  bank: "Bank",
  receivable: "Accounts Receivable",
  revenue: "Income",
  charges: "Expense"
}

const accountOf = ([name, code]: readonly [string, string], index: number): Account => ({
  Id: String(31 + index),
  AcctNum: code,
  Name: name,
  FullyQualifiedName: name,
  AccountType: types[name] ?? "Other Current Asset",
  Active: true
})

export const open = async (dice: Dice): Promise<System> => {
  const server = await StandIn.start()
  server.currencies.home = "USD"
  server.lists = {
    Account: Object.entries(accounts).map(accountOf),
    Customer: [{ Id: "7", DisplayName: customer, FullyQualifiedName: customer, Active: true }],
    Vendor: [],
    Class: [],
    Department: []
  }
  const isToken = (path: string) => path.includes("tokens")
  const gate = await Gate.open({
    target: new URL(server.origin),
    dice,
    requests: 3,
    isEntry: ({ method, path }) => method === "POST" && !isToken(path),
    // Each refresh token is issued once, so after a lost answer a person would have to authorize it again.
    spared: ({ path }) => (isToken(path) ? ["lost", "late", "silent"] : [])
  })
  const codeOf = (id: string) => server.lists.Account.find(({ Id }) => Id === id)?.AcctNum ?? id
  return {
    name: "QuickBooks' stand-in",
    ledger: { company: south, currency: "USD" },
    gate,
    environment: () => ({
      SITELEDGER_QUICKBOOKS_CLIENT_ID: client.id,
      SITELEDGER_QUICKBOOKS_CLIENT_SECRET: client.secret,
      SITELEDGER_QUICKBOOKS_REALM_ID: realmId,
      // As if a person had authorized it again, in case the newest token was lost with a worker.
      SITELEDGER_QUICKBOOKS_REFRESH_TOKEN: server.refresh,
      SITELEDGER_QUICKBOOKS_COMPANY: south.name,
      SITELEDGER_QUICKBOOKS_CURRENCY: "USD",
      SITELEDGER_QUICKBOOKS_URL: gate.origin,
      SITELEDGER_QUICKBOOKS_TOKEN_URL: `${gate.origin}/oauth2/v1/tokens/bearer`
    }),
    held: () =>
      Promise.resolve(
        holding(
          server.entries.map(({ entry }) => ({
            id: /siteledger ([0-9a-f]{32})/.exec(entry.PrivateNote)?.[1],
            isPosted: true,
            lines: entry.Line.map(({ Amount, JournalEntryLineDetail: { AccountRef, PostingType } }) => ({
              code: codeOf(AccountRef.value),
              units: PostingType === "Debit" ? Decimal.read(Amount) : -Decimal.read(Amount)
            }))
          })),
          server.complaints
        )
      ),
    close: async () => {
      gate.close()
      await server[Symbol.asyncDispose]()
    }
  }
}
