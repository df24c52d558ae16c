/**
 * Tables gain columns automatically: what walks write is examined, and a field without a column gets one once a pass
 * has shown the whole list. Values that don't fit a learned column get a column beside it.
 *
 *   Walk ──pages──► Learning ──► Warehouse          after a pass:  columns ──► Store (learned) ──► Warehouse (added)
 *
 * A learned column is in the Store before any table has it, or in the same transaction where both are one database.
 * Columns are added rarely and for all lists together, because each time everything else stops for a moment. Only the
 * leader walks, so only the leader learns.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import * as Instant from "../Domain/Instant.ts"
import * as Beat from "../Runtime/Beat.ts"
import { led } from "../Runtime/Leadership.ts"
import * as LogLine from "../Runtime/LogLine.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import type { EntityTable } from "../Stores/EntityTables.ts"
import * as LearnedColumns from "../Stores/LearnedColumns.ts"
import type { LearnedColumn } from "../Stores/LearnedColumns.ts"
import { Store } from "../Stores/Store.ts"
import { type Batch, Warehouse } from "../Stores/Warehouse.ts"
import * as Checkpoints from "./Checkpoints.ts"
import { Gathered } from "./Gathered.ts"

/** How often to check whether there is something to add. */
const every = Duration.seconds(5)
/** The minimum pause after columns were added. */
const rest = Duration.minutes(1)

const reason = "columns"

/** `learn`: adds the columns that are due; returns true if there were any. */
export const learner = Effect.gen(function* () {
  const store = yield* Store
  const warehouse = yield* Warehouse
  const gathered = new Gathered()
  const known = new Map<string, EntityTable>()
  /** Some columns are learned, but perhaps not added yet. */
  let isBehind = false
  let [added, misfits] = [0, 0]

  const tableOf = Effect.fnUntraced(function* (name: string) {
    const table = known.get(name) ?? (yield* warehouse.table(name))
    known.set(name, table)
    return table
  })

  const write = Effect.fnUntraced(function* (batch: Batch) {
    yield* warehouse.write(batch)
    for (const [name, changes] of Map.groupBy(batch.changes, ({ entity }) => entity)) {
      misfits += gathered.take(yield* tableOf(name), changes)
    }
  })

  const add = Effect.fnUntraced(function* (columns: ReadonlyArray<LearnedColumn>) {
    isBehind = true
    yield* store.atomically(Effect.andThen(remember(store, columns), warehouse.evolve))
    isBehind = false
    added += columns.length
    known.clear()
    for (const [resource, those] of Map.groupBy(columns, (column) => column.resource)) {
      const shown = those.map(({ name, type }) => `${name} ${type}`).join(", ")
      yield* LogLine.write("columns.added", { resource, columns: shown })
    }
  })

  const learn = Effect.gen(function* () {
    // Another worker may have learned something.
    known.clear()
    const { names } = gathered
    if (names.length === 0 && !isBehind) return false
    const walks = new Map((yield* Checkpoints.loadAll(store)).map((state) => [state.resource, state]))
    const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
    const tables = yield* warehouse.tables
    const columns = names.flatMap((name) => gathered.ripe(tables.of(name), walks.get(name), at))
    const isDue = columns.length > 0 || isBehind
    if (isDue) yield* add(columns)
    for (const name of names) gathered.forget(name, walks.get(name))
    return isDue
  })

  const status = Effect.sync((): LearningStatus => ({ columns: added, misfits }))
  return { warehouse: Warehouse.of({ ...warehouse, write }), learn, status }
})

const remember = (store: Store["Service"], columns: ReadonlyArray<LearnedColumn>) =>
  columns.length === 0 ? Effect.void : store.transaction((tx) => LearnedColumns.add(tx, columns))

const make = Effect.gen(function* () {
  const reasons = yield* Reasons
  const learning = yield* learner
  const shown = learning.learn.pipe(
    Effect.tap(() => reasons.clear(reason)),
    Effect.catch(({ message }) => Effect.as(reasons.set(reason, `New columns can't be added: ${message}`), true))
  )
  const turn = Effect.flatMap(Effect.andThen(Beat.next(every), shown), (isDone) =>
    isDone ? Effect.sleep(rest) : Effect.void
  )
  yield* Effect.forkScoped(led("new columns", turn))
  return Learning.of(learning)
})

export interface LearningStatus {
  /** Added since this worker started. */
  readonly columns: number
  /** Values of listed records that didn't fit their column, since this worker started. */
  readonly misfits: number
}

export class Learning extends Context.Service<
  Learning,
  {
    /** The warehouse for walks to write to. */
    readonly warehouse: Warehouse["Service"]
    readonly status: Effect.Effect<LearningStatus>
  }
>()("siteledger/Learning") {
  static readonly layer = Layer.effect(Learning, make)

  static readonly walking = Layer.effect(
    Warehouse,
    Effect.map(Learning, ({ warehouse }) => warehouse)
  )
}
