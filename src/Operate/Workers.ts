/**
 * The workers that share one database. Each reports every few seconds, so any of them can show them all. A worker that
 * hasn't reported for a while is shown as gone, and is forgotten after an hour.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import * as Instant from "../Domain/Instant.ts"
import * as Beat from "../Runtime/Beat.ts"
import { Leadership } from "../Runtime/Leadership.ts"
import { version } from "../Runtime/Program.ts"
import { type Reason, Reasons, wrongOf } from "../Runtime/Reasons.ts"
import { toDoOf } from "../Runtime/Reasons/ToDo.ts"
import { supervised } from "../Runtime/Supervisor.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import type { WorkerStatus } from "./AdminApi/StatusReport.ts"

const reportEvery = Duration.seconds(2)
const goneAfterMs = 10_000
const forgottenAfterMs = 3_600_000

export class Workers extends Context.Service<
  Workers,
  {
    /** This worker's id, new at each start. */
    readonly id: string
    /** Empty where only one worker is possible. */
    readonly all: Effect.Effect<ReadonlyArray<WorkerStatus>, StoreError>
  }
>()("siteledger/Workers") {
  static readonly layer: Layer.Layer<Workers, never, Store | Reasons> = Layer.effect(
    Workers,
    Effect.gen(function* () {
      const { workers } = yield* Store
      const reasons = yield* Reasons
      const leadership = yield* Leadership
      const id = randomUUID()
      const here = {
        id,
        host: hostname(),
        pid: process.pid,
        version,
        started_at: Instant.fromMillis(yield* Clock.currentTimeMillis)
      }
      const report = Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const details = yield* reasons.all
        const row = {
          ...here,
          seen_at: Instant.fromMillis(nowMs),
          is_leader: yield* leadership.isLeading,
          // Workers of version 0.1 read only the sentences.
          reasons: JSON.stringify(wrongOf(details)),
          reason_details: JSON.stringify(details)
        }
        yield* workers.say(row, Instant.fromMillis(nowMs - forgottenAfterMs))
      }).pipe(
        Effect.catchTag("StoreError", (error) => Effect.logDebug("This worker can't report to the others", error))
      )

      yield* Effect.addFinalizer(() => Effect.ignore(workers.withdraw(id)))
      yield* report
      yield* Effect.forkScoped(
        supervised("the report to other workers", Effect.andThen(Beat.next(reportEvery), report))
      )

      return Workers.of({
        id,
        all: Effect.gen(function* () {
          const nowMs = yield* Clock.currentTimeMillis
          return (yield* workers.all).map((row) => ({
            host: row.host,
            pid: row.pid,
            startedAt: row.started_at,
            seenAt: row.seen_at,
            isUp: nowMs - Instant.toMicros(row.seen_at) / 1000 < goneAfterMs,
            isLeader: row.is_leader,
            isThis: row.id === id,
            reasons: JSON.parse(row.reasons) as ReadonlyArray<string>,
            reasonDetails: detailsOf(row)
          }))
        })
      })
    })
  )
}

/** A worker of version 0.1 gives only sentences. */
const detailsOf = ({ reason_details: details, reasons, seen_at }: StoreTables["workers"]): ReadonlyArray<Reason> =>
  details === null
    ? (JSON.parse(reasons) as ReadonlyArray<string>).map((sentence) => ({
        key: sentence,
        level: "degraded",
        sentence,
        since: seen_at,
        toDo: toDoOf(sentence)
      }))
    : (JSON.parse(details) as ReadonlyArray<Reason>).map((each) => ({ ...each, toDo: toDoOf(each.key) }))
