/**
 * Deliveries as they are applied, the newest first. The filters are in the address.
 *
 * New deliveries come through the stream. While the reader has scrolled down, or has stopped the list, it doesn't
 * change and says how many are waiting.
 */
import { useEffect, useMemo, useState } from "preact/hooks"
import type { Answer, Event, Payload } from "../Api.ts"
import { useCell } from "../Cell.ts"
import { counted } from "../Format.ts"
import { Empty, Loaded, useAsked } from "../parts/Asked.tsx"
import { Earlier, useEarlier } from "../parts/Earlier.tsx"
import { Filter, Filters, TimeFilter } from "../parts/Filters.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Outcome } from "../parts/Text.tsx"
import { At } from "../parts/Time.tsx"
import { place, to } from "../Router.ts"
import { arrived } from "../Stream.ts"

/** How many are requested at a time. */
const page = 100

type Wanted = Omit<Payload<"events">, "after" | "before" | "last">

const alarms = {
  "id-reused": "its id was used before",
  replayed: "it came under another id",
  relabelled: "its header says otherwise"
}

const outcomes = { applied: "applied", quarantined: "in quarantine" }

const oneOf = <Name extends string>(all: Readonly<Record<Name, string>>, text: string | null): Name | undefined =>
  text !== null && Object.hasOwn(all, text) ? (text as Name) : undefined

const typesIn = (text: string | null): ReadonlyArray<string> =>
  (text ?? "")
    .split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "")

/** Without the filters that the address doesn't name. */
const wantedIn = (query: URLSearchParams): Wanted => {
  const types = typesIn(query.get("type"))
  const all = {
    types: types.length === 0 ? undefined : types,
    table: query.get("table")?.trim() || undefined,
    record: query.get("record")?.trim() || undefined,
    outcome: oneOf(outcomes, query.get("outcome")),
    alarm: oneOf(alarms, query.get("alarm")),
    from: query.get("from") ?? undefined,
    to: query.get("to") ?? undefined
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

/** The same decision as the worker's. */
const isWanted =
  ({ alarm, from, outcome, record, table, to, types }: Wanted) =>
  (event: Event): boolean =>
    (types === undefined || types.includes(event.event_type ?? "")) &&
    (table === undefined || event.entity === table) &&
    (record === undefined || event.entity_id === record) &&
    (outcome === undefined || event.outcome === outcome) &&
    (alarm === undefined || event.alarms.includes(alarm)) &&
    (from === undefined || Date.parse(event.received_at) >= Date.parse(from)) &&
    (to === undefined || Date.parse(event.received_at) < Date.parse(to))

/** Merges the worker's answer with the events that have come since, each once, the newest first. */
const merged = (answered: ReadonlyArray<Event>, since: ReadonlyArray<Event>): ReadonlyArray<Event> =>
  [...new Map([...answered, ...since].map((event) => [event.sequence, event])).values()].toSorted(
    (a, b) => b.sequence - a.sequence
  )

const About = ({ event: { entity, entity_id: id } }: { readonly event: Event }) => {
  if (id === null || entity === null) return <span class="soft">–</span>
  return entity === "ipcs" ? (
    <a href={to.ipc(id)}>{id}</a>
  ) : (
    <>
      <span class="soft">{entity}</span> <a href={to.record(entity, id)}>{id}</a>
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

/** Pixels. Further down, a reader wants the list to stand still. */
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
}

/** The list as the reader wants it: following, or held. */
const useHeld = (all: ReadonlyArray<Event>) => {
  const [stoppedAt, setStoppedAt] = useState<number>()
  const isScrolled = useScrolled()
  const newest = all[0]?.sequence ?? 0
  const [seen, setSeen] = useState(newest)
  const isHeld = stoppedAt !== undefined || isScrolled
  useEffect(() => {
    if (!isHeld) setSeen(newest)
  }, [isHeld, newest])
  const shown = isHeld ? all.filter(({ sequence }) => sequence <= seen) : all
  const show = (): void => {
    setStoppedAt(undefined)
    scrollTo(0, 0)
    setSeen(newest)
  }
  return { isHeld, shown, waiting: all.length - shown.length, show, stop: () => setStoppedAt(newest) }
}

const Tail = ({ answer, wanted }: Tail) => {
  const events = useCell(arrived, (all) => all)
  const further = useEarlier(answer, (before) => ({ ...wanted, before, last: page }))
  const all = useMemo(
    () =>
      merged(
        [answer, ...further.pages].flatMap((each) => each.events),
        events.filter(isWanted(wanted))
      ),
    [answer, further.pages, events, wanted]
  )
  const { isHeld, show, shown, stop, waiting } = useHeld(all)
  return (
    <>
      <div class="tools tail">
        <button type="button" class="quiet dot" data-state={isHeld ? "off" : "on"} onClick={isHeld ? show : stop}>
          {isHeld ? "Go on" : "Stop here"}
        </button>
        {waiting === 0 ? null : (
          <button type="button" class="fresh" onClick={show}>
            {counted(waiting, "new one")}: show
          </button>
        )}
      </div>
      {shown.length === 0 ? (
        <Nothing isFiltered={Object.keys(wanted).length > 0} next={further.next} />
      ) : (
        <Table
          caption="Deliveries, the newest first"
          class="deliveries"
          columns={columns}
          rows={shown}
          keyOf={({ sequence }) => sequence}
        />
      )}
      <Earlier further={further} />
    </>
  )
}

const Nothing = ({ isFiltered, next }: { readonly isFiltered: boolean; readonly next: string | null }) => (
  <Empty>
    {isFiltered ? (
      <>
        {next === null ? "No delivery is like that." : "None of the newest is like that."}{" "}
        <a href={to.deliveries}>Show all</a>
      </>
    ) : (
      "Nothing has been delivered yet. The first delivery appears here as soon as it is applied."
    )}
  </Empty>
)

/** Each name once, as one text: a view is drawn again only if the text changes. */
const linesOf = (names: ReadonlyArray<string | null>): string =>
  [...new Set(names.flatMap((name) => name ?? []))].toSorted().join("\n")

const offersOf = (lines: string): ReadonlyArray<string> => (lines === "" ? [] : lines.split("\n"))

export const Deliveries = () => {
  const query = useCell(place, (now) => now.query)
  const wanted = useMemo(() => wantedIn(query), [query])
  const asked = useAsked("events", { last: page, ...wanted })
  const types = useCell(arrived, (events) => linesOf(events.map((event) => event.event_type)))
  const tables = useCell(arrived, (events) => linesOf(events.map((event) => event.entity)))
  return (
    <>
      <h1>Deliveries</h1>
      <Filters isAsking={asked.isAsking}>
        <Filter name="type" label="Type" placeholder="like ipc.paid" offers={offersOf(types)} />
        <Filter name="table" label="Table" placeholder="like ipcs" offers={offersOf(tables)} />
        <Filter name="record" label="Record" placeholder="like IPC-7" />
        <Filter name="outcome" label="Outcome" choices={outcomes} />
        <Filter name="alarm" label="Alarm" choices={alarms} otherwise="any or none" />
        <div class="period">
          <TimeFilter name="from" label="Received from" />
          <TimeFilter name="to" label="Received before" />
        </div>
      </Filters>
      <Loaded asked={asked}>{(answer) => <Tail key={JSON.stringify(wanted)} answer={answer} wanted={wanted} />}</Loaded>
    </>
  )
}
