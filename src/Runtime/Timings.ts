/**
 * How long things took, as histograms in seconds, counted when they end, since the start of the process. `Listeners`
 * are told each time too.
 */
import { Context, Effect, Metric } from "effect"

const secondsUnit = { unit: "seconds" }

/** Some usually take less than a second, but a day after an outage. */
const soon = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 3600, 21_600, 86_400]
const work = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600]

interface Timing {
  readonly name: string
  readonly says: string
  readonly labels: ReadonlyArray<string>
  readonly buckets: ReadonlyArray<number>
}

export const timings = {
  visible: {
    name: "siteledger_delivery_visible_seconds",
    says: "From received to visible: the event's rows are written",
    labels: [],
    buckets: soon
  },
  posted: {
    name: "siteledger_ledger_posted_seconds",
    says: "From received to posted, of entries that an event caused",
    labels: [],
    buckets: soon
  },
  acknowledged: {
    name: "siteledger_ledger_acknowledged_seconds",
    says: "From posted to acknowledged by the accounting system",
    labels: [],
    buckets: soon
  },
  walk: {
    name: "siteledger_walk_seconds",
    says: "A pass through a list, since this process began or resumed it",
    labels: ["resource"],
    buckets: work
  },
  export: {
    name: "siteledger_export_seconds",
    says: "An export, from its snapshot to the moved pointer",
    labels: [],
    buckets: work
  }
} as const satisfies Readonly<Record<string, Timing>>

type Name = keyof typeof timings

/** Called with seconds, very often, by the observer: listeners do no more than count. */
export const Listeners = Context.Reference<{ readonly [N in Name]?: (seconds: number) => void }>(
  "siteledger/Timings/Listeners",
  { defaultValue: () => ({}) }
)

const histograms = new Map<string, Metric.Histogram<number>>()

const histogram = (name: Name, labels: Readonly<Record<string, string>>): Metric.Histogram<number> => {
  const key = `${name} ${JSON.stringify(labels)}`
  const { buckets, name: id, says } = timings[name]
  const made =
    histograms.get(key) ??
    Metric.histogram(id, { description: says, attributes: { ...labels, ...secondsUnit }, boundaries: buckets })
  histograms.set(key, made)
  return made
}

/** For frequent calls. */
export const observer = (name: Name): Effect.Effect<(seconds: number) => void> =>
  Effect.map(Effect.context<never>(), (context) => {
    const all = histogram(name, {})
    const listener = Context.get(context, Listeners)[name]
    return (seconds) => {
      const took = Math.max(0, seconds)
      all.updateUnsafe(took, context)
      listener?.(took)
    }
  })

export const observe = (name: Name, seconds: number, labels: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Listeners, (listeners) => {
    const took = Math.max(0, seconds)
    listeners[name]?.(took)
    return Metric.update(histogram(name, labels), took)
  })

/** Those without labels exist before anything has been observed. */
export const begin: Effect.Effect<void> = Effect.forEach(
  (Object.keys(timings) as ReadonlyArray<Name>).filter((name) => timings[name].labels.length === 0),
  (name) => Metric.value(histogram(name, {})),
  { discard: true }
)
