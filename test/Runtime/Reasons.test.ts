/**
 * Reasons with their levels: which count as wrong, in what order, since when, what to do, and what is logged. After a change
 * of what to do: UPDATE_DOCS=1 npx vitest run test/Runtime/Reasons.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { keys } from "../../src/Runtime/Reasons/ToDo.ts"
import { guarded } from "../../src/Runtime/Supervisor.ts"
import { Log } from "../Logged.ts"
import { root } from "../Tidy/Sources.ts"

const document = join(root, "docs/alerts.md")
const start = Date.UTC(2026, 10, 20, 2)

const scene = <E>(fact: string, body: Effect.Effect<void, E, Reasons>) =>
  it.effect(fact, () => Effect.andThen(TestClock.setTime(start), Effect.provide(body, Reasons.layer)))

describe("reasons", () => {
  scene(
    "show critical ones first, and count no notice as wrong",
    Effect.gen(function* () {
      const reasons = yield* Reasons
      yield* reasons.set("set aside", "A notice.", "notice")
      yield* reasons.set("apply", "Degraded.")
      yield* reasons.set("audit", "Critical.", "critical")
      assert.deepStrictEqual(
        (yield* reasons.all).map(({ key, level }) => [key, level]),
        [
          ["audit", "critical"],
          ["apply", "degraded"],
          ["set aside", "notice"]
        ]
      )
      assert.deepStrictEqual(yield* reasons.wrong, ["Critical.", "Degraded."])
    })
  )

  scene(
    "keep the time at which they became active until they are cleared",
    Effect.gen(function* () {
      const reasons = yield* Reasons
      const since = Effect.map(reasons.all, ([reason]) => reason?.since)
      yield* reasons.set("open holds", "1 hold.", "notice")
      yield* TestClock.adjust("1 hour")
      yield* reasons.set("open holds", "2 holds.", "critical")
      assert.strictEqual(yield* since, "2026-11-20T02:00:00.000000Z")
      yield* reasons.clear("open holds")
      yield* reasons.set("open holds", "2 holds.", "critical")
      assert.strictEqual(yield* since, "2026-11-20T03:00:00.000000Z")
    })
  )

  scene(
    "are logged again when the sentence or the level changes, and only then",
    Effect.gen(function* () {
      const reasons = yield* Reasons
      const log = new Log()
      yield* Effect.provide(
        Effect.gen(function* () {
          yield* reasons.set("open holds", "1 hold.", "notice")
          yield* reasons.set("open holds", "1 hold.", "notice")
          yield* TestClock.adjust("1500 millis")
          yield* reasons.set("open holds", "1 hold.", "critical")
          yield* reasons.set("open holds", "2 holds.", "critical")
          yield* reasons.clear("open holds")
          yield* reasons.clear("open holds")
        }),
        log.layer
      )
      assert.deepStrictEqual(
        log.written.map(({ event, level, message }) => [event, level, message]),
        [
          ["reason.set", "Info", "1 hold."],
          ["reason.set", "Error", "1 hold."],
          ["reason.set", "Error", "2 holds."],
          ["reason.cleared", "Info", "Resolved: open holds, after 1.5 s"]
        ]
      )
      const [first] = log.of("reason.set")
      assert.deepInclude(first, { reason: "open holds", reason_level: "notice" })
      assert.deepStrictEqual(log.of("reason.cleared"), [
        { reason: "open holds", reason_level: "critical", seconds: 1.5 }
      ])
    })
  )

  scene(
    "say what to do, and a crash too",
    Effect.gen(function* () {
      const reasons = yield* Reasons
      yield* reasons.set("walk projects", "It fails.")
      const crashing = guarded("walking", Effect.die(new Error("broken invariant")))
      const log = new Log()
      yield* Effect.provide(Effect.andThen(Effect.forkScoped(crashing), TestClock.adjust("1 second")), log.layer)
      assert.deepStrictEqual(log.events, ["pipeline.crashed", "reason.set"])
      assert.deepStrictEqual(log.saw("pipeline.crashed"), { pipeline: "walking" })
      const all = yield* reasons.all
      assert.deepStrictEqual(
        all.map(({ key, toDo }) => [key, toDo.split(/[,:;]/, 1)[0]]),
        [
          ["walk projects", "Wait"],
          ["walking", "Find the crash in the log"]
        ]
      )
    }).pipe(Effect.scoped)
  )
})

describe("what to do", () => {
  it("is one sentence for each key", () => {
    for (const [key, toDo] of keys) assert.match(toDo, /^[A-Z][^.]*(\.[^ ][^.]*)*\.$/, key)
  })

  it("is in docs/alerts.md", () => {
    const text = readFileSync(document, "utf8")
    const table = ["| key | to do |", "|---|---|", ...keys.map(([key, toDo]) => `| \`${key}\` | ${toDo} |`)].join("\n")
    const written = text.replace(
      /(## What to do\n\n)[^]*?(\n\n## )/,
      (_, head: string, next: string) => head + table + next
    )
    if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(document, written)
    assert.include(readFileSync(document, "utf8"), `## What to do\n\n${table}\n`)
  })
})
