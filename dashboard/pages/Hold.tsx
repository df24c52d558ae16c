/**
 * One hold: its question, its evidence, and the form to answer it. Once it is answered, the page says what the answer
 * posted, and links to the hold that has waited longest.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Answer } from "../Api.ts"
import { counted, money } from "../Format.ts"
import { Loaded, useAsked } from "../parts/Asked.tsx"
import { Decide } from "../parts/Decide.tsx"
import { Evidence } from "../parts/Evidence.tsx"
import { Facts } from "../parts/Table.tsx"
import { Amount, Prose } from "../parts/Text.tsx"
import { Age, At } from "../parts/Time.tsx"
import { onPage, titleOf } from "../Questions.ts"
import { to } from "../Router.ts"
import { idIn, saidIn } from "../Rows.ts"
import { useMay } from "../Session.ts"

type Posted = Answer<"ledger-accept">

const Next = ({ but }: { readonly but: string }) => {
  const asked = useAsked("ledger-holds", { limit: 2 })
  const next = asked.answer?.rows.find((row) => row["hold_id"] !== but)
  if (asked.answer === undefined) return null
  return next === undefined ? (
    <p>Nothing else waits for a decision.</p>
  ) : (
    <p>
      Next: <a href={to.hold(idIn(next, "hold_id"))}>{titleOf(idIn(next, "reason"))}</a>, IPC {idIn(next, "ipc_id")}. Or
      back to <a href={to.holds}>all holds</a>.
    </p>
  )
}

interface Done {
  readonly hold: string
  readonly currency: string | null
  readonly posted: Posted
}

const Done = ({ currency, hold, posted: { closed, opened, posted } }: Done) => {
  const notice = useRef<HTMLDivElement>(null)
  // The form that had the focus is gone.
  useEffect(() => notice.current?.focus(), [])
  const others = closed.filter(({ hold_id: id }) => id !== hold)
  return (
    <div class="notice good" role="status" tabIndex={-1} ref={notice}>
      <p>
        <b>Your decision is recorded.</b> {posted.length === 0 ? "It posts nothing." : ""}
      </p>
      {posted.map(({ amount, entry_id: id, kind }) => (
        <p key={id}>
          Posted: <a href={to.entry(id)}>{kind}</a> of{" "}
          {amount === undefined ? "an amount with too many digits" : money(amount, currency)}
        </p>
      ))}
      {opened.map(({ hold_id: id, reason }) => (
        <p key={id}>
          It opened another hold: <a href={to.hold(id)}>{titleOf(reason)}</a>
        </p>
      ))}
      {others.length === 0 ? null : <p>It answers {counted(others.length, "other hold")} as well.</p>}
      <Next but={hold} />
    </div>
  )
}

const Question = ({ shown }: { readonly shown: Answer<"ledger-show"> }) => {
  const currency = saidIn(shown, "currency")
  const amount = saidIn(shown, "amount")
  const lookedUp = saidIn(shown, "looked_up")
  const ipc = saidIn(shown, "ipc_id") ?? ""
  return (
    <>
      <p class="question">
        <Prose>{onPage(saidIn(shown, "question") ?? "")}</Prose>
      </p>
      {lookedUp === null ? null : (
        <p>
          <b>Looked up:</b> <Prose>{lookedUp}</Prose>
        </p>
      )}
      <Facts
        of={[
          [
            "IPC",
            <a key="ipc" href={to.ipc(ipc)}>
              {ipc}
            </a>
          ],
          ["Payment", saidIn(shown, "payment_reference")],
          ["Amount in question", amount === null ? null : <Amount key="amount" amount={amount} currency={currency} />],
          [
            "Waits",
            <>
              <Age at={saidIn(shown, "since")} isSpan />, since <At at={saidIn(shown, "since")} />
            </>
          ]
        ]}
      />
    </>
  )
}

export const HoldView = ({ id }: { readonly id: string }) => {
  const asked = useAsked("ledger-show", { id })
  const [posted, setPosted] = useState<Posted>()
  const mayDecide = useMay("decide")
  const reason = asked.answer === undefined ? null : saidIn(asked.answer, "reason")
  return (
    <>
      <p class="trail">
        <a href={to.entries}>Ledger</a> / <a href={to.holds}>Holds</a>
      </p>
      <h1>{reason === null ? "Hold" : titleOf(reason)}</h1>
      {posted === undefined ? null : (
        <Done
          hold={id}
          posted={posted}
          currency={asked.answer === undefined ? null : saidIn(asked.answer, "currency")}
        />
      )}
      <Loaded asked={asked}>
        {(shown) => (
          <>
            <Question shown={shown} />
            <div class="beside">
              {posted !== undefined ? null : mayDecide ? (
                <Decide hold={shown} onDone={setPosted} />
              ) : (
                <p class="note">You may read this; answering it needs the role “decide”.</p>
              )}
              <div>
                <Evidence shown={shown} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </>
  )
}
