/**
 * Planted breaks of the books, of accounting's entries, and of exports.
 */
import { at, type Break } from "./Break.ts"

const fold = at("src/Ledger/Fold.ts")
const certified = at("src/Ledger/Fold/Certified.ts")
const wanted = at("src/Ledger/Fold/Wanted.ts")
const known = at("src/Ledger/Fold/Known.ts")
const posted = at("src/Ledger/Fold/Posted.ts")
const books = at("src/Ledger/Books.ts")
const copies = at("src/Ledger/Copies.ts")
const facts = at("src/Ledger/EventFacts.ts")
const lines = at("src/Ledger/Lines.ts")
const messages = at("src/Ledger/Outbox/Messages.ts")
const due = at("src/Ledger/Outbox/Due.ts")
const sending = at("src/Ledger/Outbox/Sending.ts")
const outcomes = at("src/Ledger/Outbox/Outcomes.ts")
const post = at("src/Ledger/Outbox/SinkPost.ts")
const answers = at("src/Ledger/Outbox/SinkAnswer.ts")
const nightly = at("src/Lake/Nightly.ts")
const schedule = at("src/Stores/Schedule.ts")

export const posting: ReadonlyArray<Break> = [
  books(
    "fold(before, given, terms)",
    "fold(empty(ipcId), given, terms)",
    "facts of a batch are folded without those before"
  ),
  books(
    "await Messages.rowsOf(tx, entries, posting)",
    "await Messages.rowsOf(tx, entries.slice(1), posting)",
    "the first entry of a turn isn't queued"
  ),
  books(
    'await tx.deleteFrom("ledger_holds").where("hold_id", "=", hold.hold_id).execute()',
    "",
    "answered holds stay open"
  ),
  books("number: number + kept.length + 1", "number: number + 2 * kept.length + 1", "the copies of entries skip facts"),
  facts(
    'if (change.values["certified_at"] != null && amount != null)',
    "if (amount != null && url == null)",
    "certificates aren't heard"
  ),
  facts("projectId, version: change.version }", 'projectId, version: "" }', "the first project stays"),
  fold(
    "books.payments.every(({ reference }) => reference !== fact.reference)",
    "books.payments.length === 0",
    "a second payment is lost"
  ),
  fold(
    "at === fact.at && units === fact.units && url === fact.url",
    "units === fact.units",
    "a later certificate of the same amount is lost"
  ),
  certified(
    "if (at <= payment.at || at === settled.at) continue",
    "if (at !== payment.at || at === settled.at) continue",
    "an amount certified after the payment is not asked about"
  ),
  wanted("    yield answer.open\n", "", "questions aren't asked"),
  known(
    'payments: of("payment").reduce(named, books.payments)',
    'payments: books.payments.reduce(named, of("payment"))',
    "the last payment counts as the first"
  ),
  posted("const isPaid = entries.some(", "const isPaid = entries.every(", "entries of a payment are of the wrong kind"),
  copies(
    '.where("sequence", ">", watermark.entries)',
    '.where("sequence", ">", watermark.entries + 1)',
    "an entry isn't copied"
  )
]

export const delivering: ReadonlyArray<Break> = [
  messages(
    '.set((of) => ({ state: "delivered",',
    '.set((of) => ({ state: "pending",',
    "delivered entries are sent forever"
  ),
  due(
    "before.state <> 'delivered' and before.sequence < o.sequence",
    "before.state = 'dead' and before.sequence < o.sequence",
    "entries of an IPC overtake each other"
  ),
  sending("Effect.sync(() => inHand.add(entry.ipc_id))", "Effect.void", "an entry is sent while it is under way"),
  sending("Effect.sync(() => inHand.delete(entry.ipc_id))", "Effect.void", "an IPC's next entry is never sent"),
  sending(
    "message.refusals + 1 >= SinkAnswer.mostRefusals",
    "message.refusals + 1 >= 1",
    "one refusal makes a dead message"
  ),
  outcomes("        Deferred.doneUnsafe(each.noted, Effect.fromResult(result))\n", "", "an attempt never ends"),
  post('"idempotency-key": entry.entry_id', '"idempotency-key": entry.ipc_id', "entries of an IPC share a key"),
  post("update(body)", "update(body.subarray(1))", "the signature doesn't match"),
  lines(
    "debit: Amount.sumOfUnits(units > 0n ? units : 0n)",
    "debit: Amount.sumOfUnits(units < 0n ? -units : units)",
    "accounting gets every line as a debit"
  ),
  answers(
    "if (status === 408 || status === 425 || status === 429 || status >= 500)",
    "if (status === 408 || status === 425 || status >= 500)",
    "a sink that is busy refuses"
  ),
  answers(
    'if (status >= 200 && status < 300) return { _tag: "Taken" }',
    'if (status >= 200 && status < 600) return { _tag: "Taken" }',
    "what the sink refused counts as delivered"
  ),
  answers("if (status === 409 && Option", "if (status === 410 && Option", "an entry that the sink has is refused")
]

export const exporting: ReadonlyArray<Break> = [
  nightly("yield* store.transaction((tx) => Schedule.serve(tx, name, due))", "", "an export runs again and again"),
  nightly("yield* Effect.sleep(retryAfter)", "yield* Effect.never", "a failed export isn't retried"),
  schedule("if (due <= nowMs) return", "if (due < nowMs - 50_000_000) return", "exports aren't due"),
  schedule(
    "Math.max(due, Cron.prev(cron, nowMs + 1).getTime())",
    "due + 0 * Cron.prev(cron, nowMs + 1).getTime()",
    "every missed time is caught up on"
  )
]
