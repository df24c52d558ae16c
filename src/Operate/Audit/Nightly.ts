/**
 * Audits at the times of the exports, once for each (`Stores/Schedule`); one audit at the next start makes up for all
 * that were missed. A failed audit is retried after a while.
 */
import { type Cron, Duration, Effect, Layer } from "effect"
import { led } from "../../Runtime/Leadership.ts"
import * as Schedule from "../../Stores/Schedule.ts"
import { Store } from "../../Stores/Store.ts"
import { audit, remembered } from "../Audit.ts"
import * as LogLine from "../../Runtime/LogLine.ts"

const name = "audit"
const retryAfter = Duration.minutes(30)

export const layerWith = (cron: Cron.Cron) =>
  Layer.effectDiscard(Effect.forkScoped(led("the nightly audit", turn(cron))))

const turn = (cron: Cron.Cron) =>
  Effect.gen(function* () {
    const store = yield* Store
    // Done by the leader, which also audits next: no other worker would clear the reason.
    yield* remembered
    const due = yield* Schedule.untilDue(name, cron)
    yield* audit()
    yield* store.transaction((tx) => Schedule.serve(tx, name, due))
  }).pipe(
    Effect.catch((error) =>
      Effect.andThen(LogLine.write("audit.postponed", { why: error.message }), Effect.sleep(retryAfter))
    )
  )
