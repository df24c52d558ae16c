/**
 * Messages that the accounting system refused permanently, with its reason, and a way to send them again once the cause
 * is fixed.
 */
import { useState } from "preact/hooks"
import { type Answer, ask } from "../Api.ts"
import { useCell } from "../Cell.ts"
import { count, counted, span } from "../Format.ts"
import { Empty, Loaded, useAsked, useCalm } from "../parts/Asked.tsx"
import { Confirm } from "../parts/Confirm.tsx"
import { Tabs } from "../parts/Books.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { shortId } from "../parts/Text.tsx"
import { Age } from "../parts/Time.tsx"
import { to } from "../Router.ts"
import { useMay } from "../Session.ts"
import { live } from "../Stream.ts"

type Dead = Answer<"sink-dead">[number]

const columns: ReadonlyArray<Column<Dead>> = [
  { title: "Number", kind: "number", cell: ({ sequence }) => sequence },
  {
    title: "Entry",
    cell: ({ entry_id: id }) => (
      <a href={to.entry(id)}>
        <code>{shortId(id)}</code>
      </a>
    )
  },
  { title: "IPC", cell: ({ ipc_id: id }) => <a href={to.ipc(id)}>{id}</a> },
  { title: "Why", kind: "wide", cell: ({ reason }) => reason },
  { title: "Waiting behind it", kind: "number", cell: (dead) => count(dead.waiting_behind) },
  { title: "Queued", cell: (dead) => <Age at={dead.queued_at} /> }
]

const State = () => {
  const sink = useCell(live, ({ status }) => status?.ledger.sink)
  if (sink === undefined) return null
  if (sink === null) return <p class="lead">No accounting system is configured, so entries stay here.</p>
  return (
    <p class="lead">
      {sink.backlog === 0
        ? "Every entry that isn't refused has been delivered."
        : `${counted(sink.backlog, "entry is", "entries are")} on the way, the oldest for ${span(sink.oldestPendingAgeMs)}.`}
    </p>
  )
}

/** Undefined: all of them. */
const Replay = ({
  dead,
  onClose,
  onDone
}: {
  readonly dead: Dead | undefined
  readonly onClose: () => void
  readonly onDone: (replayed: number) => void
}) => (
  <Confirm
    title={dead === undefined ? "Send all of them again?" : `Send entry ${dead.sequence} again?`}
    does="Send again"
    onClose={onClose}
    act={async () => onDone((await ask("sink-replay", dead === undefined ? {} : { entry: dead.entry_id })).replayed)}
  >
    <p class="effect">
      {dead === undefined
        ? "Every refused entry is sent to the accounting system again, each under the same idempotency key as before."
        : `The entry is sent to the accounting system again, under the same idempotency key as before, and then the ${dead.waiting_behind} behind it.`}
    </p>
    <p>Unless something changes there or in the configuration, it will be refused again.</p>
  </Confirm>
)

type Ask = (dead: Dead | undefined) => void

const actionOf = (ask: Ask): Column<Dead> => ({
  title: "Send again",
  kind: "action",
  cell: (dead) => (
    <button type="button" class="small" onClick={() => ask(dead)}>
      Send again …<span class="hidden"> (entry {dead.sequence})</span>
    </button>
  )
})

/** `ask`: undefined for readers who may not replay. */
const Refused = ({ ask, rows }: { readonly rows: ReadonlyArray<Dead>; readonly ask: Ask | undefined }) => {
  if (rows.length === 0) return <Empty>The accounting system has refused no entry.</Empty>
  return (
    <>
      {ask !== undefined && rows.length > 1 ? (
        <p>
          <button type="button" onClick={() => ask(undefined)}>
            Send all {count(rows.length)} again …
          </button>
        </p>
      ) : null}
      <Table
        caption="Entries that the accounting system refused"
        columns={ask === undefined ? columns : [...columns, actionOf(ask)]}
        rows={rows}
        keyOf={(row) => row.entry_id}
      />
    </>
  )
}

export const Outbox = () => {
  const dead = useCalm(
    useCell(live, ({ status }) => status?.ledger.sink?.dead ?? 0),
    2000
  )
  const asked = useAsked("sink-dead", {}, dead)
  const mayOperate = useMay("operate")
  const [asking, setAsking] = useState<{ readonly dead: Dead | undefined }>()
  const [replayed, setReplayed] = useState<number>()
  const done = (number: number): void => {
    setReplayed(number)
    asked.again()
  }
  return (
    <>
      <h1>Ledger</h1>
      <Tabs />
      <State />
      {replayed === undefined ? null : (
        <p class="notice good" role="status">
          {counted(replayed, "entry is", "entries are")} queued again.
        </p>
      )}
      <Loaded asked={asked}>
        {(rows) => <Refused rows={rows} ask={mayOperate ? (one) => setAsking({ dead: one }) : undefined} />}
      </Loaded>
      {asking === undefined ? null : <Replay dead={asking.dead} onDone={done} onClose={() => setAsking(undefined)} />}
    </>
  )
}
