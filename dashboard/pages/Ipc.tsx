/**
 * One IPC: what is open of it, what its row says and since when, and its history as a timeline.
 */
import { useEffect, useState } from "preact/hooks"
import type { Answer } from "../Api.ts"
import { money } from "../Format.ts"
import { Empty, Loaded, useAsked } from "../parts/Asked.tsx"
import { isInstant } from "../parts/Evidence.tsx"
import { type Column, Facts, Table } from "../parts/Table.tsx"
import { Amount } from "../parts/Text.tsx"
import { Age, At } from "../parts/Time.tsx"
import { titleOf } from "../Questions.ts"
import { to } from "../Router.ts"
import { idIn, textIn } from "../Rows.ts"
import { arrived } from "../Stream.ts"
import { type Current, currentOf, timelineOf } from "../Timeline.ts"
import { Moments } from "./Ipc/Moments.tsx"

type Explained = Answer<"explain">

/** The rows of the books name the currency; the balance doesn't. */
const currencyOf = ({ entries, holds }: Explained): string | null => {
  const row = [...entries.toReversed(), ...holds].find((each) => textIn(each, "currency") !== null)
  return row === undefined ? null : textIn(row, "currency")
}

/** The form in which the warehouse writes amounts, and nothing else. */
const isAmount = (value: string): boolean => /^-?\d+\.\d{4}$/.test(value)

const Value = ({ value }: { readonly value: string }) => {
  if (isInstant(value)) return <At at={value} isFull />
  return isAmount(value) ? <span title={value}>{money(value, null)}</span> : <>{value}</>
}

const columns: ReadonlyArray<Column<Current>> = [
  { title: "Column", cell: ({ name }) => <code>{name}</code> },
  { title: "Value", kind: "wide", cell: ({ value }) => <Value value={value} /> },
  { title: "As of", cell: ({ at }) => <At at={at} never="–" /> },
  {
    title: "Said by",
    cell: ({ at, delivery }) =>
      at === null ? (
        <span class="soft">–</span>
      ) : delivery === null ? (
        <span class="soft">a list or a look-up</span>
      ) : (
        <a href={to.delivery(delivery)}>delivery {delivery}</a>
      )
  }
]

const Balance = ({
  currency,
  of: { certified, due, open, paid }
}: {
  readonly of: Explained["balance"]
  readonly currency: string | null
}) => (
  <dl class="figures balance">
    {(
      [
        ["Certified", certified],
        ["Due", due],
        ["Paid", paid],
        ["Open", open]
      ] as const
    ).map(([name, amount]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>
          <Amount amount={amount} currency={amount === null ? null : currency} />
        </dd>
      </div>
    ))}
  </dl>
)

const One = ({ explained }: { readonly explained: Explained }) => {
  const currency = currencyOf(explained)
  const current = currentOf(explained)
  const { row } = explained
  return (
    <>
      {explained.holds.length === 0 ? null : (
        <p class="notice wait">
          Waits for a decision:{" "}
          {explained.holds.map((hold, at) => (
            <>
              {at === 0 ? "" : ", "}
              <a key={idIn(hold, "hold_id")} href={to.hold(idIn(hold, "hold_id"))}>
                {titleOf(idIn(hold, "reason"))}
              </a>
            </>
          ))}
        </p>
      )}
      <Balance of={explained.balance} currency={currency} />
      <h2>
        What happened{" "}
        <small>
          <a href={to.entriesOf(explained.ipc)}>its entries</a> ·{" "}
          <a href={to.deliveriesOf(explained.ipc)}>its newest deliveries</a>
        </small>
      </h2>
      <Moments moments={timelineOf(explained)} currency={currency} />
      <h2>Its row now</h2>
      {row === null ? (
        <Empty>It has no row: neither a list nor a delivery has mentioned it.</Empty>
      ) : (
        <>
          <Table caption="Columns of the IPC's row" columns={columns} rows={current} keyOf={({ name }) => name} />
          <Facts
            of={[
              ["First seen", <Age key="seen" at={textIn(row, "_first_seen_at")} />],
              ["Changed", <Age key="changed" at={textIn(row, "_changed_at")} />],
              [
                "No longer listed",
                textIn(row, "_deleted_at") === null ? null : <At key="gone" at={textIn(row, "_deleted_at")} />
              ]
            ]}
          />
        </>
      )}
    </>
  )
}

/** Milliseconds. A delivery's entries are posted soon after it. */
const settling = 1500

/** Increases some time after a delivery about the IPC has come. */
const useComing = (id: string): number => {
  const [count, setCount] = useState(0)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let last = arrived.value.at(-1)?.sequence ?? 0
    const end = arrived.watch((events) => {
      const isAboutIt = events.some(
        (event) => event.sequence > last && event.entity === "ipcs" && event.entity_id === id
      )
      last = events.at(-1)?.sequence ?? last
      if (isAboutIt) timer = setTimeout(() => setCount((before) => before + 1), settling)
    })
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [id])
  return count
}

export const IpcView = ({ id }: { readonly id: string }) => {
  const asked = useAsked("explain", { ipc: id }, useComing(id))
  return (
    <>
      <p class="trail">
        <a href={to.entries}>Ledger</a> / IPC
      </p>
      <h1>{/^IPC/i.test(id) ? id : `IPC ${id}`}</h1>
      <Loaded asked={asked}>{(explained) => <One explained={explained} />}</Loaded>
    </>
  )
}
