/**
 * The numbers that show at a glance whether all is well; each links to more detail.
 */
import type { ComponentChildren } from "preact"
import type { StatusReport } from "../../Api.ts"
import { count, span, took } from "../../Format.ts"
import { Age, Ahead } from "../../parts/Time.tsx"
import { to } from "../../Router.ts"

interface Figure {
  readonly name: string
  readonly children: ComponentChildren
  readonly note?: ComponentChildren
  readonly tone?: "wait" | "bad" | undefined
  readonly href?: string
}

const Figure = ({ children, href, name, note, tone }: Figure) => (
  <div>
    <dt>{href === undefined ? name : <a href={href}>{name}</a>}</dt>
    <dd class={tone ?? ""}>{children}</dd>
    {note === undefined ? null : <dd class="note">{note}</dd>}
  </div>
)

const if_ = <A extends string>(is: boolean, tone: A): A | undefined => (is ? tone : undefined)

/** Milliseconds. A delivery is usually visible long before. */
const late = 5000

const Inbox = ({ inbox, lastEventAt }: StatusReport) => (
  <>
    <Figure name="Last event" href={to.deliveries}>
      <Age at={lastEventAt} />
    </Figure>
    <Figure
      name="To be applied"
      tone={if_(inbox.oldestPendingAgeMs > late, "wait")}
      note={inbox.pending === 0 ? "nothing waits" : `oldest for ${span(inbox.oldestPendingAgeMs)}`}
    >
      {count(inbox.pending)}
    </Figure>
    <Figure
      name="In quarantine"
      href={to.quarantine}
      tone={if_(inbox.quarantined > 0, "wait")}
      note={inbox.unposted === 0 ? undefined : `${count(inbox.unposted)} posted nothing`}
    >
      {count(inbox.quarantined)}
    </Figure>
  </>
)

const Books = ({ ledger: { entries, holds, postedMs, sink } }: StatusReport) => (
  <>
    <Figure
      name="Posted"
      href={to.entries}
      note={postedMs.p50 === null ? undefined : `half within ${took(postedMs.p50)}`}
    >
      {count(entries)}
    </Figure>
    <Figure
      name="On hold"
      href={to.holds}
      tone={if_(holds > 0, "wait")}
      note={holds === 0 ? "nothing to decide" : "for a decision"}
    >
      {count(holds)}
    </Figure>
    {sink === null ? null : (
      <Figure
        name="To accounting"
        href={to.outbox}
        tone={if_(sink.dead > 0, "bad")}
        note={sink.dead === 0 ? "none refused" : `${count(sink.dead)} refused`}
      >
        {count(sink.backlog)}
      </Figure>
    )}
  </>
)

const Copies = ({ api, backup, export: lake, published }: StatusReport) => (
  <>
    <Figure
      name="Requests"
      tone={if_(api.usedLastMinute >= api.limitPerMinute, "wait")}
      note={`of ${count(api.limitPerMinute)} a minute`}
    >
      {count(api.usedLastMinute)}
    </Figure>
    <Figure name="Analysts' copy">
      <Age at={published.at} />
    </Figure>
    <Figure
      name="Lake's export"
      href={to.lake}
      note={
        lake.nextAt === null ? undefined : (
          <>
            next <Ahead at={lake.nextAt} />
          </>
        )
      }
    >
      <Age at={lake.lastAt} />
    </Figure>
    {backup === null ? null : (
      <Figure name="Backup" tone={if_(backup.error !== null, "bad")} note={backup.error ?? undefined}>
        <Age at={backup.at} />
      </Figure>
    )}
  </>
)

export const Figures = ({ status }: { readonly status: StatusReport }) => (
  <section aria-label="Figures">
    <dl class="figures">
      <Inbox {...status} />
      <Books {...status} />
      <Copies {...status} />
    </dl>
  </section>
)
