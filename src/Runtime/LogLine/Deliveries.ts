/**
 * The lines about deliveries, once they are stored.
 */
import { line, maybe, number, text } from "./Line.ts"

const delivery = {
  event_id: text("of the delivery"),
  event_type: maybe(text("that the body proves, or the header's")),
  sequence: number("its number in the inbox"),
  entity: maybe(text("what it is about, like `ipcs`")),
  entity_id: maybe(text("its id"))
}

const about = ({ entity, entity_id, event_id, event_type }: { readonly [K in keyof typeof delivery]: unknown }) =>
  `${event_type ?? "Event"} ${event_id}${entity === null ? "" : ` of ${entity} ${entity_id ?? ""}`}`

export const intake = {
  "delivery.applied": line(
    "Debug",
    "A delivery's rows are written.",
    { ...delivery, seconds: number("since it was received") },
    (is) => `${about(is)} is applied, ${is.seconds} s after it was received`
  ),
  "delivery.quarantined": line(
    "Warn",
    "A delivery can't be read or applied, and waits in quarantine with its bytes.",
    { ...delivery, why: text("the reason, as in the table `events`") },
    (is) => `${about(is)} waits in quarantine: ${is.why}`
  ),
  "deliveries.released": line(
    "Info",
    "Events whose time was too far ahead are applied, now that it no longer is.",
    { applied: number("how many") },
    ({ applied }) => `${applied} events are applied whose time was too far ahead`
  )
}
