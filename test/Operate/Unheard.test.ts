/**
 * Payments that only the service's list shows: which count, what is said about them, and that the reason clears once an
 * event reports them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { plain } from "../../config/Chart.ts"
import { resourceOf } from "../../src/Discovery/Resources.ts"
import type { Change } from "../../src/Domain/Change.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Version from "../../src/Domain/Version.ts"
import { type OpenGap, Uptime } from "../../src/Intake/Uptime.ts"
import { report } from "../../src/Ledger/Reports.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import * as Unheard from "../../src/Operate/Unheard.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Resources } from "../../src/Stores/Resources.ts"
import { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { column, listOf } from "../connectors/ReviewedLists.ts"
import { contractor } from "../Ledger/Contractor.ts"
import { engines } from "../Stores/WarehouseEngines.ts"

const list = listOf({
  read: "GET /ipcs",
  table: "ipcs",
  columns: [column("id"), column("listed_paid_at", "TIMESTAMPTZ", { from: "/paid_at" })]
})

const hour = 3_600_000
const now = Date.UTC(2026, 10, 20)
const ago = (hours: number) => Instant.fromMillis(now - hours * hour)

const row = (id: string, values: Change["values"], source: Change["source"] = "page"): Change => ({
  entity: "ipcs",
  id,
  version: Version.make(now * 1000, 0, "a".repeat(64)),
  source,
  seenAt: ago(0),
  values,
  misfits: {},
  extra: {}
})

const written = [
  row("long ago", { listed_paid_at: ago(300) }),
  row("retried", { listed_paid_at: ago(20) }),
  row("in a gap", { listed_paid_at: ago(3) }),
  row("missed", { listed_paid_at: ago(30) }),
  row("unpaid", { listed_paid_at: null }),
  row("heard", { listed_paid_at: ago(30), paid_at: ago(30) }),
  row("gone", { listed_paid_at: ago(30), _deleted_at: ago(1) })
]

/** What the service heard first, 100 hours ago. */
const heard = { receivedAfter: () => Effect.succeed(ago(100)) }

const gap: OpenGap = {
  fromMs: now - 4 * hour,
  toMs: now - 2 * hour,
  healsAtMs: undefined,
  isLost: true,
  cameLate: undefined
}

for (const { isSkipped, layer, name } of engines) {
  describe.skipIf(isSkipped)(`payments that only a list shows, in ${name}`, () => {
    it.effect("are named once no retry can bring their events, and until one does", () => {
      const stores = layer.pipe(Layer.provide(Layer.succeed(Resources, [resourceOf(list)])))
      const world = Ledger.layerWith(contractor).pipe(
        Layer.provideMerge(stores),
        Layer.provideMerge(Reasons.layer),
        Layer.provideMerge(Layer.mock(Uptime, { gaps: Effect.succeed([gap, { ...gap, isLost: false, fromMs: 0 }]) }))
      )
      return Effect.gen(function* () {
        yield* TestClock.setTime(now)
        const { write } = yield* Warehouse
        const store = yield* Store
        const hearing = Store.of({ ...store, deliveries: { ...store.deliveries, ...heard } })
        const looked = Effect.provideService(Unheard.look("listed_paid_at"), Store, hearing)
        const said = Effect.map((yield* Reasons).all, (all) =>
          all.map(({ level, sentence }) => `${level}: ${sentence}`)
        )
        yield* write({ changes: written, events: [] })
        yield* looked
        assert.match(
          (yield* said)[0] ?? "",
          /^notice: According to the service's list, 2 IPCs were paid \(for example in a gap, at [^)]*\), but no event said so: /
        )
        const rows = yield* store.run((db) => db.selectFrom("unheard").selectAll().orderBy("ipc_id").execute())
        assert.deepStrictEqual(
          rows.map(({ ipc_id, paid_at }) => [ipc_id, paid_at]),
          [
            ["in a gap", ago(3)],
            ["missed", ago(30)]
          ]
        )
        const shown = yield* report("repaired", undefined, plain)
        assert.deepStrictEqual(
          shown.rows.map(({ of, what }) => [what, of]),
          [
            ["payment without an event", "in a gap"],
            ["payment without an event", "missed"]
          ]
        )
        const events = ["in a gap", "missed"].map((id) => row(id, { paid_at: ago(30) }, "event"))
        yield* write({ changes: events, events: [] })
        yield* looked
        assert.deepStrictEqual(yield* said, [])
        assert.deepStrictEqual(yield* store.run((db) => db.selectFrom("unheard").selectAll().execute()), [])
      }).pipe(Effect.provide(world), Effect.scoped)
    })
  })
}
