/**
 * What a person can ask of the ledger, through the running worker or not; each returns what to show, as JSON.
 * Arguments are texts by name, as they come from the command line.
 */
import { Effect, Schema } from "effect"
import { Settings } from "../../config/Settings.ts"
import * as Amount from "../Domain/Amount.ts"
import { Ledger, type Opening } from "./Ledger.ts"
import { Store } from "../Stores/Store.ts"
import type { Told } from "./Books.ts"
import { LedgerError } from "./Decide.ts"
import * as Look from "./Look.ts"
import { preview } from "./Preview.ts"
import { sinkVerbs } from "./Outbox/SinkVerbs.ts"

type Argument = Readonly<Record<string, string | undefined>>

const limitOf = ({ limit }: Argument): number => {
  const most = Number(limit ?? Look.allOfThem)
  return Number.isSafeInteger(most) && most > 0 ? most : Look.allOfThem
}

/** `total`: how many there are, be they among the rows or not. */
const looked =
  (table: "ledger_entries" | "ledger_holds", look: typeof Look.journal | typeof Look.holds) => (given: Argument) =>
    Effect.all({ total: Look.count(table, given["ipc"]), rows: look(limitOf(given), given["ipc"]) })

const posted = ({ closed, entries, opened }: Told) => ({
  posted: entries.map(({ entry_id, ipc_id, kind, units }) => ({
    entry_id,
    ipc_id,
    kind,
    amount: Amount.ofUnits(units)
  })),
  opened: opened.map(({ hold_id, ipc_id, reason }) => ({ hold_id, ipc_id, reason })),
  closed: closed.map(({ hold_id, ipc_id, reason }) => ({ hold_id, ipc_id, reason }))
})

const decide = (verdict: "accept" | "reject") => (given: Argument) =>
  Effect.flatMap(Ledger, (ledger) =>
    Effect.map(
      ledger.decide({
        hold: given["hold"] ?? "",
        verdict,
        amount: given["amount"],
        currency: given["currency"],
        by: given["by"] ?? "",
        reason: given["reason"] ?? ""
      }),
      posted
    )
  )

const Openings = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({ ipcId: Schema.NonEmptyString, amount: Schema.String, certificate: Schema.NonEmptyString })
  )
)

const signOff = Effect.fnUntraced(function* (given: Argument) {
  const openings = yield* Schema.decodeUnknownEffect(Openings)(given["openings"]).pipe(
    Effect.mapError(() => new LedgerError({ message: "The opening certificates are not as they should be." }))
  )
  const read = openings.flatMap(({ amount, ...opening }): ReadonlyArray<Opening> => {
    const exact = Amount.read(amount, Amount.Money)
    return exact === undefined || exact.startsWith("-") ? [] : [{ ...opening, amount: exact }]
  })
  const by = given["by"]?.trim() ?? ""
  if (by === "" || read.length < openings.length) {
    return yield* new LedgerError({ message: "Opening certificates need amounts above zero and a name (--by)." })
  }
  const ledger = yield* Ledger
  return posted(yield* ledger.signOff(read, by))
})

/** By the name that the admin listener and the command line know them by. */
export const verbs = {
  "ledger-list": looked("ledger_entries", Look.journal),
  "ledger-holds": looked("ledger_holds", Look.holds),
  "ledger-show": (given: Argument) => Look.one(given["id"] ?? ""),
  "ledger-accept": decide("accept"),
  "ledger-reject": decide("reject"),
  "ledger-opening": signOff,
  "ledger-verify": (_given: Argument) => Effect.flatMap(Ledger, (ledger) => ledger.verify),
  "ledger-preview": (_given: Argument) =>
    Effect.flatMap(Settings, (settings) => Effect.flatMap(Store, (store) => preview(store, settings.ledger))),
  ...sinkVerbs,
  explain: (given: Argument) => Look.explain(given["ipc"] ?? "")
} as const

export type Verb = keyof typeof verbs
