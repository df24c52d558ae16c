/**
 * One delivery: its bytes as they came, and what became of it. There may be several under one id, if a sender used it
 * for different bodies.
 */
import type { Answer } from "../Api.ts"
import { counted, size } from "../Format.ts"
import { Empty, Loaded, useAsked } from "../parts/Asked.tsx"
import { Json } from "../parts/Json.tsx"
import { type Column, Facts, Table } from "../parts/Table.tsx"
import { Amount, Copy, Outcome, shortId } from "../parts/Text.tsx"
import { At } from "../parts/Time.tsx"
import { to } from "../Router.ts"

type Delivery = Answer<"delivery">["deliveries"][number]
type Entry = Delivery["entries"][number]
type Header = Delivery["headers"][number]

const headerColumns: ReadonlyArray<Column<Header & { readonly at: number }>> = [
  { title: "Name", cell: ({ name }) => <code>{name}</code> },
  { title: "Value", kind: "wide", cell: ({ value }) => <code>{value}</code> }
]

const entryColumns: ReadonlyArray<Column<Entry>> = [
  {
    title: "Entry",
    cell: ({ entry_id: id }) => (
      <a href={to.entry(id)}>
        <code>{shortId(id)}</code>
      </a>
    )
  },
  { title: "Kind", cell: ({ kind }) => kind },
  { title: "Amount", kind: "amount", cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} /> },
  { title: "Payment", cell: (entry) => entry.payment_reference }
]

const bytesIn = (base64: string): number => (base64.length / 4) * 3 - (/=*$/.exec(base64)?.[0].length ?? 0)

const Body = ({ delivery: { body, bodyBase64 } }: { readonly delivery: Delivery }) => {
  if (bodyBase64 === null) return <Empty>The body is lost: the page Now says which part of the inbox is damaged.</Empty>
  if (body !== null) return <Json text={body} />
  return (
    <>
      <p class="note">It isn't text: {size(bytesIn(bodyBase64))}, here in Base64, as signed.</p>
      <pre tabIndex={0}>{bodyBase64.slice(0, 20_000)}</pre>
    </>
  )
}

const Record = ({ delivery: { entity, entity_id: id } }: { readonly delivery: Delivery }) => {
  if (entity === null || id === null) return <span class="soft">none</span>
  return entity === "ipcs" ? <a href={to.ipc(id)}>{id}</a> : `${entity} ${id}`
}

const Changed = ({ delivery: { columns, entries } }: { readonly delivery: Delivery }) => (
  <>
    <h2>What it changed</h2>
    {columns.length === 0 ? (
      <p class="note">
        No column of its record still has its value: newer events have set all of them, or it set none.
      </p>
    ) : (
      <p>
        Columns that still have its values:{" "}
        {columns.map((column, at) => (
          <>
            {at === 0 ? "" : ", "}
            <code key={column}>{column}</code>
          </>
        ))}
      </p>
    )}
    <h2>Entries that rest on it</h2>
    {entries.length === 0 ? (
      <p class="note">None.</p>
    ) : (
      <Table
        caption="Entries based on this delivery"
        columns={entryColumns}
        rows={entries}
        keyOf={(entry) => entry.entry_id}
      />
    )}
  </>
)

const One = ({ delivery }: { readonly delivery: Delivery }) => (
  <article>
    <Facts
      of={[
        ["Outcome", <Outcome key="outcome" outcome={delivery.outcome} reason={delivery.reason} />],
        ["Why", delivery.reason],
        ["Remarks", delivery.alarms.join(", ")],
        ["About", <Record key="record" delivery={delivery} />],
        ["Happened", <At key="happened" isFull at={delivery.event_timestamp} never="not said" />],
        ["Sent", <At key="sent" isFull at={delivery.issued_at} never="not said" />],
        ["Received", <At key="received" isFull at={delivery.received_at} />],
        ["Came", delivery.deliveries === 1 ? "once" : counted(delivery.deliveries, "time")],
        [
          "Event id",
          <>
            <code>{delivery.event_id}</code> <Copy text={delivery.event_id} what="the event id" />
          </>
        ],
        ["SHA-256 of the body", <code key="sha">{delivery.body_sha256}</code>]
      ]}
    />
    <Changed delivery={delivery} />
    <h2>Body</h2>
    <Body delivery={delivery} />
    <h2>Headers</h2>
    {delivery.headers.length === 0 ? (
      <p class="note">They weren't kept.</p>
    ) : (
      <Table
        caption="Headers in the order in which they came"
        class="headers"
        columns={headerColumns}
        rows={delivery.headers.map((header, at) => ({ ...header, at }))}
        keyOf={({ at }) => at}
      />
    )}
  </article>
)

export const DeliveryView = ({ id }: { readonly id: string }) => {
  const asked = useAsked("delivery", { id })
  const first = asked.answer?.deliveries[0]
  return (
    <>
      <p class="trail">
        <a href={to.deliveries}>Deliveries</a> / {first?.sequence ?? id}
      </p>
      <h1>{first === undefined ? `Delivery ${id}` : (first.event_type ?? "Delivery of an unknown type")}</h1>
      <Loaded asked={asked}>
        {({ deliveries }) => (
          <>
            {deliveries.length > 1 ? (
              <p class="notice wait">{deliveries.length} different bodies came under this id. All of them are shown.</p>
            ) : null}
            {deliveries.map((delivery) => (
              <One key={delivery.sequence} delivery={delivery} />
            ))}
          </>
        )}
      </Loaded>
    </>
  )
}
