/** Replacing a text in a bucket: who has won after any answer or none, and when the store can't compare. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Lake } from "../../src/Lake/Lake.ts"
import * as S3 from "../../src/Lake/S3.ts"
import type { Conditional, Fault, OnCall } from "../../trust/S3Stub.ts"
import { fresh, using } from "./Contract.ts"
import { stubbed } from "./Stubbed.ts"
import { Log } from "../Logged.ts"

const stub = await stubbed()

const withLake = <A, E>(use: (lake: Lake["Service"]) => Effect.Effect<A, E>) =>
  using(S3.layerAt({ bucket: "lake", prefix: "" }), use)

const once = (at: "before" | "after", fault: Fault): OnCall => {
  let isDone = false
  return ({ operation }, when) => {
    if (isDone || operation !== "PutObject" || when !== at) return undefined
    isDone = true
    return fault
  }
}

describe("a writer that replaces a text", () => {
  const path = () => `${fresh("replaced")}/latest.json`
  const conditions = () => stub.calls.filter(({ headers }) => headers["if-match"] ?? headers["if-none-match"])

  it.effect.each(["cut", { status: 500, code: "InternalError" }] as const)(
    "has won when only the answer was lost: %j",
    (fault) =>
      withLake((lake) =>
        Effect.gen(function* () {
          const latest = path()
          stub.onCall = once("after", fault)
          assert.strictEqual(yield* lake.replaceText(latest, "one", Option.none()), "guarded")
          const one = Option.map(yield* lake.readText(latest), ({ version }) => version)
          stub.onCall = once("after", fault)
          assert.strictEqual(yield* lake.replaceText(latest, "two", one), "guarded")
          assert.strictEqual(String(stub.objects.get(latest)?.body), "two")
        })
      )
  )

  it.effect("has won when the text is there despite an error, and not when it isn't", () => {
    process.env.AWS_MAX_ATTEMPTS = "1"
    return withLake((lake) =>
      Effect.gen(function* () {
        const latest = path()
        const broken = { status: 500, code: "InternalError" }
        stub.onCall = once("before", broken)
        assert.strictEqual((yield* Effect.flip(lake.replaceText(latest, "one", Option.none()))).reason, "Failed")
        stub.onCall = once("after", broken)
        assert.strictEqual(yield* lake.replaceText(latest, "one", Option.none()), "guarded")
        stub.objects.set(latest, { body: Buffer.from("another"), etag: "other" })
        stub.onCall = once("before", broken)
        const lost = yield* Effect.flip(lake.replaceText(latest, "two", Option.some('"one"')))
        assert.strictEqual(lost.reason, "Overtaken")
      })
    ).pipe(Effect.ensuring(Effect.sync(() => delete process.env.AWS_MAX_ATTEMPTS)))
  })

  it.effect("has lost when the answer was lost and another has replaced it since", () =>
    withLake((lake) =>
      Effect.gen(function* () {
        const latest = path()
        stub.onCall = ({ number }, when) => {
          if (number !== 1 || when !== "before") return undefined
          stub.objects.set(latest, { body: Buffer.from("another"), etag: "other" })
          return "cut"
        }
        const { reason } = yield* Effect.flip(lake.replaceText(latest, "mine", Option.none()))
        assert.strictEqual(reason, "Overtaken")
        assert.strictEqual(String(stub.objects.get(latest)?.body), "another")
      })
    )
  )

  it.effect("tries again after a conflict that changed nothing, and has lost after one that did", () =>
    withLake((lake) =>
      Effect.gen(function* () {
        const conflict = { status: 409, code: "ConditionalRequestConflict" }
        const latest = path()
        stub.onCall = once("before", conflict)
        assert.strictEqual(yield* lake.replaceText(latest, "one", Option.none()), "guarded")
        stub.objects.set(latest, { body: Buffer.from("another"), etag: "other" })
        stub.onCall = once("before", conflict)
        assert.strictEqual(
          (yield* Effect.flip(lake.replaceText(latest, "two", Option.some('"one"')))).reason,
          "Overtaken"
        )
      })
    )
  )

  it.effect("sends a version without quotes to a store that wants it so, and remembers that", () =>
    withLake((lake) =>
      Effect.gen(function* () {
        stub.conditional = "unquoted"
        const latest = path()
        const replace = (text: string) =>
          Effect.flatMap(lake.readText(latest), (found) =>
            lake.replaceText(
              latest,
              text,
              Option.map(found, ({ version }) => version)
            )
          )
        assert.deepStrictEqual([yield* replace("one"), yield* replace("two")], ["guarded", "guarded"])
        stub.reset()
        assert.strictEqual(yield* replace("three"), "guarded")
        assert.lengthOf(conditions(), 1)
        const overtaken = yield* Effect.flip(lake.replaceText(latest, "four", Option.some('"old"')))
        assert.strictEqual(overtaken.reason, "Overtaken")
      })
    )
  )

  it.effect.each<Conditional>(["unsupported", "ignored"])(
    "is warned once in the log when the store's conditional writes are %s",
    (conditional) => {
      const log = new Log()
      return withLake((lake) =>
        Effect.gen(function* () {
          stub.conditional = conditional
          const latest = path()
          for (const text of ["one", "two", "three"]) {
            const expected = Option.map(yield* lake.readText(latest), ({ version }) => version)
            assert.strictEqual(yield* lake.replaceText(latest, text, expected), "unguarded")
            assert.strictEqual(String(stub.objects.get(latest)?.body), text)
          }
          assert.deepStrictEqual(log.events, ["lake.unguarded"])
          assert.match(String(log.saw("lake.unguarded")["lake"]), /^s3:/)
        })
      ).pipe(Effect.provide(log.layer))
    }
  )
})
