/**
 * Which view an address shows, and who may see one. When the reader leaves a view, its state is dropped, so a view of
 * another id starts empty.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useErrorBoundary, useRef } from "preact/hooks"
import { sentenceOf } from "./Api.ts"
import { useCell } from "./Cell.ts"
import { Problem, Waiting } from "./parts/Asked.tsx"
import { Frame } from "./parts/Frame.tsx"
import { Balances } from "./pages/Balances.tsx"
import { Deliveries } from "./pages/Deliveries.tsx"
import { DeliveryView } from "./pages/Delivery.tsx"
import { EntryView } from "./pages/Entry.tsx"
import { HoldView } from "./pages/Hold.tsx"
import { Holds } from "./pages/Holds.tsx"
import { IpcView } from "./pages/Ipc.tsx"
import { Lake } from "./pages/Lake.tsx"
import { Entries } from "./pages/Ledger.tsx"
import { Now } from "./pages/Now.tsx"
import { Outbox } from "./pages/Outbox.tsx"
import { Quarantine } from "./pages/Quarantine.tsx"
import { RecordView } from "./pages/Record.tsx"
import { Records } from "./pages/Records.tsx"
import { Setup } from "./pages/Setup.tsx"
import { SignIn } from "./pages/SignIn.tsx"
import { Sql } from "./pages/Sql.tsx"
import { Tables } from "./pages/Tables.tsx"
import { Walks } from "./pages/Walks.tsx"
import { type Place, place, to } from "./Router.ts"
import { reader } from "./Session.ts"

interface View {
  /** The title of the window. */
  readonly title: string
  readonly shown: ComponentChildren
}

const missing: View = {
  title: "Not found",
  shown: (
    <>
      <h1>Not found</h1>
      <p>
        There is no such page. <a href={to.now}>See how the worker is doing</a>
      </p>
    </>
  )
}

const ledgerView = ([part, id, ...rest]: ReadonlyArray<string>, query: URLSearchParams): View => {
  if (rest.length > 0) return missing
  if (part === "holds") {
    if (id === undefined) return { title: "Holds", shown: <Holds /> }
    return { title: "Hold", shown: <HoldView key={id} id={id} /> }
  }
  if (part === "outbox" && id === undefined) return { title: "Outbox", shown: <Outbox /> }
  if (part === "balances" && id === undefined) return { title: "Balances", shown: <Balances /> }
  if (part !== undefined) return missing
  const entry = query.get("entry")
  return entry === null
    ? { title: "Ledger", shown: <Entries /> }
    : { title: "Entry", shown: <EntryView key={entry} id={entry} /> }
}

/** Areas without views below them. */
const areas: Readonly<Record<string, View>> = {
  quarantine: { title: "Quarantine", shown: <Quarantine /> },
  lake: { title: "Lake", shown: <Lake /> },
  records: { title: "Records", shown: <Tables /> },
  setup: { title: "Set-up", shown: <Setup /> },
  sql: { title: "SQL", shown: <Sql /> }
}

const recordsView = ([table = "", id]: ReadonlyArray<string>): View =>
  id === undefined
    ? { title: table, shown: <Records key={table} table={table} /> }
    : { title: id, shown: <RecordView key={`${table} ${id}`} table={table} id={id} /> }

const viewOf = ({ query, segments }: Place): View => {
  const [area, id, ...rest] = segments
  if (area === undefined) return { title: "Now", shown: <Now /> }
  if (area === "ledger") return ledgerView(segments.slice(1), query)
  if (area === "records" && id !== undefined && rest.length <= 1) return recordsView(segments.slice(1))
  if (rest.length > 0) return missing
  if (area === "walks") return { title: id ?? "Walks", shown: <Walks key={id ?? ""} list={id} /> }
  const alone = id === undefined ? areas[area] : undefined
  if (alone !== undefined) return alone
  if (area === "deliveries") {
    if (id === undefined) return { title: "Deliveries", shown: <Deliveries /> }
    return { title: `Delivery ${id}`, shown: <DeliveryView key={id} id={id} /> }
  }
  return area === "ipcs" && id !== undefined ? { title: id, shown: <IpcView key={id} id={id} /> } : missing
}

/** After the reader follows a link, a screen reader reads the new view. */
const useFocus = (address: string): void => {
  const last = useRef(address)
  useEffect(() => {
    if (last.current === address) return
    last.current = address
    document.getElementById("main")?.focus({ preventScroll: true })
  }, [address])
}

/** An error in a view breaks only that view; another address is drawn as usual. */
const Kept = ({ children }: { readonly children: ComponentChildren }) => {
  const [mistake, again] = useErrorBoundary()
  return mistake === undefined ? <>{children}</> : <Problem sentence={sentenceOf(mistake)} again={again} />
}

const Views = () => {
  const at = useCell(place, (now) => now)
  const { shown, title } = viewOf(at)
  useEffect(() => {
    document.title = `${title} · siteledger`
  }, [title])
  useFocus(`${at.pathname} ${at.query.get("entry") ?? ""}`)
  return (
    <Frame>
      <Kept key={at.pathname}>{shown}</Kept>
    </Frame>
  )
}

export const App = () => {
  const who = useCell(reader, (now) => now)
  if (who.state === "asking") return <Waiting lines={6} />
  return who.state === "in" ? <Views /> : <SignIn reader={who} />
}
