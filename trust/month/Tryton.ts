/**
 * North's books in Tryton: a real one, whose own trial balance is used; or its stand-in where trytond isn't installed.
 */
import type { Dice } from "../../sandbox/Seed.ts"
import { password as realPassword, RealTryton } from "../../test/connectors/tryton/RealTryton.ts"
import { password, StandIn, user } from "../../test/connectors/tryton/StandIn.ts"
import * as Decimal from "./Decimal.ts"
import { accounts, type Calendar, customer, north } from "./Firm.ts"
import { Gate } from "./Gate.ts"
import { type CodeLine, type Held, holding, type System } from "./Systems.ts"

export { missing } from "../../test/connectors/tryton/RealTryton.ts"

interface Money {
  readonly decimal: string
}

interface Sides {
  readonly debit: Money
  readonly credit: Money
}

interface Account {
  readonly "account.": { readonly code: string | null }
}

interface Move {
  readonly state: string
  readonly description: string
  readonly "lines.": ReadonlyArray<Account & Sides>
}

const unitsOf = ({ credit, debit }: Sides): bigint => Decimal.read(debit.decimal) - Decimal.read(credit.decimal)

const lineOf = (line: Account & Sides): CodeLine => ({ code: line["account."].code ?? "", units: unitsOf(line) })

const markIn = (description: string): string | undefined => /\[siteledger ([0-9a-f]{32})\]/.exec(description)?.[1]

const fields = ["state", "description", ...["account.code", "debit", "credit"].map((name) => `lines.${name}`)]

/** A lost request can leave an empty draft, which affects no balance (docs/accounting/tryton.md). */
const isEmptyDraft = (move: Move): boolean => move.state === "draft" && move["lines."].length === 0

/** Posted moves only, as a bookkeeper requests it. */
const trialBalance = async (tryton: RealTryton): Promise<ReadonlyMap<string, bigint>> => {
  const sums = new Map<string, bigint>()
  for (const fiscalyear of tryton.fiscalyears) {
    const named = ["account.code", "debit", "credit"]
    const rows = await tryton.rows<Account & Sides>("account.general_ledger.account", [], named, {
      fiscalyear,
      posted: true
    })
    for (const { code, units } of rows.map(lineOf)) sums.set(code, (sums.get(code) ?? 0n) + units)
  }
  return sums
}

const heldBy = async (tryton: RealTryton): Promise<Held> => {
  const moves = await tryton.rows<Move>("account.move", [], fields)
  return holding(
    moves
      .filter((move) => !isEmptyDraft(move))
      .map((move) => ({
        id: markIn(move.description),
        isPosted: move.state === "posted",
        lines: move["lines."].map(lineOf)
      })),
    [],
    await trialBalance(tryton)
  )
}

const environmentOf = (gate: Gate, database: string, secret: string) => ({
  SITELEDGER_TRYTON_URL: `${gate.origin}/${database}`,
  SITELEDGER_TRYTON_USER: user,
  SITELEDGER_TRYTON_PASSWORD: secret,
  SITELEDGER_TRYTON_JOURNAL: "CASH",
  SITELEDGER_TRYTON_PARTY: north.name,
  SITELEDGER_TRYTON_COMPANY: north.name,
  SITELEDGER_TRYTON_CURRENCY: "EUR"
})

const gateTo = (target: URL, dice: Dice): Promise<Gate> =>
  Gate.open({
    target,
    dice,
    requests: 6,
    isEntry: ({ body }) => /"method":"model\.account\.move\.(create|write|post)"/.test(body),
    // A request that Tryton carries out after siteledger has given up may leave two empty drafts, which a person has to
    // delete.
    spared: () => ["late"]
  })

/** Setting it up for the first time takes a minute. */
export const openReal = async ({ years }: Calendar, dice: Dice): Promise<System> => {
  const tryton = await RealTryton.open({ years })
  const gate = await gateTo(tryton.url, dice)
  return {
    name: "Tryton",
    ledger: { company: north, currency: "EUR" },
    gate,
    environment: () => environmentOf(gate, tryton.url.pathname.slice(1), realPassword),
    held: () => heldBy(tryton),
    close: async () => {
      gate.close()
      await tryton.close()
    }
  }
}

const monthsOf = (years: ReadonlyArray<number>) =>
  years.flatMap((year) =>
    Array.from({ length: 12 }, (_, month) => ({
      start: new Date(Date.UTC(year, month, 1)),
      end: new Date(Date.UTC(year, month + 1, 0))
    }))
  )

const dateOf = (date: Date) => ({
  __class__: "date",
  year: date.getUTCFullYear(),
  month: date.getUTCMonth() + 1,
  day: date.getUTCDate()
})

export const openStandIn = async ({ years }: Calendar, dice: Dice): Promise<System> => {
  const server = await StandIn.start()
  const gate = await gateTo(server.url, dice)
  const company = { id: 1 }
  server.books.tables["account.period"] = monthsOf(years).map(({ end, start }, index) => ({
    id: 100 + index,
    type: "standard",
    state: "open",
    fiscalyear: { id: start.getUTCFullYear(), company },
    start_date: dateOf(start),
    end_date: dateOf(end)
  }))
  const ids = new Map(Object.values(accounts).map((code, index) => [60 + index, code]))
  server.books.tables["account.account"] = [...ids].map(([id, code]) => ({
    id,
    code,
    company,
    type: 9,
    party_required: code === accounts["receivable"]
  }))
  server.books.tables["party.party"] = [{ id: 31, name: customer }]
  return {
    name: "Tryton's stand-in",
    ledger: { company: north, currency: "EUR" },
    gate,
    environment: () => environmentOf(gate, "books", password),
    held: () =>
      Promise.resolve(
        holding(
          server.books.filled.map(({ description, lines, state }) => ({
            id: markIn(description),
            isPosted: state === "posted",
            lines: lines.map((line) => ({ code: ids.get(line.account) ?? "", units: unitsOf(line) }))
          })),
          server.books.complaints
        )
      ),
    close: async () => {
      gate.close()
      await server.close()
    }
  }
}
