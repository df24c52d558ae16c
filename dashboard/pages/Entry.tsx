/**
 * One entry of the journal: what it moves, what it is based on, and how it gets to the accounting system.
 */
import { useEffect } from "preact/hooks"
import type { Answer } from "../Api.ts"
import { Evidence } from "../parts/Evidence.tsx"
import { Loaded, useAsked } from "../parts/Asked.tsx"
import { type Column, Facts, Table } from "../parts/Table.tsx"
import { Amount, Copy, Pill, type Tone } from "../parts/Text.tsx"
import { At } from "../parts/Time.tsx"
import { go, to } from "../Router.ts"
import { objectsIn, saidIn } from "../Rows.ts"

type Shown = Answer<"ledger-show">

interface Line {
  readonly account: string
  readonly debit: string | null
  readonly credit: string | null
  readonly currency: string | null
}

/** One of the two sides is zero. */
const side = (amount: string | null, currency: string | null) =>
  amount === null || /^[0.]+$/.test(amount) ? "" : <Amount amount={amount} currency={currency} />

const lineColumns: ReadonlyArray<Column<Line>> = [
  { title: "Account", cell: ({ account }) => account },
  { title: "Debit", kind: "amount", cell: ({ currency, debit }) => side(debit, currency) },
  { title: "Credit", kind: "amount", cell: ({ credit, currency }) => side(credit, currency) }
]

const linesOf = (shown: Shown): ReadonlyArray<Line> =>
  objectsIn(shown["lines"]).map((line) => ({
    account: saidIn(line, "account") ?? "",
    debit: saidIn(line, "debit"),
    credit: saidIn(line, "credit"),
    currency: saidIn(shown, "currency")
  }))

const states: Readonly<Record<string, readonly [words: string, tone: Tone]>> = {
  pending: ["on its way", "wait"],
  delivered: ["delivered", "good"],
  dead: ["refused", "bad"]
}

const Sent = ({ shown }: { readonly shown: Shown }) => {
  const [delivery] = objectsIn([shown["delivery"]])
  if (delivery === undefined) return <p class="note">It was never queued for an accounting system.</p>
  const [words, tone] = states[saidIn(delivery, "state") ?? ""] ?? [saidIn(delivery, "state") ?? "", "idle"]
  return (
    <Facts
      of={[
        [
          "State",
          <Pill key="state" tone={tone}>
            {words}
          </Pill>
        ],
        ["Sent as", saidIn(delivery, "status")],
        ["Queued", <At key="queued" isFull at={saidIn(delivery, "queued_at")} />],
        ["Delivered", <At key="delivered" isFull at={saidIn(delivery, "delivered_at")} never="not yet" />],
        ["Last answer", saidIn(delivery, "last_error")]
      ]}
    />
  )
}

const One = ({ shown }: { readonly shown: Shown }) => {
  const currency = saidIn(shown, "currency")
  const ipc = saidIn(shown, "ipc_id") ?? ""
  const id = saidIn(shown, "entry_id") ?? ""
  const reverses = saidIn(shown, "reverses")
  return (
    <>
      <Facts
        of={[
          ["Amount", <Amount key="amount" amount={saidIn(shown, "amount")} currency={currency} />],
          [
            "IPC",
            <a key="ipc" href={to.ipc(ipc)}>
              {ipc}
            </a>
          ],
          ["Project", saidIn(shown, "project_id")],
          ["Payment", saidIn(shown, "payment_reference")],
          ["Posting date", saidIn(shown, "posting_date")],
          ["Money moved", <At key="moved" isFull at={saidIn(shown, "effective_at")} />],
          ["Posted", <At key="posted" isFull at={saidIn(shown, "known_at")} />],
          [
            "Takes back",
            reverses === null ? null : (
              <a key="reverses" href={to.entry(reverses)}>
                {reverses}
              </a>
            )
          ],
          ["Certificate", saidIn(shown, "certificate_url")],
          [
            "Entry id",
            <>
              <code>{id}</code> <Copy text={id} what="the entry's id" />
            </>
          ]
        ]}
      />
      <h2>Lines</h2>
      <Table
        caption="What the entry moves on each account"
        class="lines"
        columns={lineColumns}
        rows={linesOf(shown)}
        keyOf={({ account }) => account}
      />
      <h2>Accounting</h2>
      <Sent shown={shown} />
      <Evidence shown={shown} />
    </>
  )
}

export const EntryView = ({ id }: { readonly id: string }) => {
  const asked = useAsked("ledger-show", { id })
  const { answer } = asked
  // The ids of holds look the same.
  const hold = answer === undefined ? null : saidIn(answer, "hold_id")
  useEffect(() => {
    if (hold !== null) go(to.hold(hold), true)
  }, [hold])
  return (
    <>
      <p class="trail">
        <a href={to.entries}>Ledger</a> / entry {answer === undefined ? "" : saidIn(answer, "sequence")}
      </p>
      <h1 class="capital">{answer === undefined ? "Entry" : (saidIn(answer, "kind") ?? "Entry")}</h1>
      <Loaded asked={asked}>{(shown) => <One shown={shown} />}</Loaded>
    </>
  )
}
