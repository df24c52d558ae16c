/**
 * Carries out the ledger's verbs: the books for people, and delivery to the accounting system.
 */
import { Effect } from "effect"
import { Settings } from "../../../config/Settings.ts"
import * as Amount from "../../Domain/Amount.ts"
import * as Limits from "../../Domain/Limits.ts"
import type { Recorded } from "../../Ledger/Books.ts"
import * as AccountingFile from "../../Ledger/People/AccountingFile.ts"
import { Copies } from "../../Ledger/Copies.ts"
import * as PostingDays from "../../Ledger/Files/PostingDays.ts"
import { LedgerError } from "../../Ledger/People/Decide.ts"
import { Ledger } from "../../Ledger/Ledger.ts"
import * as Look from "../../Ledger/Look.ts"
import * as Holds from "../../Ledger/Look/Holds.ts"
import { Outbox } from "../../Ledger/Outbox.ts"
import type { Opening } from "../../Ledger/People.ts"
import { preview } from "../../Ledger/Preview.ts"
import { report } from "../../Ledger/Reports.ts"
import { parseHead } from "../../Ledger/Verify/Chained.ts"
import { Store } from "../../Stores/Store.ts"
import type { Handler, Payload, VerbName } from "../AdminApi.ts"
import { audit } from "../Audit.ts"

const posted = ({ closed, entries, opened }: Recorded) => ({
  posted: entries.map(({ entry_id, ipc_id, kind, units }) => ({
    entry_id,
    ipc_id,
    kind,
    amount: Amount.ofUnits(units)
  })),
  opened: opened.map(({ hold_id, ipc_id, reason }) => ({ hold_id, ipc_id, reason })),
  closed: closed.map(({ hold_id, ipc_id, reason }) => ({ hold_id, ipc_id, reason }))
})

const decide =
  (verdict: "accept" | "reject"): Handler<"ledger-accept", Copies | Ledger> =>
  ({ amount, ...decision }) =>
    copied(Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.decide({ ...decision, amount, verdict }), posted)))

/** Previewed before anyone has said who decides and why. */
const unsaid = "?"

const foresee: Handler<"ledger-foresee", Ledger> = ({ amount, by = "", ...decision }) =>
  Effect.flatMap(Ledger, (ledger) =>
    ledger.foresee({ ...decision, amount, by: by.trim() === "" ? unsaid : by, reason: unsaid })
  )

/** Lets analysts see at once what a person has decided. */
const copied = <A, E, R>(decided: Effect.Effect<A, E, R>) =>
  Effect.tap(
    decided,
    Effect.flatMap(Copies, ({ catchUp }) => catchUp)
  )

const changePeriod =
  (verb: "close" | "open"): Handler<"ledger-close", Copies | Ledger> =>
  ({ reason = "", ...change }) =>
    copied(
      Effect.flatMap(Ledger, (ledger) =>
        Effect.map(ledger.changePeriod({ ...change, verb, reason }), ({ openFrom, recorded }) => ({
          open_from: openFrom,
          ...posted(recorded)
        }))
      )
    )

const signOff: Handler<"ledger-opening", Copies | Ledger> = Effect.fnUntraced(function* ({ by, openings }) {
  const valid = openings.flatMap(({ amount, ...opening }): ReadonlyArray<Opening> => {
    const exact = Amount.read(amount, Amount.Money)
    return exact === undefined || exact.startsWith("-") ? [] : [{ ...opening, amount: exact }]
  })
  if (by.trim() === "" || valid.length < openings.length) {
    return yield* new LedgerError({ message: "Opening certificates need amounts above zero and a name (--by)." })
  }
  const long = valid.findIndex(({ ipcId }) => Limits.isTooLong(ipcId))
  if (long >= 0) {
    const message = `The ipc of opening certificate ${long + 1} is longer than ${Limits.longestId} bytes.`
    return yield* new LedgerError({ message })
  }
  const ledger = yield* Ledger
  return posted(yield* copied(ledger.signOff(valid, by.trim())))
})

const compare: Handler<"sink-compare", Ledger | Outbox> = Effect.fnUntraced(function* ({ path }) {
  const file = yield* AccountingFile.read(path)
  const { settles, takesOver, ...found } = yield* (yield* Ledger).compare(file)
  const waits = yield* (yield* Outbox).waits
  return {
    ...found,
    waits: waits?.why ?? null,
    others: file.others,
    settles: settles.length,
    ipcs: takesOver.length,
    cancels: takesOver.reduce((sum, { cancels }) => sum + cancels.length, 0)
  }
})

const takeOver: Handler<"sink-take-over", Copies | Ledger> = Effect.fnUntraced(function* ({ path, ...by }) {
  const file = yield* AccountingFile.read(path)
  return posted(yield* copied((yield* Ledger).takeOver(file, by)))
})

const verify: Handler<"ledger-verify", Effect.Services<ReturnType<typeof audit>>> = Effect.fnUntraced(function* ({
  since
}) {
  const head = since === undefined ? undefined : parseHead(since)
  if (since !== undefined && head === undefined) {
    return yield* new LedgerError({
      message: "--since is a head of the books: an entry's number, a colon and 64 characters, as verify prints it."
    })
  }
  return yield* audit(head)
})

const dead = Effect.gen(function* () {
  const outbox = yield* Outbox
  return (yield* outbox.dead).map((message) => ({
    sequence: message.sequence,
    entry_id: message.entryId,
    ipc_id: message.ipcId,
    queued_at: message.queuedAt,
    waiting_behind: message.waitingBehind,
    reason: message.reason
  }))
})

const holds = ({ limit = Look.allOfThem, ...wanted }: Payload<"ledger-holds">) =>
  Effect.all({ total: Holds.count(wanted), rows: Holds.holds({ ...wanted, limit }) })

export const ledger = {
  "ledger-list": ({ ipc, limit = Look.allOfThem }) =>
    Effect.all({ total: Look.count(ipc), rows: Look.journal(limit, ipc) }),
  "ledger-holds": holds,
  "ledger-days": (range) => Effect.map(PostingDays.days(range), (days) => ({ days })),
  "ledger-entries": (part) =>
    Effect.flatMap(Settings, ({ ledgerChart }) =>
      Effect.map(PostingDays.entriesOf(part, ledgerChart), (entries) => ({ entries }))
    ),
  "ledger-show": ({ id }) => Look.one(id),
  "ledger-accept": decide("accept"),
  "ledger-reject": decide("reject"),
  "ledger-foresee": foresee,
  "ledger-opening": signOff,
  "ledger-post": ({ credit, currency, debit, ipc: ipcId, reference, ...posting }) =>
    copied(
      Effect.flatMap(Ledger, (books) =>
        Effect.map(books.post({ ...posting, ipcId, credit, currency, debit, reference }), posted)
      )
    ),
  "ledger-reverse": ({ entry, ...by }) =>
    copied(Effect.flatMap(Ledger, (books) => Effect.map(books.reverse(entry, by), posted))),
  "ledger-close": changePeriod("close"),
  "ledger-open": changePeriod("open"),
  "ledger-verify": verify,
  "ledger-preview": () =>
    Effect.flatMap(Settings, (settings) => Effect.flatMap(Store, (store) => preview(store, settings.ledger))),
  report: ({ asOf, name, ...only }) =>
    Effect.flatMap(Settings, ({ ledgerChart }) => report(name, asOf, ledgerChart, only)),
  explain: ({ ipc }) => Look.explain(ipc),
  "sink-dead": () => dead,
  "sink-replay": ({ entry }) =>
    Effect.flatMap(Outbox, (outbox) => Effect.map(outbox.replay(entry), (replayed) => ({ replayed }))),
  "sink-compare": compare,
  "sink-take-over": takeOver,
  "sink-pause": ({ by, reason }) =>
    Effect.flatMap(Outbox, (outbox) => Effect.map(outbox.pause(by, reason), (epoch) => ({ epoch }))),
  "sink-settle": ({ by, entry, reason }) =>
    Effect.flatMap(Outbox, (outbox) => Effect.as(outbox.settle(entry, by, reason), { settled: entry })),
  "sink-release": ({ entry, ...by }) => Effect.flatMap(Ledger, (books) => books.release(entry, by)),
  "sink-send": ({ from }) => Effect.flatMap(Outbox, (outbox) => Effect.map(outbox.send(from), (queued) => ({ queued })))
} satisfies { readonly [Name in VerbName]?: Handler<Name> }
