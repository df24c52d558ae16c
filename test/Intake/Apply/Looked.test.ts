/**
 * The ledger hears from the point up to which nothing was left, so a payment isn't searched for among deliveries that
 * have already been looked at.
 */
import { assert, describe, it } from "vitest"
import { Hearing } from "../../../src/Intake/Apply/Hearing.ts"

describe("a look ahead", () => {
  it("is over where it found nothing, unless something was left before it", () => {
    const hearing = new Hearing()
    hearing.looked(0, 100, 0)
    assert.deepStrictEqual([hearing.after, hearing.seen], [100, 100])
    hearing.looked(0, 200, 10)
    assert.deepStrictEqual([hearing.after, hearing.seen], [200, 200])
    hearing.looked(2, 300, 20)
    assert.deepStrictEqual([hearing.after, hearing.seen], [200, 300])
    hearing.looked(0, 400, 30)
    assert.deepStrictEqual([hearing.after, hearing.seen], [200, 400])
    hearing.heard([], 400, 40)
    hearing.looked(0, 500, 50)
    assert.deepStrictEqual([hearing.after, hearing.seen], [500, 500])
  })
})
