/**
 * Deliveries that can't be read or applied: how many for each reason, what would make them readable, and the ways to
 * read one, some or all of them again afterwards, or to save them as a file. The reason is in the address.
 */
import { useState } from "preact/hooks"
import { type Answer, ask } from "../Api.ts"
import { useCell } from "../Cell.ts"
import { count, counted } from "../Format.ts"
import { Empty, Loaded, useAsked, useCalm } from "../parts/Asked.tsx"
import { Confirm } from "../parts/Confirm.tsx"
import { MakeFile, saveAs } from "../parts/Download.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Prose } from "../parts/Text.tsx"
import { At } from "../parts/Time.tsx"
import { place, to } from "../Router.ts"
import { useMay } from "../Session.ts"
import { live } from "../Stream.ts"

type Reason = Answer<"quarantine">["reasons"][number]
type Waiting = Answer<"quarantine">["rows"][number]
type Replayed = Answer<"replay">

const reasonColumns: ReadonlyArray<Column<Reason>> = [
  { title: "Reason", cell: ({ reason }) => <a href={to.quarantineOf(reason)}>{reason}</a> },
  { title: "Deliveries", kind: "number", cell: (each) => count(each.count) },
  { title: "What would make them readable", kind: "wide", cell: ({ toDo }) => <Prose>{toDo}</Prose> }
]

const columns: ReadonlyArray<Column<Waiting>> = [
  { title: "Number", kind: "number", cell: ({ sequence }) => <a href={to.delivery(sequence)}>{sequence}</a> },
  { title: "Received", cell: (row) => <At at={row.received_at} never="lost" /> },
  { title: "Type", cell: (row) => row.event_type ?? <span class="soft">unknown</span> },
  { title: "Reason", cell: ({ reason }) => reason },
  { title: "Read again by itself", cell: (row) => <At at={row.due_at} never="no" /> }
]

/** Undefined: all waiting deliveries. */
type Some = ReadonlyArray<number> | undefined

const titleOf = (some: Some): string => {
  if (some === undefined) return "Read the whole quarantine again?"
  return some.length === 1 ? `Read delivery ${some[0]} again?` : `Read ${count(some.length)} deliveries again?`
}

interface Replay {
  readonly some: Some
  readonly total: number
  readonly onClose: () => void
  readonly onDone: (replayed: Replayed) => void
}

const Replay = ({ onClose, onDone, some, total }: Replay) => (
  <Confirm
    title={titleOf(some)}
    does="Read again"
    onClose={onClose}
    act={async () => onDone(await ask("replay", some === undefined ? {} : { ids: some.map(String) }))}
  >
    <p class="effect">
      {some?.length === 1 ? "It is" : `${counted(some?.length ?? total, "delivery is", "deliveries are")}`} read again,
      with the configuration that is in force now. Those that can be read become rows and entries, as if they came
      today.
    </p>
    <p>Those that still can't be read stay here.</p>
  </Confirm>
)

const Told = ({ replayed: { applied, read } }: { readonly replayed: Replayed }) => (
  <p class={`notice ${applied === 0 && read > 0 ? "wait" : "good"}`} role="status">
    {read === 0
      ? "Nothing waits any more."
      : `${counted(read, "delivery was", "deliveries were")} read again, and ${counted(applied, "was", "were")} applied.`}
  </p>
)

interface List {
  readonly found: Answer<"quarantine">
  /** Undefined: every reason. */
  readonly reason: string | undefined
  /** Undefined: the reader may not replay. */
  readonly onReplay: ((some: Some) => void) | undefined
  /** Undefined: all are shown. */
  readonly more: (() => void) | undefined
}

const actionOf = (onReplay: (some: Some) => void): Column<Waiting> => ({
  title: "Read again",
  kind: "action",
  cell: ({ sequence }) => (
    <button type="button" class="small" onClick={() => onReplay([sequence])}>
      Read again …<span class="hidden"> delivery {sequence}</span>
    </button>
  )
})

type Chosen = ReadonlySet<number>

const choiceOf = (chosen: Chosen, choose: (chosen: Chosen) => void): Column<Waiting> => ({
  title: "Choose",
  kind: "action",
  cell: ({ sequence }) => (
    <input
      type="checkbox"
      aria-label={`Choose delivery ${sequence}`}
      checked={chosen.has(sequence)}
      onChange={(event) => {
        const others = [...chosen].filter((each) => each !== sequence)
        choose(new Set(event.currentTarget.checked ? [...others, sequence] : others))
      }}
    />
  )
})

/** All deliveries of this reason, as one line of JSON each, requested from the worker part by part. */
const save = async (reason: string | undefined): Promise<void> => {
  const parts: Array<string> = []
  const wanted = reason === undefined ? {} : { reason }
  for (let after: number | null = 0; after !== null;) {
    const part: Answer<"quarantine-export"> = await ask("quarantine-export", { ...wanted, after })
    parts.push(...part.deliveries.map((each) => `${JSON.stringify(each)}\n`))
    after = part.next
  }
  saveAs(["quarantine", ...(reason === undefined ? [] : [reason])].join("-") + ".jsonl", "application/x-ndjson", parts)
}

const List = ({ found: { rows, total }, more, onReplay, reason }: List) => {
  const [all, choose] = useState<Chosen>(new Set())
  // Deliveries that were read meanwhile are no longer there.
  const chosen = new Set(rows.map(({ sequence }) => sequence).filter((sequence) => all.has(sequence)))
  const isEach = chosen.size === rows.length
  return (
    <section aria-labelledby="waiting">
      <h2 id="waiting">
        {reason ?? "All of them"} <small>{count(total)}</small>
      </h2>
      <div class="tools">
        {reason === undefined ? null : <a href={to.quarantine}>Show those of every reason</a>}
        {onReplay === undefined || rows.length === 0 ? null : (
          <>
            <button
              type="button"
              class="quiet"
              onClick={() => choose(new Set(isEach ? [] : rows.map(({ sequence }) => sequence)))}
            >
              {isEach ? "Choose none" : "Choose all shown"}
            </button>
            <button type="button" disabled={chosen.size === 0} onClick={() => onReplay([...chosen])}>
              Read the chosen again …
            </button>
          </>
        )}
        {rows.length === 0 ? null : <MakeFile make={() => save(reason)}>Download with bodies</MakeFile>}
      </div>
      {rows.length === 0 ? (
        <Empty>No delivery waits for this reason.</Empty>
      ) : (
        <Table
          caption="Deliveries in quarantine, the oldest first"
          columns={onReplay === undefined ? columns : [choiceOf(chosen, choose), ...columns, actionOf(onReplay)]}
          rows={rows}
          keyOf={({ sequence }) => sequence}
        />
      )}
      {more === undefined ? null : (
        <p>
          <button type="button" onClick={more}>
            Show more
          </button>
        </p>
      )}
    </section>
  )
}

const Reasons = ({
  onReplay,
  reasons
}: {
  readonly reasons: ReadonlyArray<Reason>
  readonly onReplay?: () => void
}) => (
  <>
    <Table
      caption="Why deliveries are in quarantine"
      columns={reasonColumns}
      rows={reasons}
      keyOf={(each) => each.reason}
    />
    {onReplay === undefined ? null : (
      <p>
        <button type="button" onClick={onReplay}>
          Read all of them again …
        </button>
      </p>
    )}
  </>
)

const usual = 100
const mostShown = 1000

export const Quarantine = () => {
  const reason = useCell(place, ({ query }) => query.get("reason") ?? undefined)
  const waiting = useCalm(
    useCell(live, ({ status }) => status?.inbox.quarantined ?? 0),
    2000
  )
  const [limit, setLimit] = useState(usual)
  const asked = useAsked("quarantine", { limit, ...(reason === undefined ? {} : { reason }) }, waiting)
  const mayOperate = useMay("operate")
  const [asking, setAsking] = useState<{ readonly some: Some }>()
  const [replayed, setReplayed] = useState<Replayed>()
  const done = (answer: Replayed): void => {
    setReplayed(answer)
    asked.again()
  }
  const view = (found: Answer<"quarantine">) => {
    const { reasons, rows, total } = found
    if (reasons.length === 0) return <Empty>Nothing is in quarantine: every delivery could be read.</Empty>
    const hasMore = rows.length < total && limit < mostShown
    return (
      <>
        <Reasons reasons={reasons} {...(mayOperate ? { onReplay: () => setAsking({ some: undefined }) } : {})} />
        <List
          found={found}
          reason={reason}
          onReplay={mayOperate ? (some) => setAsking({ some }) : undefined}
          more={hasMore ? () => setLimit(Math.min(mostShown, limit * 3)) : undefined}
        />
      </>
    )
  }
  const all = asked.answer?.reasons.reduce((sum, each) => sum + each.count, 0) ?? 0
  return (
    <>
      <p class="trail">
        <a href={to.deliveries}>Deliveries</a>
      </p>
      <h1>Quarantine</h1>
      {replayed === undefined ? null : <Told replayed={replayed} />}
      <Loaded asked={asked}>{view}</Loaded>
      {asking === undefined ? null : (
        <Replay {...asking} total={all} onDone={done} onClose={() => setAsking(undefined)} />
      )}
    </>
  )
}
