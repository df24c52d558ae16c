/**
 * The frame around every view: the link that skips to the main part, the name, the areas, the search for an id, the
 * state of the stream, and who is signed in.
 */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { useCell } from "../Cell.ts"
import { shortTime, span } from "../Format.ts"
import { found, go, place, to } from "../Router.ts"
import { leave, usePrincipal } from "../Session.ts"
import { live } from "../Stream.ts"
import { useTicking } from "./Time.tsx"

const Badge = ({ count, what }: { readonly count: number; readonly what: string }) =>
  count === 0 ? null : (
    <span class="badge">
      {count}
      <span class="hidden"> {what}</span>
    </span>
  )

interface Area {
  readonly href: string
  readonly isHere: boolean
  readonly children: ComponentChildren
}

const Area = ({ children, href, isHere }: Area) => (
  <li>
    <a href={href} {...(isHere ? ({ "aria-current": "page" } as const) : {})}>
      {children}
    </a>
  </li>
)

const Areas = () => {
  const area = useCell(place, ({ segments }) => segments[0] ?? "")
  const holds = useCell(live, ({ status }) => status?.ledger.holds ?? 0)
  const dead = useCell(live, ({ status }) => status?.ledger.sink?.dead ?? 0)
  const quarantined = useCell(live, ({ status }) => status?.inbox.quarantined ?? 0)
  return (
    <nav aria-label="Areas">
      <ul>
        <Area href={to.now} isHere={area === "" || area === "walks"}>
          Now
        </Area>
        <Area href={to.deliveries} isHere={area === "deliveries" || area === "quarantine"}>
          Deliveries
          <Badge count={quarantined} what="in quarantine" />
        </Area>
        <Area href={to.entries} isHere={area === "ledger" || area === "ipcs"}>
          Ledger
          <Badge count={holds + dead} what="things to decide" />
        </Area>
        <Area href={to.tables} isHere={area === "records"}>
          Records
        </Area>
        <Area href={to.lake} isHere={area === "lake"}>
          Lake
        </Area>
        <Area href={to.sql} isHere={area === "sql"}>
          SQL
        </Area>
        <Area href={to.setup} isHere={area === "setup"}>
          Set-up
        </Area>
      </ul>
    </nav>
  )
}

const Find = () => {
  const [id, setId] = useState("")
  const submit = (event: Event): void => {
    event.preventDefault()
    if (id.trim() === "") return
    go(found(id.trim()))
    setId("")
  }
  return (
    <form class="find" role="search" onSubmit={submit}>
      <label class="hidden" for="find">
        Find an IPC, a delivery or an entry by its id
      </label>
      <input
        id="find"
        type="search"
        value={id}
        placeholder="IPC, delivery or entry id"
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setId(event.currentTarget.value)}
      />
    </form>
  )
}

const words = { connecting: "Connecting", open: "Live", lost: "Reconnecting" } as const

const Connection = () => {
  const connection = useCell(live, (now) => now.connection)
  return (
    <span class="connection" data-state={connection} role="status">
      {words[connection]}
    </span>
  )
}

/** Milliseconds. A short interruption isn't worth showing. */
const patience = 3000

/** While the stream is lost: the time of the last state. */
const Lost = () => {
  const { connection, lostAt } = useCell(live, (now) => now)
  const text = useTicking((now) => {
    const ms = now - lostAt
    if (connection !== "lost" || ms < patience) return ""
    return `No connection to the worker for ${span(ms)}. What you see is as of ${shortTime(lostAt, now)}; the page keeps trying.`
  })
  return text === "" ? null : <p class="lost">{text}</p>
}

/** The stream is connected, but the worker can't tell its status. */
const Trouble = () => {
  const trouble = useCell(live, (now) => (now.connection === "open" ? now.trouble : undefined))
  return trouble === undefined ? null : (
    <p class="lost" role="status">
      The worker can't tell its status now: {trouble} What you see is older.
    </p>
  )
}

export const Frame = ({ children }: { readonly children: ComponentChildren }) => {
  const principal = usePrincipal()
  const version = useCell(live, ({ status }) =>
    status === undefined ? "" : `siteledger ${status.version} on ${status.host}`
  )
  return (
    <>
      <a class="skip" href="#main">
        Skip to the main part
      </a>
      <header>
        <div class="bar">
          <p class="brand">
            <span class="mark" aria-hidden="true" />
            <b>siteledger</b>
          </p>
          <Areas />
          <Find />
          <div class="reader">
            <Connection />
            <span class="principal" title="You are signed in under this name">
              {principal}
            </span>
            <button type="button" class="quiet" onClick={() => void leave()}>
              Sign out
            </button>
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Lost />
        <Trouble />
        {children}
      </main>
      <footer>
        <p>{version}</p>
      </footer>
    </>
  )
}
