/**
 * The form that answers a hold. It asks for what the answer needs, says what is missing beside its field, and asks for
 * confirmation before the answer takes effect.
 */
import { useState } from "preact/hooks"
import { type Answer, ask } from "../Api.ts"
import { money } from "../Format.ts"
import { answerableOf, problemOf, titleOf } from "../Questions.ts"
import { saidIn } from "../Rows.ts"
import { usePrincipal } from "../Session.ts"
import { Confirm } from "./Confirm.tsx"
import { Field } from "./Field.tsx"
import { Foreseen } from "./Foreseen.tsx"

type Shown = Answer<"ledger-show">
type Verdict = "accept" | "reject"

interface Decide {
  readonly hold: Shown
  readonly onDone: (posted: Answer<"ledger-accept">) => void
}

interface Typed {
  readonly verdict: Verdict
  readonly amount: string
  readonly currency: string
  readonly reason: string
  readonly by: string
}

type Problems = Partial<Record<keyof Typed, string>>

const textOf = (hold: Shown, name: string): string => saidIn(hold, name) ?? ""

const problemsOf = (typed: Typed, reason: string): Problems => {
  const { amount, takesCurrency } = answerableOf(reason) ?? {}
  const isAccepted = typed.verdict === "accept"
  const wrongAmount = isAccepted && amount !== undefined ? problemOf(typed.amount.trim(), amount) : undefined
  return {
    ...(wrongAmount === undefined ? {} : { amount: wrongAmount }),
    ...(isAccepted && takesCurrency === true && !/^[A-Z]{3}$/.test(typed.currency.trim())
      ? { currency: "Write the currency as three letters, like EUR." }
      : {}),
    ...(typed.reason.trim() === "" ? { reason: "Say why: auditors read it." } : {}),
    ...(typed.by.trim() === "" ? { by: "Say who decides." } : {})
  }
}

/** The amount and currency, as far as the question asks for them. */
const moneyIn = (hold: Shown, { amount, currency, verdict }: Typed) => {
  const { amount: kind, takesCurrency } = answerableOf(textOf(hold, "reason")) ?? {}
  if (verdict === "reject") return {}
  return {
    ...(kind === undefined ? {} : { amount: amount.trim() }),
    ...(takesCurrency === true ? { currency: currency.trim() } : {})
  }
}

const decide = (hold: Shown, typed: Typed) => {
  const decision = { hold: textOf(hold, "hold_id"), by: typed.by.trim(), reason: typed.reason.trim() }
  if (typed.verdict === "reject") return ask("ledger-reject", decision)
  return ask("ledger-accept", { ...decision, ...moneyIn(hold, typed) })
}

const foreseenOf = (hold: Shown, typed: Typed) => ({
  hold: textOf(hold, "hold_id"),
  verdict: typed.verdict,
  by: typed.by.trim(),
  ...moneyIn(hold, typed)
})

/** The effect of the decision, in a sentence. */
const effectOf = (hold: Shown, { amount, currency, verdict }: Typed): string => {
  const answerable = answerableOf(textOf(hold, "reason"))
  if (answerable === undefined) return "The worker does what its question says."
  if (verdict === "reject") return answerable.rejected ?? ""
  const given =
    answerable.amount === undefined ? currency.trim() : money(amount.trim(), textOf(hold, "currency") || null)
  return answerable.accepted.replace("$", () => given)
}

const Asked = ({ hold, onClose, onDone, typed }: Decide & { readonly typed: Typed; readonly onClose: () => void }) => (
  <Confirm
    title={typed.verdict === "accept" ? "Accept this?" : "Reject this?"}
    does={typed.verdict === "accept" ? "Accept" : "Reject"}
    isDanger={typed.verdict === "reject"}
    onClose={onClose}
    act={async () => onDone(await decide(hold, typed))}
  >
    <p>
      {titleOf(textOf(hold, "reason"))}, IPC <b>{textOf(hold, "ipc_id")}</b>, payment{" "}
      <b>{textOf(hold, "payment_reference")}</b>.
    </p>
    <p class="effect">{effectOf(hold, typed)}</p>
    <Foreseen decision={foreseenOf(hold, typed)} ipc={textOf(hold, "ipc_id")} />
    <p>
      It is recorded permanently that <b>{typed.by.trim()}</b> decided this: “{typed.reason.trim()}”.
    </p>
  </Confirm>
)

const Verdicts = ({
  onChoose,
  rejected,
  verdict
}: {
  readonly verdict: Verdict
  readonly rejected: string | undefined
  readonly onChoose: (verdict: Verdict) => void
}) => (
  <div class="verdicts">
    {(["accept", "reject"] as const).map((each) => (
      <label key={each}>
        <input
          type="radio"
          name="verdict"
          checked={verdict === each}
          disabled={each === "reject" && rejected === undefined}
          onChange={() => onChoose(each)}
        />
        {each === "accept" ? "Accept" : "Reject"}
      </label>
    ))}
    {rejected === undefined ? <span class="note">A payment that was made can't be rejected.</span> : null}
  </div>
)

export const Decide = ({ hold, onDone }: Decide) => {
  const principal = usePrincipal()
  const [typed, setTyped] = useState<Typed>({ verdict: "accept", amount: "", currency: "", reason: "", by: principal })
  const [problems, setProblems] = useState<Problems>({})
  const [isAsking, setAsking] = useState(false)
  const answerable = answerableOf(textOf(hold, "reason"))
  const change = (change: Partial<Typed>): void => setTyped({ ...typed, ...change })
  const submit = (event: Event): void => {
    event.preventDefault()
    const found = problemsOf(typed, textOf(hold, "reason"))
    setProblems(found)
    const [first] = Object.keys(found)
    if (first === undefined) setAsking(true)
    else document.querySelector<HTMLElement>(`#decide-${first}`)?.focus()
  }
  const field = (name: "amount" | "currency" | "reason" | "by") => ({
    id: `decide-${name}`,
    value: typed[name],
    problem: problems[name],
    onChange: (value: string) => change({ [name]: value })
  })
  const currency = textOf(hold, "currency")
  const isAccepted = typed.verdict === "accept"
  return (
    <form class="panel decide" aria-labelledby="decide" noValidate onSubmit={submit}>
      <h2 id="decide">Your answer</h2>
      <Verdicts
        verdict={typed.verdict}
        rejected={answerable === undefined ? "" : answerable.rejected}
        onChoose={(verdict) => change({ verdict })}
      />
      {isAccepted && answerable?.amount !== undefined ? (
        <Field
          {...field("amount")}
          label={`Amount${currency === "" ? "" : ` in ${currency}`}`}
          hint="Like 1234.50"
          kind="amount"
        />
      ) : null}
      {isAccepted && answerable?.takesCurrency === true ? (
        <Field {...field("currency")} label="Currency" hint="Like EUR" kind="currency" />
      ) : null}
      <Field
        {...field("reason")}
        label="Reason"
        hint="What you saw, and where: “certificate 12, page 3”"
        kind="prose"
      />
      <Field {...field("by")} label="Decided by" hint="Your name, as auditors should read it" />
      <p>
        <button type="submit" class={isAccepted ? "primary" : "danger"}>
          {isAccepted ? "Accept …" : "Reject …"}
        </button>
      </p>
      {isAsking ? <Asked hold={hold} typed={typed} onDone={onDone} onClose={() => setAsking(false)} /> : null}
    </form>
  )
}
