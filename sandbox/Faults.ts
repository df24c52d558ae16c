/**
 * What the sandbox does wrong on demand, as data: one table behind the switches, the command line, scenarios and the
 * administration page. Every fault is off (0) until it is set, and can be set at any time.
 *
 * The seed and a number (of the event, the attempt or the request) decide what a share hits, so runs are repeatable.
 * Faults don't outlive the process: a restarted sandbox starts with the faults from its options.
 */
import * as Seed from "./Seed.ts"

interface Described {
  readonly title: string
  /** One sentence for people. */
  readonly meaning: string
  /** A share of 1; a number; seconds of real time or of clock difference; records per page. */
  readonly unit: "share" | "count" | "seconds" | "size"
  readonly most: number
  /** 0, unless the value can be negative. */
  readonly least: number
}

export interface Fault extends Described {
  readonly name: FaultName
}

const share = (title: string, meaning: string) => ({ title, meaning, unit: "share", most: 1, least: 0 }) as const
const day = 86_400

const table = {
  duplicate: share("Duplicates", "Deliveries that are sent a second time even if the first was answered."),
  reorder: share("Out of order", "Deliveries that are held back while up to 8 later events overtake them."),
  "hold-back": share("A day late", "Deliveries that are held back for 25 hours, divided by the time scale."),
  "relabel-before": share(
    "Wrong type, before",
    "Events whose body is sent under another type just before it is sent correctly."
  ),
  "relabel-after": share(
    "Wrong type, after",
    "Events whose body is sent under another type after it was sent correctly."
  ),
  "other-id": share("Another id", "Events whose body is sent again under another event id."),
  "reused-id": share("Reused id", "Events that are sent under the previous event's id."),
  "wrong-signature": share("Wrong signature", "Attempts that are signed with another secret."),
  "rate-limit": {
    title: "Too many requests",
    meaning: "This many of the next API requests are answered 429, with Retry-After 1.",
    unit: "count",
    most: 100_000,
    least: 0
  },
  "error-500": share("500", "Requests that are answered 500."),
  "error-502": share("502", "Requests that are answered 502, as a proxy would."),
  "error-503": share("503", "Requests that are answered 503."),
  reset: share("Connection reset", "Requests whose connection is reset instead of answered."),
  hang: share("No answer", "Requests that are answered only after 60 seconds; the connection stays open."),
  html: share("HTML", "API requests that are answered 200 with a page of HTML."),
  "cut-json": share(
    "Cut JSON",
    "API responses that end in the middle, half of them with the Content-Length of the whole body."
  ),
  "page-size-clamp": {
    title: "Small pages",
    meaning: "Lists return at most this many records per page, even if the request asks for more.",
    unit: "size",
    most: 1000,
    least: 0
  },
  churn: {
    title: "Moving list",
    meaning: "On each request for a page after the first, this many projects are inserted and the first is removed.",
    unit: "count",
    most: 1000,
    least: 0
  },
  "clock-skew": {
    title: "Wrong clock",
    meaning: "How far the service's clock (Date, X-Service-Timestamp) is ahead; below 0: behind.",
    unit: "seconds",
    most: day,
    least: -day
  },
  outage: {
    title: "Outage",
    meaning: "For this long from now, connections to the service are reset and no delivery gets through.",
    unit: "seconds",
    most: 7 * day,
    least: 0
  }
} as const satisfies Readonly<Record<string, Described>>

export type FaultName = keyof typeof table

export const isFaultName = (name: string): name is FaultName => Object.hasOwn(table, name)

export const names: ReadonlyArray<FaultName> = Object.keys(table).filter(isFaultName)

export const faults: ReadonlyArray<Fault> = names.map((name) => ({ name, ...table[name] }))

export interface Faults {
  /** 0: off. An outage counts down to it. */
  readonly value: (name: FaultName) => number
  /** Sets the nearest value that the fault allows. Throws a RangeError on NaN. */
  readonly set: (name: FaultName, value: number) => void
  readonly all: () => ReadonlyArray<Fault & { readonly value: number }>
}

/** Undefined: the fault allows the value. */
export const complaint = (name: FaultName, value: number): string | undefined => {
  const { least, most } = table[name]
  return value >= least && value <= most ? undefined : `${name} must be a number from ${least} to ${most}`
}

const allowed = (name: FaultName, value: number): number => {
  if (Number.isNaN(value)) throw new RangeError(`The value of the fault ${name} is not a number.`)
  const { least, most, unit } = table[name]
  const clamped = Math.min(most, Math.max(least, value))
  return unit === "count" || unit === "size" ? Math.floor(clamped) : clamped
}

/** `nowMillis`: the clock that measures outages. */
export const make = (
  initial: Readonly<Partial<Record<FaultName, number>>> = {},
  nowMillis: () => number = () => performance.now()
): Faults => {
  const values = new Map<FaultName, number>()
  let outageEndsAt = 0

  const value = (name: FaultName): number =>
    name === "outage" ? Math.max(0, Math.ceil((outageEndsAt - nowMillis()) / 1000)) : (values.get(name) ?? 0)
  const set = (name: FaultName, value: number): void => {
    const given = allowed(name, value)
    if (name === "outage") outageEndsAt = nowMillis() + given * 1000
    else values.set(name, given)
  }
  for (const name of names) {
    const given = initial[name]
    if (given !== undefined) set(name, given)
  }
  return { value, set, all: () => faults.map((fault) => ({ ...fault, value: value(fault.name) })) }
}

/** Whether the share hits number `n`. Each fault has its own chances. */
export const hits = (faults: Faults, seed: number, name: FaultName, n: number): boolean => {
  const share = faults.value(name)
  return (
    share > 0 && Seed.share(Seed.hash(seed, Seed.Purpose.fault, names.indexOf(name)), Seed.Purpose.fault, n) < share
  )
}
