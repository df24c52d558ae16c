/** Records without an answer: how their pauses grow, what a person is told, and what is forgotten. */
import { assert, describe, it } from "@effect/vitest"
import { Unanswered } from "../../../src/Operate/LookingUp/Unanswered.ts"

const minute = 60_000
const read = { read: "GET /ipcs/{id}" }

describe("a record without an answer", () => {
  it("is asked for again after pauses that double up to an hour, if others are answered meanwhile", () => {
    const unanswered = new Unanswered()
    const pauses: Array<number> = []
    let nowMs = 0
    for (let times = 0; times < 8; times++) {
      unanswered.failed("A", "It answered 500.", nowMs)
      unanswered.succeeded("B")
      let pause = 0
      while (!unanswered.isDue("A", nowMs + pause)) pause += minute
      pauses.push(pause / minute)
      nowMs += pause
    }
    assert.deepStrictEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60])
    unanswered.succeeded("A")
    assert.isTrue(unanswered.isDue("A", nowMs))
  })

  it("waits a minute, however often, while nothing is answered", () => {
    const unanswered = new Unanswered()
    for (let times = 0; times < 9; times++) unanswered.failed("A", "It answered 500.", times * minute)
    assert.isFalse(unanswered.isDue("A", 9 * minute - 1))
    assert.isTrue(unanswered.isDue("A", 9 * minute))
    assert.strictEqual(unanswered.sinceMs, 0)
    unanswered.succeeded("A")
    assert.isUndefined(unanswered.sinceMs)
  })

  it("is told of once it has lasted five minutes, and forgotten once nobody asks for it", () => {
    const unanswered = new Unanswered()
    unanswered.failed("A", "It answered 500.", 0)
    unanswered.failed("B", "It answered 500.", 4 * minute)
    assert.isUndefined(unanswered.sentence(read, 5 * minute - 1))
    assert.strictEqual(
      unanswered.sentence(read, 5 * minute),
      "GET /ipcs/{id} gives no answer for 1 record, for example for A since 1970-01-01T00:00:00.000000Z: It answered 500. " +
        "It is asked for again after growing pauses; the others go on."
    )
    assert.match(unanswered.sentence(read, 9 * minute) ?? "", /for 2 records/)
    unanswered.forget(16 * minute + 1)
    assert.strictEqual(unanswered.count, 1)
  })
})
