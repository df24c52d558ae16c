/**
 * What happened to an IPC, moment by moment, each in words with a link to the details.
 */
import type { ComponentChildren } from "preact"
import { FactLine } from "../../parts/Evidence.tsx"
import { Amount, Outcome } from "../../parts/Text.tsx"
import { At } from "../../parts/Time.tsx"
import { titleOf } from "../../Questions.ts"
import { to } from "../../Router.ts"
import { accountsOf, idIn, kindOf, objectIn, type Row, textIn } from "../../Rows.ts"
import type { Kind, Moment } from "../../Timeline.ts"

const Delivered = ({ row }: { readonly row: Row }) => {
  const times = Number(row["deliveries"])
  const alarms = JSON.parse(textIn(row, "alarms") ?? "[]") as ReadonlyArray<string>
  return (
    <>
      <a href={to.delivery(idIn(row, "sequence"))}>{textIn(row, "event_type") ?? "unknown type"}</a>{" "}
      <Outcome outcome={idIn(row, "outcome")} reason={textIn(row, "reason")} />{" "}
      <span class="soft">
        happened <At at={textIn(row, "event_timestamp")} never="at a time that it doesn't say" />
        {times > 1 ? `, came ${times} times` : ""}
        {alarms.length === 0 ? "" : `, ${alarms.join(", ")}`}
      </span>
    </>
  )
}

const Learned = ({ currency, row }: { readonly row: Row; readonly currency: string | null }) => {
  const { preceding: _nested, ...content } = objectIn(row, "content")
  const flat = Object.fromEntries(Object.entries(content).filter(([, value]) => typeof value !== "object"))
  return (
    <>
      {kindOf(row["kind"])}{" "}
      <span class="soft">
        <FactLine fact={flat} currency={currency} />
      </span>
    </>
  )
}

const Posted = ({ row }: { readonly row: Row }) => (
  <>
    <a href={to.entry(idIn(row, "entry_id"))}>{row["kind"]}</a> of{" "}
    <b>
      <Amount amount={textIn(row, "amount")} currency={textIn(row, "currency")} />
    </b>{" "}
    <span class="soft">
      {accountsOf(row)}, payment {row["payment_reference"]}
    </span>
  </>
)

const Held = ({ row }: { readonly row: Row }) => (
  <>
    <a href={to.hold(idIn(row, "hold_id"))}>{titleOf(idIn(row, "reason"))}</a>{" "}
    {textIn(row, "amount") === null ? null : (
      <Amount amount={textIn(row, "amount")} currency={textIn(row, "currency")} />
    )}
  </>
)

const verdicts: Readonly<Record<string, string>> = {
  accept: "accepted by",
  reject: "rejected by",
  answered: "answered by later facts"
}

const Decided = ({ row }: { readonly row: Row }) => (
  <>
    {titleOf(idIn(row, "reason"))}: {verdicts[idIn(row, "verdict")] ?? row["verdict"]} {row["decided_by"]}{" "}
    <span class="soft">{textIn(row, "why") === null ? "" : `“${idIn(row, "why")}”`}</span>
  </>
)

const words: Readonly<Record<Kind, string>> = {
  delivery: "Delivery",
  fact: "Fact",
  decision: "Decision",
  entry: "Entry",
  hold: "Waits"
}

const What = ({
  currency,
  moment: { kind, row }
}: {
  readonly moment: Moment
  readonly currency: string | null
}): ComponentChildren => {
  if (kind === "delivery") return <Delivered row={row} />
  if (kind === "fact") return <Learned row={row} currency={currency} />
  if (kind === "entry") return <Posted row={row} />
  return kind === "hold" ? <Held row={row} /> : <Decided row={row} />
}

export const Moments = ({
  currency,
  moments
}: {
  readonly moments: ReadonlyArray<Moment>
  readonly currency: string | null
}) => (
  <ol class="timeline">
    {moments.map((moment) => (
      <li key={moment.key} class={moment.kind}>
        <At at={moment.at} />
        <span class="kind">{words[moment.kind]}</span>
        <div>
          <What moment={moment} currency={currency} />
        </div>
      </li>
    ))}
  </ol>
)
