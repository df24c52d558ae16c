/**
 * The phase in words, and every active reason with what to do about it, the most serious first.
 */
import type { StatusReport } from "../../Api.ts"
import { Prose, Pill, type Tone } from "../../parts/Text.tsx"
import { Age } from "../../parts/Time.tsx"
import { titleOf } from "../../Questions.ts"
import { to } from "../../Router.ts"

type PhaseName = StatusReport["phase"]

const phases: Readonly<Record<PhaseName, { readonly word: string; readonly tone: Tone; readonly sentence: string }>> = {
  starting: {
    word: "Starting",
    tone: "idle",
    sentence: "The worker is starting: it creates its tables and opens its listeners."
  },
  backfilling: {
    word: "Copying",
    tone: "wait",
    sentence: "The lists are being read for the first time. Deliveries are taken and applied meanwhile."
  },
  live: { word: "Live", tone: "good", sentence: "Every delivery is applied, and every list has been read." },
  "catching-up": {
    word: "Catching up",
    tone: "wait",
    sentence: "Deliveries are stored faster than they are applied, for example after the worker was down. None is lost."
  },
  degraded: { word: "Degraded", tone: "bad", sentence: "Something is wrong. Each reason says what to do." }
}

export const Phase = ({ phase }: { readonly phase: PhaseName }) => (
  <Pill tone={phases[phase].tone}>{phases[phase].word}</Pill>
)

type Reason = StatusReport["reasonDetails"][number]

const tones: Readonly<Record<Reason["level"], Tone>> = { critical: "bad", degraded: "wait", notice: "idle" }

/** Where the reader can see more about it, or act on it. */
const placeOf = (key: string): readonly [href: string, words: string] | undefined => {
  if (key === "open holds") return [to.holds, "See the holds"]
  if (key === "quarantined money") return [`${to.deliveries}?outcome=quarantined`, "See the quarantine"]
  return key === "dead messages" ? [to.outbox, "See the outbox"] : undefined
}

const One = ({ reason: { key, level, sentence, since, toDo } }: { readonly reason: Reason }) => {
  const place = placeOf(key)
  return (
    <li class={tones[level]}>
      <div class="said">
        <Pill tone={tones[level]}>{level}</Pill>
        <p>
          <Prose>{sentence}</Prose>
        </p>
        <span class="since">
          for <Age at={since} isSpan />
        </span>
      </div>
      <p class="to-do">
        <b>What to do:</b> <Prose>{toDo}</Prose> {place === undefined ? null : <a href={place[0]}>{place[1]}</a>}
      </p>
    </li>
  )
}

export const Reasons = ({ status }: { readonly status: StatusReport }) => {
  const { oldestHold } = status.ledger
  return (
    <section aria-label="State">
      <p class="lead">
        {phases[status.phase].sentence}
        {status.reasonDetails.length === 0 && status.ledger.holds === 0 ? " Nothing needs you." : ""}
      </p>
      {oldestHold === null || status.reasonDetails.some(({ key }) => key === "open holds") ? null : (
        <p class="note">
          {status.ledger.holds === 1 ? "One payment waits" : `${status.ledger.holds} payments wait`} for a decision; the
          oldest since <Age at={oldestHold.since} />: <a href={to.ipc(oldestHold.ipcId)}>{oldestHold.ipcId}</a>,{" "}
          {titleOf(oldestHold.reason).toLowerCase()}. <a href={to.holds}>Decide</a>
        </p>
      )}
      {status.reasonDetails.length === 0 ? null : (
        <ul class="reasons" aria-label="Reasons">
          {status.reasonDetails.map((reason) => (
            <One key={reason.key} reason={reason} />
          ))}
        </ul>
      )}
    </section>
  )
}
