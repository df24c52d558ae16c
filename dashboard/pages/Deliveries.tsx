/**
 * Deliveries as they are applied, the newest first. The filters are in the address.
 *
 * New ones come by the stream. While the reader has scrolled down, or has stopped the list, it stays as it is and says how many
 * wait.
 */
import { useEffect, useMemo, useState } from "preact/hooks"
import type { Answer, Event, Payload } from "../Api.ts"
import { useCell } from "../Cell.ts"
import { count, counted } from "../Format.ts"
import { Empty, Loaded, useAsked } from "../parts/Asked.tsx"
import { Filter, Filters } from "../parts/Filters.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Outcome } from "../parts/Text.tsx"
import { At } from "../parts/Time.tsx"
import { place, to } from "../Router.ts"
import { arrived } from "../Stream.ts"

const usual = 100
/** As many of the newest deliveries the worker looks at. */
const most = 2000

interface Wanted {
  readonly types: ReadonlyArray<string>
  readonly ipc: string | undefined
  readonly outcome: Event["outcome"] | undefined
}

const wantedIn = (query: URLSearchParams): Wanted => {
  const outcome = query.get("outcome")
  return {
    types: (query.get("type") ?? "")
      .split(",")
      .map((type) => type.trim())
      .filter((type) => type !== ""),
    ipc: query.get("ipc")?.trim() || undefined,
    outcome: outcome === "applied" || outcome === "quarantined" ? outcome : undefined
  }
}

const payloadOf = ({ ipc, outcome, types }: Wanted, last: number): Payload<"events"> => ({
  last,
  ...(types.length === 0 ? {} : { types }),
  ...(ipc === undefined ? {} : { ipc }),
  ...(outcome === undefined ? {} : { outcome })
})

const isWanted =
  ({ ipc, outcome, types }: Wanted) =>
  (event: Event): boolean =>
    (types.length === 0 || types.includes(event.event_type ?? "")) &&
    (ipc === undefined || (event.entity === "ipcs" && event.entity_id === ipc)) &&
    (outcome === undefined || event.outcome === outcome)

/** Of what the worker has answered and what has come since, each once, the newest first. */
const merged = (answered: ReadonlyArray<Event>, since: ReadonlyArray<Event>): ReadonlyArray<Event> =>
  [...new Map([...answered, ...since].map((event) => [event.sequence, event])).values()].toSorted(
    (a, b) => b.sequence - a.sequence
  )

const About = ({ event: { entity, entity_id: id } }: { readonly event: Event }) => {
  if (id === null) return <span class="soft">–</span>
  return entity === "ipcs" ? (
    <a href={to.ipc(id)}>{id}</a>
  ) : (
    <>
      <span class="soft">{entity}</span> {id}
    </>
  )
}

const columns: ReadonlyArray<Column<Event>> = [
  { title: "Received", cell: (event) => <At at={event.received_at} /> },
  { title: "Number", kind: "number", cell: ({ sequence }) => <a href={to.delivery(sequence)}>{sequence}</a> },
  { title: "Type", cell: (event) => event.event_type ?? <span class="soft">unknown</span> },
  { title: "About", cell: (event) => <About event={event} /> },
  { title: "Happened", cell: (event) => <At at={event.event_timestamp} never="not said" /> },
  { title: "Outcome", cell: ({ outcome, reason }) => <Outcome outcome={outcome} reason={reason} /> },
  {
    title: "Remarks",
    kind: "wide",
    cell: ({ alarms, reason }) => [...(reason === null ? [] : [reason]), ...alarms].join(", ")
  }
]

/** Pixels. Whoever reads further down wants it to stand still. */
const atTop = 200

const useScrolled = (): boolean => {
  const [isScrolled, setScrolled] = useState(scrollY > atTop)
  useEffect(() => {
    const look = (): void => setScrolled(scrollY > atTop)
    addEventListener("scroll", look, { passive: true })
    return () => removeEventListener("scroll", look)
  }, [])
  return isScrolled
}

interface Tail {
  readonly answer: Answer<"events">
  readonly wanted: Wanted
  readonly last: number
  readonly more: () => void
}

const Tail = ({ answer, last, more, wanted }: Tail) => {
  const events = useCell(arrived, (all) => all)
  const all = useMemo(() => merged(answer.events, events.filter(isWanted(wanted))), [answer, events, wanted])
  const [stoppedAt, setStoppedAt] = useState<number>()
  const isScrolled = useScrolled()
  const newest = all[0]?.sequence ?? 0
  const [seen, setSeen] = useState(newest)
  const isHeld = stoppedAt !== undefined || isScrolled
  useEffect(() => {
    if (!isHeld) setSeen(newest)
  }, [isHeld, newest])
  const shown = (isHeld ? all.filter(({ sequence }) => sequence <= seen) : all).slice(0, last)
  const waiting = isHeld ? all.length - all.filter(({ sequence }) => sequence <= seen).length : 0
  const show = (): void => {
    setStoppedAt(undefined)
    scrollTo(0, 0)
    setSeen(newest)
  }
  return (
    <>
      <div class="tools tail">
        <button
          type="button"
          class="quiet dot"
          data-state={isHeld ? "off" : "on"}
          onClick={() => (isHeld ? show() : setStoppedAt(newest))}
        >
          {isHeld ? "Go on" : "Stop here"}
        </button>
        {waiting === 0 ? null : (
          <button type="button" class="fresh" onClick={show}>
            {counted(waiting, "new one")}: show
          </button>
        )}
      </div>
      {shown.length === 0 ? (
        <Nothing wanted={wanted} />
      ) : (
        <Table
          caption="Deliveries, the newest first"
          class="deliveries"
          columns={columns}
          rows={shown}
          keyOf={({ sequence }) => sequence}
        />
      )}
      {shown.length === 0 ? null : shown.length < last || last >= most ? (
        <p class="note">These are all among the newest {count(most)} deliveries.</p>
      ) : (
        <p>
          <button type="button" onClick={more}>
            Show more
          </button>
        </p>
      )}
    </>
  )
}

const Nothing = ({ wanted: { ipc, outcome, types } }: { readonly wanted: Wanted }) => (
  <Empty>
    {types.length === 0 && ipc === undefined && outcome === undefined ? (
      "Nothing has been delivered yet. The first delivery appears here as soon as it is applied."
    ) : (
      <>
        None of the newest {count(most)} deliveries is like that. <a href={to.deliveries}>Show all</a>
      </>
    )}
  </Empty>
)

export const Deliveries = () => {
  const query = useCell(place, (now) => now.query)
  const wanted = useMemo(() => wantedIn(query), [query])
  const [last, setLast] = useState(usual)
  const asked = useAsked("events", payloadOf(wanted, last))
  const types = useCell(arrived, (events) =>
    [...new Set(events.flatMap((event) => event.event_type ?? []))].toSorted().join("\n")
  )
  return (
    <>
      <h1>Deliveries</h1>
      <Filters isAsking={asked.isAsking}>
        <Filter name="type" label="Type" placeholder="like ipc.paid" offers={types === "" ? [] : types.split("\n")} />
        <Filter name="ipc" label="IPC" placeholder="like IPC-7" />
        <Filter name="outcome" label="Outcome" choices={{ applied: "applied", quarantined: "in quarantine" }} />
      </Filters>
      <Loaded asked={asked}>
        {(answer) => (
          <Tail answer={answer} wanted={wanted} last={last} more={() => setLast(Math.min(most, last * 3))} />
        )}
      </Loaded>
    </>
  )
}
