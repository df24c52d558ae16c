/** When the copy of a list is next proven, from what its passes need, when they are due, and its share of the plan. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import { estimated } from "../../src/Walk/Estimate.ts"
import type { List } from "../../src/Walk/Source.ts"

const nowMs = Date.UTC(2026, 10, 20, 12)
const at = (minutes: number) => Instant.fromMillis(nowMs + minutes * 60_000)
const every = Duration.hours(1)

const list = (resource: string): List => ({ resource, fetch: () => Effect.never })
const serial = (resource: string): List => ({ resource, isCounted: false, follow: () => Effect.never })

const state = (given: Partial<Checkpoints.PassState>): Checkpoints.PassState => ({
  ...Checkpoints.following({ resource: "any" }, undefined, at(-30)),
  pages_total: 600,
  ...given
})

const finished = { finished_at: at(-20), proof: "counts-agree", proof_at: at(-20) }

/** In minutes from now; ten requests a second. */
const minutes = (walked: Parameters<typeof estimated>[0]) =>
  estimated(walked, 10, nowMs).map(({ provenMs }) =>
    provenMs === null ? null : Math.round((provenMs - nowMs) / 60_000)
  )

describe("the next proof of a list", () => {
  it("is the end of its next pass, if the one before was undisturbed", () => {
    const walked = { list: list("a"), every, pagesDone: 600, state: state(finished) }
    // Due in 40 minutes; 600 requests take one.
    assert.deepStrictEqual(minutes([walked]), [41])
    assert.deepInclude(estimated([walked], 10, nowMs)[0], { requestsLeft: 600 })
  })

  it("needs a second pass after the first one, and after a disturbed one at once", () => {
    const first = { list: list("a"), every, pagesDone: 0, state: state({ pass: 1 }) }
    assert.deepStrictEqual(minutes([first]), [62])
    const disturbed = { list: list("a"), every, pagesDone: 0, state: state({ pass: 2, disturbed: 1 }) }
    assert.deepStrictEqual(minutes([disturbed]), [2])
  })

  it("comes with the rest of the pass under way", () => {
    const walked = { list: list("a"), every, pagesDone: 300, state: state({ pass: 2 }) }
    assert.deepStrictEqual(estimated([walked], 10, nowMs), [{ requestsLeft: 300, provenMs: nowMs + 30_000 }])
  })

  it("comes later beside lists that are walked at the same time, by what each needs", () => {
    const one = { list: list("a"), every, pagesDone: 0, state: state({ pass: 2, pages_total: 6000 }) }
    const other = { list: list("b"), every, pagesDone: 0, state: state({ pass: 2, pages_total: 600_000 }) }
    assert.deepStrictEqual(minutes([one]), [10])
    // It has what it needs to be in time, and the other one the rest.
    assert.deepStrictEqual(minutes([one, other]), [60, 1199])
  })

  it("isn't known before a first pass, or of pages that only follow each other before that has ended", () => {
    const unknown = [
      { list: list("a"), every, pagesDone: 0, state: undefined },
      { list: serial("b"), every, pagesDone: 7, state: state({ pass: 1, pages_total: 7 }) }
    ]
    assert.deepStrictEqual(estimated(unknown, 10, nowMs), [
      { requestsLeft: null, provenMs: null },
      { requestsLeft: null, provenMs: null }
    ])
    const known = {
      list: serial("b"),
      every,
      pagesDone: 7,
      state: state({ pass: 2, pages_total: 7, pages_before: 607 })
    }
    assert.deepStrictEqual(minutes([known]), [1])
  })
})
