/** The three formats of the log: one line each, with name, fields and trace. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger, Tracer } from "effect"
import { TestClock } from "effect/testing"
import { formats } from "../../../cli/Log/Formats.ts"
import * as LogLine from "../../../src/Runtime/LogLine.ts"

const span = Tracer.externalSpan({ traceId: "0".repeat(31) + "1", spanId: "0".repeat(15) + "2" })

const lineOf = Effect.fnUntraced(function* (
  format: Logger.Logger<unknown, string>,
  write: Effect.Effect<void> = LogLine.write("key.restored", { path: "/data/key\u001B[31m\n" })
) {
  const lines: Array<string> = []
  const logger = Logger.map(format, (line) => void lines.push(line))
  yield* TestClock.setTime(Date.UTC(2026, 10, 20, 2, 0, 3, 120))
  yield* Effect.provide(write, Logger.layer([logger]))
  assert.lengthOf(lines, 1)
  return lines[0] ?? ""
})

describe("a line of the log", () => {
  it.effect("is a sentence for people in pretty, with its name", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* lineOf(formats.pretty(false)),
        "[02:00:03.120] WARN key.restored: /data/key\\x1b[31m\\n was damaged or gone, and was restored from " +
          "/data/key\\x1b[31m\\n.copy"
      )
      assert.include(yield* lineOf(formats.pretty(true)), "\u001B[33mWARN\u001B[0m \u001B[1mkey.restored\u001B[0m:")
      assert.strictEqual(yield* lineOf(formats.pretty(false), Effect.logInfo("a", "b")), "[02:00:03.120] INFO: a b")
    })
  )

  it.effect("is an object in JSON, with its fields and its trace", () =>
    Effect.gen(function* () {
      const write = LogLine.write("rows.repaired", { files: 2 })
      const line = yield* lineOf(formats.json(), Effect.withParentSpan(write, span))
      assert.deepStrictEqual(JSON.parse(line), {
        timestamp: "2026-11-20T02:00:03.120Z",
        level: "WARN",
        event: "rows.repaired",
        message: "The disk had damaged 2 files of the log of rows. Nothing is lost. Check the disk.",
        files: 2,
        trace_id: span.traceId
      })
      const crash = LogLine.write("pipeline.crashed", { pipeline: "walking" }, Cause.die(new Error("why\u009B")))
      const { cause, ...others } = JSON.parse(yield* lineOf(formats.json(), crash)) as Record<string, unknown>
      assert.match(String(cause), /^Error: why/)
      assert.deepInclude(others, { event: "pipeline.crashed", pipeline: "walking" })
      assert.notInclude(yield* lineOf(formats.json(), crash), "\u009B")
    })
  )

  it.effect("is names with values in logfmt", () =>
    Effect.gen(function* () {
      const write = LogLine.write("secret.retired", { fingerprint: "ab12", ends_at: 'a "b" \u001B' })
      assert.strictEqual(
        yield* lineOf(formats.logfmt(), Effect.withParentSpan(write, span)),
        "timestamp=2026-11-20T02:00:03.120Z level=INFO event=secret.retired " +
          'message="The webhook secret ab12 ends at a \\"b\\" \\u001b" fingerprint=ab12 ends_at="a \\"b\\" \\u001b" ' +
          `trace_id=${span.traceId}`
      )
    })
  )
})
