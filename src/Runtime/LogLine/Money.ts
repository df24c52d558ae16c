/**
 * The lines about money: the books and what accounting receives of them. Amounts are decimals as text, as in the books.
 */
import { counted, line, maybe, number, text } from "./Line.ts"

const hold = text("its id")
const ipc = text("the id of the IPC")
const why = text("the reason, as `siteledger ledger holds` shows it")
const reference = text("of the payment, verbatim; for an accrual, the id of its IPC")
const amount = maybe(text("exact; absent if it isn't known"))
const currency = maybe(text("ISO 4217; absent if none is configured"))
const entry = text("its id")
const failure = text("in a sentence")

const units = (amount: string | null, currency: string | null): string =>
  amount === null ? "" : ` (${currency === null ? amount : `${amount} ${currency}`})`

export const books = {
  "entry.posted": line(
    "Debug",
    "An entry is in the books.",
    { entry, ipc, kind: text("payment, adjustment, reversal or accrual"), reference, amount, currency },
    (is) => `Posted a ${is.kind} of IPC ${is.ipc}, ${is.reference}${units(is.amount, is.currency)}: entry ${is.entry}`
  ),
  "hold.opened": line(
    "Info",
    "A payment or certificate waits for a person or an event.",
    { hold, ipc, why, reference, amount, currency },
    (is) => `IPC ${is.ipc} waits: ${is.why} for ${is.reference}${units(is.amount, is.currency)}, hold ${is.hold}`
  ),
  "hold.decided": line(
    "Info",
    "A hold is closed: a person accepted or rejected it, or a later fact answered it.",
    {
      hold,
      ipc,
      why,
      verdict: text("accept, reject or answered"),
      by: maybe(text("who decided, as noted; absent if a later fact did")),
      principal: maybe(text("the principal that decided; absent if a later fact did"))
    },
    ({ by, hold, ipc, principal, verdict, why }) =>
      `IPC ${ipc} no longer waits (${why}, hold ${hold}): ` +
      (by === null ? verdict : `${verdict} by ${by}${principal === null ? "" : ` (${principal})`}`)
  ),
  "terms.changed": line(
    "Warn",
    "The worker starts with other terms of posting, which changed something in the books.",
    { closed: number("holds that ended"), opened: number("holds that are asked again"), posted: number("entries") },
    ({ closed, opened, posted }) =>
      `The terms of posting have changed: of the holds that waited because of the old ones, ${closed} ended, ` +
      `${opened} are asked again (\`siteledger ledger holds\`), and ${posted} entries were posted.`
  ),
  "audit.postponed": line(
    "Warn",
    "The books can't be audited now.",
    { why: failure },
    ({ why }) => `The books can't be audited now; the audit is tried again later: ${why}`
  )
}

export const outbox = {
  "message.delivered": line(
    "Debug",
    "The accounting system has an entry.",
    { entry, ipc, seconds: number("since it was posted") },
    ({ entry, ipc, seconds }) => `Accounting has entry ${entry} of IPC ${ipc}, ${seconds} s after it was posted`
  ),
  "message.postponed": line(
    "Debug",
    "An attempt to deliver an entry has failed, and will be repeated.",
    { entry, ipc, why: failure },
    ({ entry, ipc, why }) => `Entry ${entry} of IPC ${ipc} isn't delivered: ${why}`
  ),
  "message.dead": line(
    "Warn",
    "An entry can't be delivered, mostly because the accounting system refuses it: it waits for a person, and later entries of its IPC wait with it.",
    { entry, ipc, attempts: number("so far"), why: failure },
    ({ attempts, entry, ipc, why }) =>
      `Entry ${entry} of IPC ${ipc} waits for a person, after ${counted(attempts, "attempt")}: ${why}`
  ),
  "outbox.unsent": line(
    "Info",
    "Entries were posted before an accounting system was configured.",
    { entries: number("how many") },
    ({ entries }) =>
      `${entries} entries were posted while no accounting sink was configured and aren't sent; ` +
      "`siteledger ledger sink send --from SEQUENCE` sends them."
  ),
  "outbox.stranded": line(
    "Warn",
    "Entries wait for an accounting system, but none is configured any more.",
    { entries: number("how many") },
    ({ entries }) =>
      `${entries} entries wait for an accounting sink, and none is configured (SITELEDGER_LEDGER_SINK_URL).`
  )
}
