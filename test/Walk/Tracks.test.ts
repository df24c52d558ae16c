/** Whether another worker has changed where a list is, as its leader sees it in one look. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { Store, StoreError } from "../../src/Stores/Store.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import * as Tracks from "../../src/Walk/Tracks.ts"
import { listModel } from "./ListModel.ts"
import { stores } from "./Passing.ts"

const at = "2026-11-27T00:00:00.000000Z"

describe("where a list is", () => {
  it.effect("has changed once another worker has begun a pass or was asked for one, until it is restored", () =>
    Effect.gen(function* () {
      const store = yield* Store
      const list = listModel([])
      const track = yield* Tracks.make(list, Duration.hours(1))
      const changed = Tracks.hasChanged(store, track)
      assert.isFalse(yield* changed, "nothing was walked")
      const begun = Checkpoints.following(list, undefined, at)
      for (const state of [begun, { ...begun, rows: 3, finished_at: at }, { ...begun, pass: 2 }]) {
        yield* Checkpoints.begin(store, state)
        assert.isTrue(yield* Tracks.hasChanged(store, track))
        yield* Tracks.restore(store, track)
        assert.isFalse(yield* Tracks.hasChanged(store, track))
      }
      const failing = { ...store, run: () => Effect.fail(new StoreError({ reason: "Failed", message: "away" })) }
      assert.isFalse(yield* Tracks.hasChanged(failing, track), "a Store that doesn't answer")
    }).pipe(Effect.provide(stores))
  )
})
