/**
 * The phase that follows from the facts.
 */
import { assert, describe, it } from "@effect/vitest"
import { type PhaseFacts, phaseOf } from "../../src/Operate/Status.ts"

const inbox = { pending: 0, quarantined: 3, oldestPendingAgeMs: 0 }
const walked = { projects: { pagesTotal: 7 } }
const well: PhaseFacts = { reasons: [], inbox, backfill: walked, isThrough: true }

describe("the phase", () => {
  const table: ReadonlyArray<readonly [string, Partial<PhaseFacts>, string]> = [
    [
      "is starting until a list has given its size",
      { isThrough: false, backfill: { projects: { pagesTotal: 0 } } },
      "starting"
    ],
    ["is backfilling until every list has finished one pass", { isThrough: false }, "backfilling"],
    ["is live when the inbox is drained, even with deliveries in quarantine", {}, "live"],
    [
      "is live while what waits has only just arrived",
      { inbox: { ...inbox, pending: 4, oldestPendingAgeMs: 90 } },
      "live"
    ],
    ["is catching up with a backlog", { inbox: { ...inbox, pending: 4, oldestPendingAgeMs: 9_000 } }, "catching-up"],
    ["is degraded if there is a reason", { reasons: ["No token."] }, "degraded"],
    ["is degraded even while it backfills", { reasons: ["No token."], isThrough: false }, "degraded"]
  ]
  for (const [fact, facts, phase] of table) {
    it(fact, () => assert.strictEqual(phaseOf({ ...well, ...facts }), phase))
  }
})
