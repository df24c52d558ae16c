/**
 * Times and ages as the reader sees them: in their own zone, with UTC on hover. Ages tick once a second, and only those
 * whose text changes are drawn again; a page that isn't visible doesn't tick.
 */
import { Cell, useCell } from "../Cell.ts"
import { ago, ahead, fullTime, shortTime, span, utc } from "../Format.ts"

const present = new Cell(Date.now())

setInterval(() => {
  if (!document.hidden) present.set(Date.now())
}, 1000)
document.addEventListener("visibilitychange", () => present.set(Date.now()))

/** `write` gets the current time in milliseconds. */
export const useTicking = (write: (now: number) => string): string => useCell(present, write)

interface Moment {
  /** ISO 8601, in UTC. */
  readonly at: string | null
  /** The text if there is no time. */
  readonly never?: string
}

const Never = ({ children = "never" }: { readonly children?: string | undefined }) => (
  <span class="soft">{children}</span>
)

interface At extends Moment {
  /** Always with the day and the seconds. */
  readonly isFull?: boolean
}

/** `14:03:22` for today, `2026-11-26 14:03` for another day. */
export const At = ({ at, isFull = false, never }: At) => {
  const text = useTicking((now) => {
    if (at === null) return ""
    return isFull ? fullTime(Date.parse(at)) : shortTime(Date.parse(at), now)
  })
  if (at === null) return <Never>{never}</Never>
  return (
    <time dateTime={at} title={utc(at)}>
      {text}
    </time>
  )
}

/** `in 3 min`; `now` if that has passed. */
export const Ahead = ({ at }: { readonly at: string }) => {
  const text = useTicking((now) => ahead(Date.parse(at) - now))
  return (
    <time dateTime={at} title={`${fullTime(Date.parse(at))} here, ${utc(at)}`}>
      {text}
    </time>
  )
}

interface Age extends Moment {
  /** `3 min`, for a sentence that says the rest. */
  readonly isSpan?: boolean
}

/** `3 min ago`, or `in 3 min`. */
export const Age = ({ at, isSpan = false, never }: Age) => {
  const text = useTicking((now) => {
    if (at === null) return ""
    const ms = now - Date.parse(at)
    if (isSpan) return span(ms)
    // Tolerates a small difference between clocks.
    return ms < -5000 ? ahead(-ms) : ago(ms)
  })
  if (at === null) return <Never>{never}</Never>
  return (
    <time dateTime={at} title={`${fullTime(Date.parse(at))} here, ${utc(at)}`}>
      {text}
    </time>
  )
}
