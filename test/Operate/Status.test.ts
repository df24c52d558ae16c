/**
 * What the phase says, from the facts that it rests on.
 */
import { assert, describe, it } from "@effect/vitest"
import { type PhaseFacts, phaseOf } from "../../src/Operate/Status.ts"

const inbox = { pending: 0, quarantined: 3, oldestPendingAgeMs: 0 }
const walked = { projects: { pagesTotal: 7 } }
const well: PhaseFacts = { reasons: [], inbox, backfill: walked, isThrough: true }

describe("the phase", () => {
  const table: ReadonlyArray<readonly [string, Partial<PhaseFacts>, string]> = [
    [
      "is starting before a list has told its size",
      { isThrough: false, backfill: { projects: { pagesTotal: 0 } } },
      "starting"
    ],
    ["is backfilling until every list has finished one pass", { isThrough: false }, "backfilling"],
    ["is live when the inbox is drained, whatever is in quarantine", {}, "live"],
    [
      "is live while what waits has only just come",
      { inbox: { ...inbox, pending: 4, oldestPendingAgeMs: 90 } },
      "live"
    ],
    ["is catching up with a backlog", { inbox: { ...inbox, pending: 4, oldestPendingAgeMs: 9_000 } }, "catching-up"],
    ["is degraded whenever there is a reason", { reasons: ["No token."] }, "degraded"],
    ["is degraded also while it backfills", { reasons: ["No token."], isThrough: false }, "degraded"]
  ]
  for (const [fact, facts, phase] of table) {
    it(fact, () => assert.strictEqual(phaseOf({ ...well, ...facts }), phase))
  }
})
