/**
 * The trace of a delivery, from the receiver's socket to accounting, across all processes: its id is derived from the
 * event's, so each process knows it without being told.
 *
 * Spans of deliveries are made after the fact, and only if traces are sent. Their number per second is limited, so that
 * a flood of deliveries doesn't become a flood of spans.
 */
import { hash } from "node:crypto"
import { Context, Effect, Exit, Option, Tracer } from "effect"
import { mostSteps, PerSecond } from "./PerSecond.ts"
import { Telemetry } from "./Telemetry.ts"

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** W3C Trace Context doesn't allow it. */
const none = /^0+$/

/** 32 hex digits: an event's UUID without its hyphens. */
export const idOf = (eventId: string): string => {
  const digits = uuid.test(eventId) ? eventId.replaceAll("-", "") : ""
  return digits === "" || none.test(digits) ? hash("sha256", eventId).slice(0, 32) : digits
}

/** The first span of a delivery, as a parent of others. */
export const deliveryOf = (eventId: string): Tracer.ExternalSpan =>
  Tracer.externalSpan({ traceId: idOf(eventId), spanId: hash("sha256", `delivery ${eventId}`).slice(0, 16) })

/** What happens within it, and what is logged there, belongs to the delivery's trace; null for none. */
export const within = <A, E, R>(eventId: string | null, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  eventId === null ? effect : Effect.provideService(effect, Tracer.ParentSpan, deliveryOf(eventId))

const traceparent = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/

/** The sender's span, from its header (W3C Trace Context). */
const senderOf = (header: string | undefined): ReadonlyArray<Tracer.SpanLink> => {
  const [, traceId = "", spanId = ""] = traceparent.exec(header ?? "") ?? []
  return traceId === "" || none.test(traceId) || none.test(spanId)
    ? []
    : [{ span: Tracer.externalSpan({ traceId, spanId }), attributes: {} }]
}

/** A completed step of a delivery. */
export interface Step {
  readonly name: string
  readonly eventId: string
  readonly startMs: number
  readonly endMs: number
  readonly kind: Tracer.SpanKind
  readonly attributes: Readonly<Record<string, string | number | null>>
}

const nanos = (ms: number): bigint => BigInt(Math.round(ms * 1000)) * 1000n

const mostRemembered = 10_000

export class Steps {
  readonly #tracer: Tracer.Tracer
  readonly #begun = new Set<string>()
  readonly #pace = new PerSecond(mostSteps)

  constructor(tracer: Tracer.Tracer) {
    this.#tracer = tracer
  }

  /** The delivery has arrived: the first span of its trace, unless it has come before. */
  received(step: Step, header: string | undefined): void {
    if (!this.#pace.allows(step.endMs)) return
    const isFirst = !this.#begun.has(step.eventId)
    if (this.#begun.size >= mostRemembered) this.#begun.clear()
    this.#begun.add(step.eventId)
    this.#make(step, senderOf(header), isFirst)
  }

  add(step: Step): void {
    if (this.#pace.allows(step.endMs)) this.#make(step, [], false)
  }

  #make(
    { attributes, endMs, eventId, kind, name, startMs }: Step,
    links: ReadonlyArray<Tracer.SpanLink>,
    isFirst: boolean
  ) {
    const first = deliveryOf(eventId)
    const span = this.#tracer.span({
      name,
      parent: isFirst ? Option.none() : Option.some(first),
      annotations: Context.empty(),
      links: [...links],
      startTime: nanos(startMs),
      kind,
      root: isFirst,
      sampled: true
    })
    if (isFirst)
      for (const key of ["traceId", "spanId"] as const) Object.defineProperty(span, key, { value: first[key] })
    span.attribute("event.id", eventId)
    for (const [key, value] of Object.entries(attributes)) if (value !== null) span.attribute(key, value)
    span.end(nanos(endMs), Exit.void)
  }
}

/** Undefined if traces aren't sent. */
export const steps: Effect.Effect<Steps | undefined> = Effect.gen(function* () {
  const { traces } = yield* Telemetry
  return traces ? new Steps(yield* Effect.tracer) : undefined
})
