/** When the difference between our clock and the service's is a reason. */
import { assert, describe, it } from "@effect/vitest"
import { reasonFor, type SkewStatus } from "../../src/Operate/Skew.ts"

const minute = 60_000
const unknown: SkewStatus = { answers: null, deliveries: null, events: null }

describe("skew", () => {
  const table: ReadonlyArray<readonly [string, Partial<SkewStatus>, RegExp | undefined]> = [
    ["that nothing shows is none", {}, undefined],
    ["of five minutes by the service's answers is none", { answers: 5 * minute }, undefined],
    ["of more is a reason", { answers: 5 * minute + 1000 }, /301 s ahead of the service's \(its answers say\)/],
    ["is a reason the other way too", { answers: -10 * minute }, /600 s behind the service's/],
    ["by answers counts more than deliveries", { answers: 0, deliveries: -10 * minute }, undefined],
    ["without a Date is none within a page's margin", { deliveries: -5000 }, undefined],
    ["without a Date is a reason beyond it", { deliveries: -5001 }, /5 s behind .*before they were sent/],
    ["can't be told from late deliveries", { deliveries: 60 * minute, events: 90 * minute }, undefined],
    ["by event times alone is none: the service may date events ahead", { events: -60 * minute }, undefined]
  ]
  for (const [fact, skew, sentence] of table) {
    it(fact, () => {
      const reason = reasonFor({ ...unknown, ...skew })
      if (sentence === undefined) assert.isUndefined(reason)
      else assert.match(reason ?? "", sentence)
    })
  }
})
