/**
 * What a decision would do to the books as they are now: the entries with their lines, what is open of the IPC, and
 * what would still wait.
 */
import type { Answer, Payload } from "../Api.ts"
import { money } from "../Format.ts"
import { titleOf } from "../Questions.ts"
import { Problem, useAsked, Waiting } from "./Asked.tsx"
import { type Column, Table } from "./Table.tsx"
import { Amount } from "./Text.tsx"

type Of = Answer<"ledger-foresee">
type Entry = Of["entries"][number]

interface Line {
  readonly account: string
  readonly debit: string
  readonly credit: string
  readonly currency: string | null
}

const Side = ({ amount, currency }: { readonly amount: string; readonly currency: string | null }) =>
  /[1-9]/.test(amount) ? <Amount amount={amount} currency={currency} /> : <span class="soft">–</span>

const columns: ReadonlyArray<Column<Line>> = [
  { title: "Account", cell: ({ account }) => account },
  { title: "Debit", kind: "amount", cell: ({ currency, debit }) => <Side amount={debit} currency={currency} /> },
  { title: "Credit", kind: "amount", cell: ({ credit, currency }) => <Side amount={credit} currency={currency} /> }
]

const Posted = ({
  entry: { amount, currency, ipc_id: ipc, kind, lines, posting_date: day }
}: {
  readonly entry: Entry
}) => (
  <>
    <p>
      Posts <b>{kind}</b> {money(amount, currency)} for IPC {ipc}
      {day === null ? "" : ` on ${day}`}:
    </p>
    <Table
      caption={`Lines of the ${kind}`}
      columns={columns}
      rows={lines.map((line) => ({ ...line, currency }))}
      keyOf={({ account }) => account}
    />
  </>
)

const Holds = ({ holds, isOfOthers }: { readonly holds: Of["held"]; readonly isOfOthers?: boolean }) => (
  <ul>
    {holds.map((hold) => (
      <li key={hold.hold_id}>
        {isOfOthers === true ? `${hold.ipc_id}: ` : ""}
        {titleOf(hold.reason)}
        {hold.amount === null ? "" : `, ${money(hold.amount, hold.currency)}`}
      </li>
    ))}
  </ul>
)

const Effects = ({ of: { after, before, entries, held, opened }, ipc }: { readonly of: Of; readonly ipc: string }) => {
  const elsewhere = opened.filter(({ ipc_id }) => ipc_id !== ipc)
  const currency = entries[0]?.currency ?? held[0]?.currency ?? null
  const text = (amount: string | null): string => (amount === null ? "not known" : money(amount, currency))
  return (
    <>
      {entries.length === 0 ? <p>It posts nothing.</p> : entries.map((entry, at) => <Posted key={at} entry={entry} />)}
      <p>
        Open for the IPC: {text(before.open)} now, <b>{text(after.open)}</b> afterwards.
      </p>
      {held.length === 0 ? (
        <p>Afterwards, nothing of the IPC waits.</p>
      ) : (
        <>
          <p>What waits of the IPC afterwards:</p>
          <Holds holds={held} />
        </>
      )}
      {elsewhere.length === 0 ? null : (
        <>
          <p>Holds that it opens for other IPCs:</p>
          <Holds holds={elsewhere} isOfOthers />
        </>
      )}
    </>
  )
}

interface Foreseen {
  readonly decision: Payload<"ledger-foresee">
  /** What the decision is about. */
  readonly ipc: string
}

export const Foreseen = ({ decision, ipc }: Foreseen) => {
  const { again, answer, isAsking, sentence } = useAsked("ledger-foresee", decision)
  return (
    <section class="foreseen" aria-label="What it does to the books" aria-busy={isAsking}>
      {sentence !== undefined ? (
        <Problem sentence={sentence} again={again} />
      ) : // What it was at an earlier look may have changed.
      answer === undefined || isAsking ? (
        <Waiting lines={3} />
      ) : (
        <Effects of={answer} ipc={ipc} />
      )}
    </section>
  )
}
