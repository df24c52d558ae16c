/**
 * Times in which the receiver was down. A gap that no retry of the service heals stays open until a person says that
 * the missed deliveries have been seen to, and how.
 */
import { useState } from "preact/hooks"
import { ask, Refused, type StatusReport } from "../../Api.ts"
import { count } from "../../Format.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { Field } from "../../parts/Field.tsx"
import { Pill } from "../../parts/Text.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { At } from "../../parts/Time.tsx"
import { useMay } from "../../Session.ts"

type Gap = StatusReport["gaps"][number]

const gapColumns: ReadonlyArray<Column<Gap>> = [
  { title: "From", cell: ({ from }) => <At at={from} /> },
  { title: "To", cell: ({ to }) => <At at={to} /> },
  {
    title: "State",
    cell: ({ healsAt, isLost }) =>
      isLost || healsAt === null ? (
        <Pill tone="bad">lost</Pill>
      ) : (
        <>
          <Pill tone="wait">healing</Pill> by <At at={healsAt} />
        </>
      )
  },
  {
    title: "Came since",
    kind: "number",
    cell: ({ cameLate }) => (cameLate === null ? <span class="soft">–</span> : count(cameLate))
  }
]

const Close = ({ gap: { from, to }, onClose }: { readonly gap: Gap; readonly onClose: () => void }) => {
  const [reason, setReason] = useState("")
  const close = async (): Promise<void> => {
    if (reason.trim() !== "") return void (await ask("close-gap", { from, reason: reason.trim() }))
    throw new Refused(0, "Say how it was dealt with: auditors read it.")
  }
  return (
    <Confirm title="Close this gap?" does="Close it" act={close} onClose={onClose}>
      <p class="effect">
        No more deliveries are expected from the time between <At at={from} /> and <At at={to} />: those that were
        missed have been dealt with, or don't matter.
      </p>
      <Field
        id="gap-reason"
        label="How it was dealt with"
        hint="For example: replayed in the service's administration."
        kind="prose"
        value={reason}
        problem={undefined}
        onChange={setReason}
      />
    </Confirm>
  )
}

export const Gaps = ({ status: { gaps } }: { readonly status: StatusReport }) => {
  const mayOperate = useMay("operate")
  const [closing, setClosing] = useState<Gap>()
  const action: Column<Gap> = {
    title: "Close",
    kind: "action",
    cell: (gap) =>
      gap.isLost || gap.healsAt === null ? (
        <button type="button" class="small" onClick={() => setClosing(gap)}>
          Close …<span class="hidden"> the gap from {gap.from}</span>
        </button>
      ) : null
  }
  return (
    <section aria-labelledby="gaps">
      <h2 id="gaps">Gaps</h2>
      {gaps.length === 0 ? (
        <p class="note">None: the receiver has been up, or every delivery that it missed has come since.</p>
      ) : (
        <Table
          caption="Times in which the receiver was down"
          columns={mayOperate ? [...gapColumns, action] : gapColumns}
          rows={gaps}
          keyOf={({ from }) => from}
        />
      )}
      {closing === undefined ? null : <Close gap={closing} onClose={() => setClosing(undefined)} />}
    </section>
  )
}
