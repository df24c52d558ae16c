/** The trace of a delivery: its id, which every process knows; its spans, of which there are never too many. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Tracer } from "effect"
import { Telemetry } from "../../src/Runtime/Telemetry.ts"
import * as Trace from "../../src/Runtime/Trace.ts"

const id = "0f8fad5b-d9cb-469f-a165-70867728950e"

const step = (given: Partial<Trace.Step> = {}): Trace.Step => ({
  name: "delivery.receive",
  eventId: id,
  startMs: 1000.25,
  endMs: 1002,
  kind: "server",
  attributes: { bytes: 7, absent: null },
  ...given
})

/** A tracer that keeps its spans. */
const noted = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, steps: new Trace.Steps(tracer) }
}

describe("the trace of a delivery", () => {
  it("has the event's id without hyphens, or what is made from another one", () => {
    assert.strictEqual(Trace.idOf(id), "0f8fad5bd9cb469fa16570867728950e")
    for (const other of ["event-7", "00000000-0000-0000-0000-000000000000", id.toUpperCase()]) {
      assert.match(Trace.idOf(other), /^(?!0+$)[0-9a-f]{32}$/)
      assert.notStrictEqual(Trace.idOf(other), Trace.idOf(id))
      assert.strictEqual(Trace.idOf(other), Trace.idOf(other))
    }
    const { spanId, traceId } = Trace.deliveryOf(id)
    assert.match(spanId, /^[0-9a-f]{16}$/)
    assert.strictEqual(traceId, Trace.idOf(id))
    assert.notStrictEqual(Trace.deliveryOf("event-7").spanId, spanId)
  })

  it("begins with the first receipt, whose span the others know as their parent", () => {
    const { spans, steps } = noted()
    steps.received(step(), undefined)
    steps.add(step({ name: "delivery.apply", kind: "consumer" }))
    steps.received(step(), undefined)
    const first = Trace.deliveryOf(id)
    const [receive, apply, again] = spans
    assert.deepInclude({ ...receive }, { name: "delivery.receive", kind: "server" })
    assert.deepStrictEqual([receive?.traceId, receive?.spanId], [first.traceId, first.spanId])
    assert.isTrue(Option.isNone(receive!.parent))
    assert.deepStrictEqual(
      [...receive!.attributes],
      [
        ["event.id", id],
        ["bytes", 7]
      ]
    )
    assert.deepInclude(receive!.status, { _tag: "Ended", startTime: 1_000_250_000n, endTime: 1_002_000_000n })
    for (const span of [apply, again]) {
      assert.strictEqual(span?.traceId, first.traceId)
      assert.notStrictEqual(span?.spanId, first.spanId)
      assert.strictEqual(Option.getOrUndefined(span!.parent)?.spanId, first.spanId)
    }
  })

  it("has a link to the sender's span, if that is one", () => {
    const { spans, steps } = noted()
    const [traceId, spanId] = ["a".repeat(32), "b".repeat(16)]
    for (const header of [
      `00-${traceId}-${spanId}-01`,
      `00-${"0".repeat(32)}-${spanId}-01`,
      `00-${traceId}-${"0".repeat(16)}-01`,
      "rubbish",
      undefined
    ]) {
      steps.received(step(), header)
    }
    assert.deepStrictEqual(
      spans.map(({ links }) => links.map(({ span }) => [span.traceId, span.spanId])),
      [[[traceId, spanId]], [], [], [], []]
    )
  })

  it("is left out beyond a hundred spans a second", () => {
    const { spans, steps } = noted()
    for (let n = 0; n < 250; n++) steps.add(step({ eventId: `event-${n}` }))
    assert.lengthOf(spans, 100)
    for (let n = 0; n < 250; n++) steps.add(step({ endMs: 2500, eventId: `event-${n}` }))
    assert.lengthOf(spans, 200)
  })

  it.effect("is made only where traces are sent", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* Trace.steps)
      const sent = Effect.provideService(Trace.steps, Telemetry, { traces: true, metricsEvery: undefined })
      assert.instanceOf(yield* sent, Trace.Steps)
    })
  )
})
