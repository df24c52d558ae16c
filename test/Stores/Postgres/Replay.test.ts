/** A replay of the quarantine writes rows, entries and the quarantine in one transaction, as Apply does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Apply } from "../../../src/Intake/Apply.ts"
import type { Change } from "../../../src/Domain/Change.ts"
import { EventReader } from "../../../src/Domain/Event.ts"
import { Inbox } from "../../../src/Intake/Inbox.ts"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { at, certified, paid } from "../../Ledger/Started.ts"
import * as Databases from "../../Postgres.ts"
import { ask, database, delivery, storesAt, until } from "./World.ts"

/** Reads every delivery as the same payment, once it can be read. */
const reader = (readable: { now: boolean }, change: Change) =>
  Layer.succeed(
    EventReader,
    EventReader.of({
      ledgerTypes: [],
      awaitedTypes: [],
      read: () => ({
        text: null,
        type: "ipc.paid",
        relabelled: false,
        misfits: 0,
        isByLabel: false,
        ...(readable.now
          ? { eventTimestamp: at(2), entity: "ipcs", entityId: "1", reason: null, change }
          : { eventTimestamp: null, entity: null, entityId: null, reason: "no-key", change: undefined })
      })
    })
  )

const refusing = `
  create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
  create trigger refuse before delete on siteledger.quarantine for each row execute function public.refuse()`

const state = `
  select (select count(*) from construction.ipcs where payment_reference is not null) as paid,
    (select count(*) from ledger.ledger_facts) as facts, (select count(*) from ledger.ledger_entries) as entries,
    (select count(*) from siteledger.quarantine) as quarantined,
    (select string_agg(outcome, ',') from construction.events) as outcomes`

describe.skipIf(Databases.skipped !== undefined)("a replay of the quarantine", () => {
  it.live("posts nothing and changes no row if it fails at its end; the next one does everything once", () =>
    Effect.gen(function* () {
      const own = yield* database
      const readable = { now: false }
      const worker = Apply.layer.pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            Inbox.layer,
            Ledger.layerWith(contractor),
            Copies.layer,
            reader(readable, paid("1", 2, 2).change)
          )
        ),
        Layer.provideMerge(Layer.merge(storesAt(own.url), Reasons.layer))
      )
      yield* Effect.gen(function* () {
        const inbox = yield* Inbox
        const { replay } = yield* Apply
        yield* (yield* Ledger).hear([certified("1", 1, 1, "100.0000")])
        yield* Effect.promise(() => inbox.offer(delivery("paid")))
        const before = { paid: "0", facts: "1", entries: "0", quarantined: "1", outcomes: "quarantined" }
        yield* until(Effect.map(ask(own, state), ([row]) => row?.["outcomes"] === "quarantined"))
        assert.deepStrictEqual(yield* ask(own, state), [before])

        readable.now = true
        yield* ask(own, refusing)
        assert.include((yield* Effect.flip(replay)).message, "not now")
        assert.deepStrictEqual(yield* ask(own, state), [before])

        yield* ask(own, "drop trigger refuse on siteledger.quarantine")
        assert.deepStrictEqual(yield* replay, { read: 1, applied: 1 })
        assert.deepStrictEqual(yield* replay, { read: 0, applied: 0 })
        const after = { paid: "1", facts: "2", entries: "1", quarantined: "0", outcomes: "applied" }
        assert.deepStrictEqual(yield* ask(own, state), [after])
      }).pipe(Effect.provide(worker))
    }).pipe(Effect.scoped)
  )
})
