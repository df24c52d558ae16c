/** A listed record that an engine can't hold, on both engines. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import * as Pass from "../../src/Walk/Pass.ts"
import { engines } from "../Stores/WarehouseEngines.ts"
import { listModel } from "./ListModel.ts"
import { passing } from "./Passing.ts"

describe.each(engines)("a record with a NUL, on $name,", ({ isSkipped, layer }) => {
  it.live.skipIf(isSkipped)("waits in quarantine; its page goes on, and its earlier row stays listed", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const warehouse = yield* Warehouse
      const list = listModel([1, 2, 3])
      const pass = Effect.gen(function* () {
        const previous = yield* Checkpoints.load(store, "projects")
        return yield* Pass.run({ ...(yield* passing), list, pageSize: 10, concurrency: 1 }, previous)
      })
      yield* pass
      list.nameOf = (id) => (id === 2 ? "N\0" : `Renamed ${id}`)
      for (let passes = 0; passes < 3; passes++) assert.strictEqual((yield* pass).state.proof, "proven")
      const rows = yield* warehouse.query((db) =>
        db.selectFrom("construction.projects").select(["id", "name", "_deleted_at"]).orderBy("id").execute()
      )
      assert.deepStrictEqual(rows, [
        { id: "1", name: "Renamed 1", _deleted_at: null },
        { id: "2", name: "Project 2", _deleted_at: null },
        { id: "3", name: "Renamed 3", _deleted_at: null }
      ])
      const kept = yield* store.run((db) => db.selectFrom("record_quarantine").select(["record", "reason"]).execute())
      assert.deepStrictEqual(kept, [
        { record: '{"id":2,"name":"N\\u0000","status":"awarded"}', reason: "not-storable" }
      ])
    }).pipe(Effect.provide(layer, { local: true }), Effect.scoped)
  )
})
