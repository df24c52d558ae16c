/**
 * What a decision would do, for people before they decide: `--dry-run` of `accept` and `reject`.
 */
import { Effect } from "effect"
import type { Answer, Payload } from "../../src/Operate/AdminApi.ts"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { toggle } from "../Options.ts"
import * as Said from "../Said.ts"

type Foreseen = Answer<"ledger-foresee">
type Hold = Foreseen["held"][number]

export const dryRun = toggle("dry-run", "Only show what that would post and hold; nothing is recorded")

const amountOf = (amount: string | null, currency: string | null): string =>
  [amount ?? "(not known)", ...(currency === null ? [] : [currency])].join(" ")

const entryLines = ({ amount, currency, ipc_id, kind, lines, payment_reference }: Foreseen["entries"][number]) => [
  `Would post ${kind} ${amountOf(amount, currency)} for IPC ${ipc_id}, payment ${payment_reference}`,
  ...lines.map(
    ({ account, credit, debit }) => `  ${account}: ${/[1-9]/.test(debit) ? `debit ${debit}` : `credit ${credit}`}`
  )
]

const holdLine =
  (what: string) =>
  ({ amount, currency, hold_id, ipc_id, reason }: Hold): string =>
    `${what} hold ${hold_id} of IPC ${ipc_id}: ${reason}${amount === null ? "" : `, ${amountOf(amount, currency)}`}`

const page = ({ after, before, closed, entries, held, opened }: Foreseen): ReadonlyArray<string> => {
  const isNew = ({ hold_id }: Hold): boolean => opened.some((each) => each.hold_id === hold_id)
  return [
    ...(entries.length === 0 ? ["Would post nothing."] : entries.flatMap(entryLines)),
    ...closed.map(holdLine("Would close")),
    ...opened.map(holdLine("Would open")),
    ...held.filter((each) => !isNew(each)).map(holdLine("Still waits:")),
    `Open for the IPC: ${before.open ?? "(not known)"} now, ${after.open ?? "(not known)"} afterwards`
  ]
}

export const foreseen = (
  { by, hold, verdict, ...given }: Payload<"ledger-foresee"> & { readonly reason?: string },
  asJson: boolean
) => {
  const { reason: _, ...amounts } = given
  const payload = { hold, verdict, ...amounts, ...(by === undefined ? {} : { by }) }
  return Effect.flatMap(ask("ledger-foresee", payload, Alone.books), Said.answer(asJson, page))
}
