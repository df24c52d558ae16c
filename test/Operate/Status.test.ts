/** The phase that follows from the facts; none of them waits for a batch that is being applied. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Apply } from "../../src/Intake/Apply.ts"
import { Inbox } from "../../src/Intake/Inbox.ts"
import { Receiver } from "../../src/Intake/Receiver.ts"
import { Secrets } from "../../src/Intake/Secrets.ts"
import { Subscription } from "../../src/Intake/Subscription.ts"
import { Uptime } from "../../src/Intake/Uptime.ts"
import { AnalystCopy } from "../../src/Lake/AnalystCopy.ts"
import { Export } from "../../src/Lake/Export.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { Outbox } from "../../src/Ledger/Outbox.ts"
import { Backup } from "../../src/Operate/Backup.ts"
import { LookingUp } from "../../src/Operate/LookingUp.ts"
import { Skew } from "../../src/Operate/Skew.ts"
import { type PhaseFacts, phaseOf, Status } from "../../src/Operate/Status.ts"
import { WeeklyCheck } from "../../src/Operate/WeeklyCheck.ts"
import { Workers } from "../../src/Operate/Workers.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Looking, Store } from "../../src/Stores/Store.ts"
import { Learning } from "../../src/Walk/Learning.ts"
import { Pace } from "../../src/Walk/Pace.ts"
import { Walk } from "../../src/Walk/Walk.ts"

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

const tags = [
  AnalystCopy,
  Apply,
  Backup,
  Export,
  Inbox,
  Learning,
  Ledger,
  LookingUp,
  Outbox,
  Pace,
  Reasons,
  Receiver,
  Secrets,
  Skew,
  Store,
  Subscription,
  Uptime,
  Walk,
  WeeklyCheck,
  Workers
]

/** Whatever is asked of it says whether it is asked by somebody who only looks. */
const asked = (tell: (isLooking: boolean) => void) => {
  const answer = Effect.map(Looking, (isLooking) => {
    tell(isLooking)
    return []
  })
  return new Proxy({}, { get: (_, name) => (name === "run" ? () => answer : answer) })
}

describe("Status", () => {
  it.effect("reads every fact beside a transaction that is open", () =>
    Effect.gen(function* () {
      const looks: Array<boolean> = []
      const service = asked((isLooking) => looks.push(isLooking))
      const services = Context.makeUnsafe<Layer.Services<typeof Status.layer>>(
        new Map(tags.map(({ key }) => [key, service]))
      )
      const { report } = yield* Effect.provide(Status, Layer.provide(Status.layer, Layer.succeedContext(services)))
      yield* report
      // What has gone wrong is asked last, and is in memory.
      assert.deepStrictEqual(looks, [...Array.from({ length: 21 }, () => true), false])
    })
  )
})
