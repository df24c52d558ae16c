/**
 * When deliveries stop while lists still change, Status says so; not too soon, and not for changes that prove nothing.
 */
import { setImmediate as immediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Inbox } from "../../src/Intake/Inbox.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Keyring, secret } from "../../src/Intake/Secrets/Keyring.ts"
import * as Silence from "../../src/Operate/Silence.ts"
import { Source } from "../../src/Walk/Source.ts"
import { Walk } from "../../src/Walk/Walk.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"

const start = Date.UTC(2026, 10, 20, 2)
const unused = Effect.die("unused")

/** Times in ms since 1970; a pass ends and a record changes when the test says so. */
const world = (walkEvery: Duration.Input) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const facts = { passAt: undefined as number | undefined, changedAt: undefined as number | undefined }
    const query = (() =>
      Effect.sync(() => ({ rows: [{ at: instant(facts.changedAt) }] }))) as unknown as Warehouse["Service"]["query"]
    const inbox = { receivedAt: null as string | null }
    const stubs = Layer.mergeAll(
      Layer.succeed(Walk, {
        status: Effect.sync(() => ({
          projects: {
            pagesDone: 1,
            pagesTotal: 1,
            rows: 1,
            proof: "proven" as const,
            at: instant(facts.passAt),
            quarantined: 0,
            changedAt: null,
            nextProofAt: null,
            requestsLeft: null,
            parents: null
          }
        })),
        isThrough: Effect.succeed(true),
        now: () => unused
      }),
      // One that has no events, and never ends a pass.
      Layer.succeed(Source, {
        lists: ["projects", "companies"].map((resource) => ({ resource, fetch: () => unused }))
      }),
      Layer.succeed(Inbox, { lastReceivedAt: Effect.sync(() => inbox.receivedAt) } as unknown as Inbox["Service"]),
      Layer.succeed(Warehouse, { query } as unknown as Warehouse["Service"])
    )
    const layer = Silence.layerWith({
      walkEvery: Duration.fromInputUnsafe(walkEvery),
      route: "the URL still leads here"
    })
    const services = yield* Layer.build(
      layer.pipe(Layer.provideMerge(Layer.mergeAll(stubs, Keyring.layerWith("whsec_known"), Reasons.layer)))
    )
    const keyring = Context.get(services, Keyring)
    const now = Clock.currentTimeMillis
    return {
      reasons: Context.get(services, Reasons).wrong,
      passEnds: Effect.map(now, (ms) => void (facts.passAt = ms)),
      recordChanges: Effect.map(now, (ms) => void (facts.changedAt = ms)),
      deliveryComes: Effect.sync(() => keyring.used(keyring.valid()[0] ?? secret("", { fingerprint: "" }))),
      storedAt: (ms: number) => (inbox.receivedAt = Instant.fromMillis(ms))
    }
  })

const instant = (ms: number | undefined): string | null => (ms === undefined ? null : Instant.fromMillis(ms))

const pass = (minutes: number) =>
  Effect.gen(function* () {
    for (let passed = 0; passed < minutes; passed++) {
      yield* TestClock.adjust("1 minute")
      yield* Effect.promise(() => immediate())
    }
  })

describe("silence", () => {
  it.effect("while lists change is reported after twice the pause between walks, until the next delivery", () =>
    Effect.gen(function* () {
      const at = yield* world("20 minutes")
      yield* pass(1)
      yield* at.passEnds
      yield* at.deliveryComes
      yield* pass(20)
      yield* at.recordChanges
      yield* pass(19)
      assert.deepStrictEqual(yield* at.reasons, [])
      yield* pass(3)
      const [reason = ""] = yield* at.reasons
      assert.match(reason, /last seen at 2026-11-20T02:21:00.*since 2026-11-20T02:01:00.*the URL still leads here/)
      yield* at.deliveryComes
      yield* TestClock.adjust("1 second")
      yield* Effect.promise(() => immediate())
      assert.deepStrictEqual(yield* at.reasons, [])
    }).pipe(Effect.scoped)
  )

  it.effect("is not reported if nothing changes, or only what the first pass since the start brought", () =>
    Effect.gen(function* () {
      const at = yield* world("1 minute")
      yield* pass(2)
      yield* at.recordChanges
      yield* pass(1)
      yield* at.passEnds
      yield* pass(120)
      assert.deepStrictEqual(yield* at.reasons, [])
      yield* at.recordChanges
      yield* pass(2)
      assert.strictEqual((yield* at.reasons).length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is not reported within 15 minutes, however often we walk, nor for the time before the start", () =>
    Effect.gen(function* () {
      const at = yield* world("2 seconds")
      at.storedAt(start - 3_600_000)
      yield* pass(1)
      yield* at.passEnds
      yield* pass(1)
      yield* at.recordChanges
      yield* pass(12)
      assert.deepStrictEqual(yield* at.reasons, [])
      yield* pass(3)
      assert.strictEqual((yield* at.reasons).length, 1)
    }).pipe(Effect.scoped)
  )
})
