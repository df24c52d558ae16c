/**
 * One record: each of its fields with its value and what said it, and the deliveries about it.
 */
import type { Answer } from "../Api.ts"
import { Empty, Loaded, useAsked } from "../parts/Asked.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Outcome } from "../parts/Text.tsx"
import { At } from "../parts/Time.tsx"
import { to } from "../Router.ts"
import { Cell } from "./Records/Cell.tsx"

type Found = Answer<"record">
type Field = Found["fields"][number]
type Told = NonNullable<Found["deliveries"]>[number]

const others: Readonly<Record<NonNullable<Field["said"]>["by"], string>> = {
  event: "an event",
  "look-up": "a look-up",
  read: "a page of the list",
  absence: "two passes that no longer saw it"
}

const Said = ({ said }: Field) => {
  if (said === null) return <span class="soft">–</span>
  return said.sequence === null ? (
    <span title={`version ${said.version}`}>{others[said.by]}</span>
  ) : (
    <a href={to.delivery(said.sequence)} title={`version ${said.version}`}>
      {said.event_type ?? `delivery ${said.sequence}`}
    </a>
  )
}

const fieldColumns: ReadonlyArray<Column<Field>> = [
  { title: "Field", cell: ({ name, says }) => <code title={says ?? ""}>{name}</code> },
  {
    title: "Value",
    kind: "wide",
    cell: ({ misfit, type, value }) =>
      misfit === null ? (
        <Cell type={type ?? ""} value={value} />
      ) : (
        <>
          <span class="wait-text">doesn't fit its column:</span> {misfit}
        </>
      )
  },
  { title: "As of", cell: ({ said }) => <At at={said?.at ?? null} never="–" /> },
  { title: "Said by", cell: (field) => <Said {...field} /> }
]

const toldColumns: ReadonlyArray<Column<Told>> = [
  { title: "Received", cell: (told) => <At at={told.received_at} /> },
  { title: "Number", kind: "number", cell: ({ sequence }) => <a href={to.delivery(sequence)}>{sequence}</a> },
  { title: "Type", cell: (told) => told.event_type ?? <span class="soft">unknown</span> },
  { title: "Happened", cell: (told) => <At at={told.event_timestamp} never="not said" /> },
  { title: "Outcome", cell: ({ outcome, reason }) => <Outcome outcome={outcome} reason={reason} /> }
]

const One = ({ found: { deliveries, fields, hasOlder, id, table } }: { readonly found: Found }) => (
  <>
    {fields.length === 0 ? (
      <Empty>
        Neither a list nor a delivery has mentioned {id} of {table}.
      </Empty>
    ) : (
      <Table caption={`Fields of ${id}`} columns={fieldColumns} rows={fields} keyOf={({ name }) => name} />
    )}
    <h2>Deliveries about it</h2>
    {deliveries === null ? (
      <p class="note">There are too many events to find them in a short time: ask for them with SQL.</p>
    ) : deliveries.length === 0 ? (
      <p class="note">None.</p>
    ) : (
      <Table
        caption="Deliveries about the record, the newest first"
        columns={toldColumns}
        rows={deliveries}
        keyOf={({ sequence }) => sequence}
      />
    )}
    {hasOlder ? <p class="note">There are older ones.</p> : null}
  </>
)

export const RecordView = ({ id, table }: { readonly id: string; readonly table: string }) => {
  const asked = useAsked("record", { table, id })
  return (
    <>
      <p class="trail">
        <a href={to.tables}>Records</a> / <a href={to.records(table)}>{table}</a>
      </p>
      <h1>{id}</h1>
      {table === "ipcs" ? (
        <p>
          <a href={to.ipc(id)}>Its books, as a timeline</a>
        </p>
      ) : null}
      <Loaded asked={asked}>{(found) => <One found={found} />}</Loaded>
    </>
  )
}
