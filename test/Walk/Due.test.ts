/** When a list is read next, and whether whole or only what changed. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import * as Due from "../../src/Walk/Due.ts"
import type { List } from "../../src/Walk/Source.ts"

const nowMs = Date.UTC(2026, 10, 20, 12)
const minutesAgo = (minutes: number) => Instant.fromMillis(nowMs - minutes * 60_000)

const list = (given: Partial<List> = {}): List => ({ resource: "things", fetch: () => Effect.never, ...given })
const filtered = list({ whole: Duration.days(1) })

const state = (given: Partial<Checkpoints.PassState>): Checkpoints.PassState => ({
  ...Checkpoints.following({ resource: "things" }, undefined, minutesAgo(60)),
  finished_at: minutesAgo(10),
  ...given
})

const next = (of: List, given: Checkpoints.PassState | undefined) => {
  const { inMs, reads } = Due.next({ list: of, every: Duration.hours(1), state: given }, nowMs)
  return `${reads} in ${inMs / 60_000} min`
}

describe("a list is read", () => {
  it("at once if it never was, or if that was cut off", () => {
    assert.strictEqual(next(list(), undefined), "whole in 0 min")
    assert.strictEqual(next(filtered, state({ finished_at: null, changed_at: minutesAgo(999) })), "whole in 0 min")
  })

  it("as often as it says; after the first disturbed passes at once, then with growing pauses", () => {
    assert.strictEqual(next(list(), state({})), "whole in 50 min")
    assert.strictEqual(next(list(), state({ disturbed_in_a_row: 2 })), "whole in 0 min")
    const at = Instant.fromMillis(nowMs)
    assert.strictEqual(next(list(), state({ finished_at: at, disturbed_in_a_row: 6 })), `whole in ${40 / 60} min`)
    assert.strictEqual(next(list(), state({ finished_at: at, disturbed_in_a_row: 60 })), "whole in 60 min")
  })

  it("whole once more after the first pass, if that proved nothing", () => {
    const first = { pass: 1, proof: "unproven" }
    assert.strictEqual(next(filtered, state(first)), "whole in 50 min")
    assert.strictEqual(next(filtered, state({ ...first, pass: 2 })), "changed in 50 min")
    assert.strictEqual(next(filtered, state({ ...first, proof: "counts-agree" })), "changed in 50 min")
  })

  it("for what changed as often, and whole only as often as that says", () => {
    assert.strictEqual(next(filtered, state({})), "changed in 50 min")
    assert.strictEqual(
      next(filtered, state({ finished_at: minutesAgo(600), changed_at: minutesAgo(7) })),
      "changed in 53 min"
    )
    assert.strictEqual(
      next(filtered, state({ finished_at: minutesAgo(1430), changed_at: minutesAgo(7) })),
      "whole in 10 min"
    )
    assert.strictEqual(
      next(filtered, state({ finished_at: minutesAgo(1500), changed_at: minutesAgo(7) })),
      "whole in 0 min"
    )
    assert.strictEqual(next(filtered, state({ disturbed_in_a_row: 1 })), "whole in 0 min")
  })

  it("whole at once if it is read otherwise than before", () => {
    assert.strictEqual(next(list({ definition: "new" }), state({ definition: "old" })), "whole in 0 min")
    assert.strictEqual(next(list({ definition: "same" }), state({ definition: "same" })), "whole in 50 min")
  })
})
