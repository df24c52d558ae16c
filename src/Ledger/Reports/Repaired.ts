/**
 * What was repaired after events were missed, and what only a person can repair: certificates that were looked up and
 * those that weren't found, payments that only the service's list shows, gaps that a person has closed, and when each
 * list was last walked.
 */
import { Effect } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import * as Instant from "../../Domain/Instant.ts"
import { entityNames } from "../../Domain/Resource.ts"
import { Store } from "../../Stores/Store.ts"
import { toFact } from "../Rows.ts"
import type { Report, Row } from "./Report.ts"
import { type AsOf, endOf } from "./Entries.ts"

const columns = ["what", "of", "at", "amount", "outcome"]

/** The most rows of each kind; the newest are shown. */
const most = 10_000

const toDo = "yours: replay its delivery in the service, or post it (ledger post)"

export const repaired = ({ day, terms }: AsOf) =>
  Effect.gen(function* () {
    const store = yield* Store
    const end = endOf(day, terms.timezone)
    const facts = yield* store.run((db) =>
      db
        .selectFrom("ledger_facts")
        .selectAll()
        .where("kind", "=", "looked-up")
        .where("known_at", "<", end)
        .orderBy("number", "desc")
        .limit(most)
        .execute()
    )
    const [missing, unheard, gaps, walks] = yield* Effect.all([
      store.run((db) =>
        db
          .selectFrom("lookups")
          .innerJoin("ledger_holds", "ledger_holds.ipc_id", "lookups.id")
          .select(["lookups.id", "lookups.looked_at", "lookups.found"])
          .where("lookups.resource", "=", "ipcs")
          .where("lookups.found", "is not", null)
          .where("ledger_holds.reason", "=", "awaiting-certified-amount")
          .orderBy("lookups.id")
          .limit(most)
          .execute()
      ),
      store.run((db) => db.selectFrom("unheard").selectAll().orderBy("ipc_id").limit(most).execute()),
      store.run((db) => db.selectFrom("closed_gaps").selectAll().orderBy("from_ms").execute()),
      store.run((db) =>
        db.selectFrom("walks").selectAll().where("resource", "in", entityNames).orderBy("resource").execute()
      )
    ])
    const rows: ReadonlyArray<Row> = [
      ...unheard.map((row) => rowOf("payment without an event", row.ipc_id, row.paid_at, toDo)),
      ...missing.map((row) => rowOf("certificate not found", row.id, row.looked_at, `yours: ${row.found ?? ""}`)),
      ...facts.map(toFact).flatMap((fact) =>
        fact.kind === "looked-up"
          ? [
              {
                ...rowOf("certificate looked up", fact.ipcId, fact.knownAt, "repaired"),
                amount: Amount.sumOfUnits(fact.units)
              }
            ]
          : []
      ),
      ...walks.map((row) => rowOf("list walked", row.resource, row.proof_at, row.proof ?? "running")),
      ...gaps.map((row) => rowOf("gap closed", inWords(row), row.closed_at, row.reason))
    ]
    return { columns, rows: rows.filter(({ at }) => at === null || String(at) < end) } satisfies Report
  })

const rowOf = (what: string, of: string, at: string | null, outcome: string): Row => ({
  what,
  of,
  at,
  amount: null,
  outcome
})

const inWords = ({ from_ms: fromMs, to_ms: toMs }: { readonly from_ms: number; readonly to_ms: number }): string =>
  [fromMs, toMs].map((ms) => Instant.fromMillis(Number(ms))).join(" to ")
