/**
 * What a finished pass proves: that it saw as many ids as the service counts, or the same ids as the pass before it. Only then
 * are records buried that neither of the two has shown.
 */
import { Effect } from "effect"
import { sql } from "kysely"
import * as Change from "../Domain/Change.ts"
import * as Instant from "../Domain/Instant.ts"
import * as Version from "../Domain/Version.ts"
import type { Store } from "../Stores/Store.ts"
import type { Warehouse } from "../Stores/Warehouse.ts"
import * as Checkpoints from "./Checkpoints.ts"
import type { List } from "./Source.ts"

export interface Walking {
  readonly list: Pick<List, "resource">
  readonly store: Store["Service"]
  readonly warehouse: Warehouse["Service"]
}

const tombstoneBatch = 1000

interface Evidence {
  /** The service counts the list's records. */
  readonly isCounted: boolean
  /** The pass before it may have missed nothing. */
  readonly isPreviousWhole: boolean
}

/** Ends a pass. */
export const finish = Effect.fnUntraced(function* (
  pass: Walking,
  state: Checkpoints.PassState,
  disturbance: string | undefined,
  { isCounted, isPreviousWhole }: Evidence = { isCounted: true, isPreviousWhole: true }
) {
  const isWhole = disturbance === undefined && state.disturbed === 0 && (!isCounted || state.rows === state.total)
  const isSame = isWhole && isPreviousWhole && state.pass > 1 && (yield* Checkpoints.sawSameIds(pass.store, state))
  if (isSame) yield* buryAbsent(pass, state)
  const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  const proof = proofOf(isWhole, isSame, isCounted)
  const finished: Checkpoints.PassState = {
    ...state,
    finished_at: Instant.fromMillis(now),
    proof,
    proof_at: Instant.fromMillis(now),
    disturbed_in_a_row: isWhole ? 0 : state.disturbed_in_a_row + 1
  }
  yield* Checkpoints.saveState(pass.store, finished)
  return { state: finished, disturbance: disturbance ?? describe(state, isCounted) }
})

const proofOf = (isWhole: boolean, isSame: boolean, isCounted: boolean): Checkpoints.Proof => {
  if (isSame) return isCounted ? "proven" : "passes-agree"
  return isWhole && isCounted ? "counts-agree" : "unproven"
}

const describe = (state: Checkpoints.PassState, isCounted: boolean): string | undefined => {
  if (isCounted && state.rows !== state.total) {
    return `The list of ${state.resource} showed ${state.rows} distinct ids, but its total is ${state.total}.`
  }
  return state.disturbed === 0 ? undefined : `The list of ${state.resource} changed while it was being walked.`
}

/**
 * Tombstones for what two agreeing passes in a row did not show. After an answer that took long, a tombstone can be older
 * than its row and lose: then the next pass tries again.
 */
const buryAbsent = Effect.fnUntraced(function* (pass: Walking, state: Checkpoints.PassState) {
  const at = state.started_at
  const version = Version.make(Instant.toMicros(at), 0, "")
  while (true) {
    const ids = yield* Checkpoints.absentIds(pass.store, state, tombstoneBatch)
    if (ids.length === 0) return
    const records = ids.filter(Checkpoints.isRecordId)
    const changes = records.map((id) => Change.absence(pass.list.resource, id, version, at))
    yield* pass.warehouse.write({ changes, events: [] })
    const left = yield* unburied(pass, records)
    const buried = ids.filter((id) => !left.has(id))
    if (buried.length === 0) return
    yield* Checkpoints.forget(pass.store, state.resource, buried)
  }
})

const unburied = Effect.fnUntraced(function* ({ list, warehouse }: Walking, ids: ReadonlyArray<string>) {
  if (ids.length === 0) return new Set<string>()
  const { key } = yield* warehouse.table(list.resource)
  const { rows } = yield* warehouse.query((db) =>
    sql<{ id: unknown }>`
      select ${sql.ref(key)} as id from ${sql.table(`construction.${list.resource}`)}
      where ${sql.ref(key)} in (${sql.join(ids)}) and _deleted_at is null`.execute(db)
  )
  return new Set(rows.map(({ id }) => String(id)))
})
