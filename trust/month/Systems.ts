/**
 * The accounting systems of the firm, one for each of its ledgers: Tryton for North, Xero and QuickBooks Online (their
 * stand-ins) for South, in euros and in dollars. Their contents are read from them as any user would, never from
 * siteledger.
 */
import type { Environment } from "../../bench/WorkerProcess.ts"
import type { Gate } from "./Gate.ts"
import type { Ledger } from "./Firm.ts"

/** A line of an entry: the system's account code, and the debited amount. */
export interface CodeLine {
  readonly code: string
  readonly units: bigint
}

export interface Held {
  /** Debit minus credit, by account code. */
  readonly balances: ReadonlyMap<string, bigint>
  /** By siteledger's id. */
  readonly entries: ReadonlyMap<string, ReadonlyArray<CodeLine>>
  /** Mistakes: an entry that is there twice, or a draft. */
  readonly complaints: ReadonlyArray<string>
}

export interface System {
  readonly name: string
  readonly ledger: Ledger
  readonly gate: Gate
  /** For a worker that sends to it. */
  readonly environment: () => Environment
  readonly held: () => Promise<Held>
  readonly close: () => Promise<void>
}

/** The lines of entries, and what is wrong with them; `balances`: the system's own, if it computes them. */
export const holding = (
  all: ReadonlyArray<{
    readonly id: string | undefined
    readonly isPosted: boolean
    readonly lines: ReadonlyArray<CodeLine>
  }>,
  own: ReadonlyArray<string>,
  balances?: ReadonlyMap<string, bigint>
): Held => {
  const entries = new Map<string, ReadonlyArray<CodeLine>>()
  const sums = new Map<string, bigint>()
  const complaints = [...own]
  for (const { id, isPosted, lines } of all) {
    if (id === undefined) complaints.push("it has an entry that names none of siteledger's")
    else if (entries.has(id)) complaints.push(`it has entry ${id} twice`)
    else entries.set(id, lines)
    if (!isPosted) complaints.push(`it has entry ${id} as a draft`)
    for (const { code, units } of lines) sums.set(code, (sums.get(code) ?? 0n) + units)
  }
  return { balances: balances ?? sums, entries, complaints }
}
