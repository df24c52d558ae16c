/**
 * The books: the entries of the journal, newest first, or a single entry. The holds and the outbox are next to it.
 */
import { useState } from "preact/hooks"
import type { Answer } from "../Api.ts"
import { useCell } from "../Cell.ts"
import { counted } from "../Format.ts"
import { Empty, Loaded, useAsked } from "../parts/Asked.tsx"
import { Filter, Filters } from "../parts/Filters.tsx"
import { Ipc, Tabs } from "../parts/Books.tsx"
import { More } from "../parts/More.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Amount, shortId } from "../parts/Text.tsx"
import { At } from "../parts/Time.tsx"
import { place, to } from "../Router.ts"
import { accountsOf, idIn, type Row, textIn } from "../Rows.ts"
import { live } from "../Stream.ts"

const columns: ReadonlyArray<Column<Row>> = [
  { title: "Number", kind: "number", cell: (row) => row["sequence"] },
  {
    title: "Date",
    cell: (row) => textIn(row, "posting_date") ?? <At at={textIn(row, "effective_at")} />
  },
  { title: "IPC", cell: (row) => <Ipc row={row} /> },
  { title: "Kind", cell: (row) => row["kind"] },
  {
    title: "Amount",
    kind: "amount",
    cell: (row) => <Amount amount={textIn(row, "amount")} currency={textIn(row, "currency")} />
  },
  { title: "Debit / credit", cell: accountsOf },
  { title: "Payment", kind: "wide", cell: (row) => row["payment_reference"] },
  { title: "Posted", cell: (row) => <At at={textIn(row, "known_at")} /> },
  {
    title: "Entry",
    cell: (row) => (
      <a href={to.entry(idIn(row, "entry_id"))}>
        <code>{shortId(idIn(row, "entry_id"))}</code>
      </a>
    )
  }
]

interface Journal {
  readonly answer: Answer<"ledger-list">
  readonly ipc: string | undefined
  readonly again: () => void
  readonly more: () => void
}

const Journal = ({ again, answer: { rows, total }, ipc, more }: Journal) => {
  const entries = useCell(live, ({ status }) => status?.ledger.entries)
  // The worker doesn't count the entries of one IPC.
  const fresh = ipc === undefined && entries !== undefined ? Math.max(0, entries - total) : 0
  return (
    <>
      <div class="tools tail">
        {fresh === 0 ? null : (
          <button type="button" class="fresh" onClick={again}>
            {counted(fresh, "new entry", "new entries")}: show
          </button>
        )}
      </div>
      {rows.length === 0 ? (
        <Empty>
          {ipc === undefined ? (
            "Nothing is posted yet. A payment is posted as soon as its IPC is paid and what is due for it is known."
          ) : (
            <>
              Nothing is posted for IPC {ipc}. <a href={to.entries}>Show all entries</a>
            </>
          )}
        </Empty>
      ) : (
        <Table
          caption="Entries of the journal, the newest first"
          class="entries"
          columns={columns}
          rows={rows}
          keyOf={(row) => idIn(row, "entry_id")}
        />
      )}
      <More shown={rows.length} total={total} nouns={["entry", "entries"]} onMore={more} />
    </>
  )
}

const usual = 100

export const Entries = () => {
  const ipc = useCell(place, ({ query }) => query.get("ipc") ?? undefined)
  const [limit, setLimit] = useState(usual)
  const asked = useAsked("ledger-list", { limit, ...(ipc === undefined ? {} : { ipc }) })
  return (
    <>
      <h1>Ledger</h1>
      <Tabs />
      <Filters isAsking={asked.isAsking}>
        <Filter name="ipc" label="IPC" placeholder="like IPC-7" />
      </Filters>
      <Loaded asked={asked}>
        {(answer) => <Journal answer={answer} ipc={ipc} again={asked.again} more={() => setLimit(limit * 5)} />}
      </Loaded>
    </>
  )
}
