/**
 * The holds that wait for a decision, the oldest first.
 */
import { useState } from "preact/hooks"
import { useCell } from "../Cell.ts"
import { Empty, Loaded, useAsked, useCalm } from "../parts/Asked.tsx"
import { Filter, Filters } from "../parts/Filters.tsx"
import { Ipc, Tabs } from "../parts/Books.tsx"
import { More } from "../parts/More.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Amount } from "../parts/Text.tsx"
import { Age } from "../parts/Time.tsx"
import { titleOf } from "../Questions.ts"
import { place, to } from "../Router.ts"
import { idIn, type Row, textIn } from "../Rows.ts"
import { live } from "../Stream.ts"

const columns: ReadonlyArray<Column<Row>> = [
  { title: "Waits", cell: (row) => <Age at={textIn(row, "since")} isSpan /> },
  { title: "IPC", cell: (row) => <Ipc row={row} /> },
  {
    title: "Question",
    kind: "wide",
    cell: (row) => <a href={to.hold(idIn(row, "hold_id"))}>{titleOf(idIn(row, "reason"))}</a>
  },
  {
    title: "Amount in question",
    kind: "amount",
    cell: (row) => <Amount amount={textIn(row, "amount")} currency={textIn(row, "currency")} />
  },
  { title: "Payment", kind: "wide", cell: (row) => row["payment_reference"] }
]

const usual = 200
const calmMs = 2000

export const Holds = () => {
  const ipc = useCell(place, ({ query }) => query.get("ipc") ?? undefined)
  const [limit, setLimit] = useState(usual)
  const holds = useCalm(
    useCell(live, ({ status }) => status?.ledger.holds ?? 0),
    calmMs
  )
  const asked = useAsked("ledger-holds", { limit, ...(ipc === undefined ? {} : { ipc }) }, holds)
  return (
    <>
      <h1>Ledger</h1>
      <Tabs />
      <Filters isAsking={asked.isAsking}>
        <Filter name="ipc" label="IPC" placeholder="like IPC-7" />
      </Filters>
      <Loaded asked={asked}>
        {({ rows, total }) =>
          rows.length === 0 ? (
            <Empty>
              {ipc === undefined ? "Nothing waits for a decision." : `Nothing of IPC ${ipc} waits for a decision.`}
            </Empty>
          ) : (
            <>
              <Table
                caption="Holds, the oldest first"
                class="holds"
                columns={columns}
                rows={rows}
                keyOf={(row) => idIn(row, "hold_id")}
              />
              <More shown={rows.length} total={total} nouns={["hold", "holds"]} onMore={() => setLimit(limit * 5)} />
            </>
          )
        }
      </Loaded>
    </>
  )
}
