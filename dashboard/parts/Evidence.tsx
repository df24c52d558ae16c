/**
 * The basis of an entry or a hold: the facts of the books, and the signed deliveries behind them with their bodies.
 */
import { Fragment } from "preact"
import { kindOf, objectsIn, saidBy, saidIn } from "../Rows.ts"
import { to } from "../Router.ts"
import { shortId } from "./Text.tsx"
import { Json } from "./Json.tsx"
import { At } from "./Time.tsx"

type Value = Readonly<Record<string, unknown>>

export const isInstant = (value: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value)

const Said = ({ name, value }: { readonly name: string; readonly value: string }) => {
  if (name === "delivery") {
    return (
      <a href={to.delivery(value)} title={value}>
        <code>{shortId(value)}</code>
      </a>
    )
  }
  if (name === "IPC" || name === "of IPC") return <a href={to.ipc(value)}>{value}</a>
  return isInstant(value) ? <At at={value} isFull /> : <>{value}</>
}

/** One fact on one line. */
export const FactLine = ({ currency, fact }: { readonly fact: Value; readonly currency: string | null }) => (
  <>
    {saidBy(fact, currency).map(({ name, value }) => (
      <Fragment key={name}>
        <span class="said-name">{name}</span> <Said name={name} value={value} />{" "}
      </Fragment>
    ))}
  </>
)

const Event = ({ event }: { readonly event: Value }) => (
  <li>
    <details>
      <summary>
        <b>{saidIn(event, "event_type") ?? "unknown type"}</b>{" "}
        <span class="soft">
          received <At at={saidIn(event, "received_at")} />
        </span>
      </summary>
      <p>
        <a href={to.delivery(saidIn(event, "event_id") ?? "")}>Show the whole delivery</a>
      </p>
      {event["payload"] == null ? <p class="note">Its body is no text.</p> : <Json text={String(event["payload"])} />}
    </details>
  </li>
)

export const Evidence = ({ shown }: { readonly shown: Value }) => {
  const facts = objectsIn(shown["basis"])
  const events = objectsIn(shown["events"])
  const currency = saidIn(shown, "currency")
  return (
    <>
      <h2>Evidence</h2>
      {facts.length === 0 ? (
        <p class="note">The books name no fact for it.</p>
      ) : (
        <ul class="evidence">
          {facts.map((fact, at) => (
            <li key={at}>
              <b>{kindOf(fact["kind"])}</b> <FactLine fact={fact} currency={currency} />
            </li>
          ))}
        </ul>
      )}
      {events.length === 0 ? null : (
        <>
          <h3>Signed deliveries</h3>
          <ul class="evidence">
            {events.map((event) => (
              <Event key={saidIn(event, "body_sha256") ?? ""} event={event} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}
