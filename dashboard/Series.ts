/**
 * The history in the form that the charts draw: a column of times, and a column of values for each line. Pure.
 *
 * Guarantees: where no worker ran, the line has a gap. Counts of a step are shown per minute, so that the hour and the
 * day have the same scale.
 */
import type { Answer, Point } from "./Api.ts"

export type Values = ReadonlyArray<number | null>

export interface Columns {
  /** In seconds since 1970. */
  readonly times: ReadonlyArray<number>
  readonly deliveries: Values
  readonly requests: Values
  readonly limit: Values
  readonly visible: readonly [p50: Values, p99: Values]
  readonly posted: readonly [p50: Values, p99: Values]
}

interface Drawn {
  readonly time: number
  /** Null: a gap. */
  readonly point: Point | null
}

const secondsOf = ({ at }: Point): number => Math.round(Date.parse(at) / 1000)

/** The current step has only begun to count, and would look like a drop. */
const ended = ({ points, stepSeconds }: Answer<"history">, nowMs: number): ReadonlyArray<Point> => {
  const all = points.filter((point) => secondsOf(point) + stepSeconds <= nowMs / 1000)
  return all.length === 0 ? points : all
}

const withBreaks = (points: ReadonlyArray<Point>, stepSeconds: number): ReadonlyArray<Drawn> =>
  points.flatMap((point, at) => {
    const time = secondsOf(point)
    const before = points[at - 1]
    const isAfterBreak = before !== undefined && time - secondsOf(before) > stepSeconds * 1.5
    return isAfterBreak
      ? [
          { time: time - stepSeconds / 2, point: null },
          { time, point }
        ]
      : [{ time, point }]
  })

export const columnsOf = (history: Answer<"history">, nowMs: number): Columns => {
  const drawn = withBreaks(ended(history, nowMs), history.stepSeconds)
  const of = (value: (point: Point) => number | null): Values =>
    drawn.map(({ point }) => (point === null ? null : value(point)))
  const inMinute = (count: number): number => (count * 60) / history.stepSeconds
  return {
    times: drawn.map(({ time }) => time),
    deliveries: of(({ deliveries }) => inMinute(deliveries)),
    requests: of(({ requests }) => inMinute(requests)),
    limit: of(({ limit }) => inMinute(limit)),
    visible: [of(({ visibleP50Ms }) => visibleP50Ms), of(({ visibleP99Ms }) => visibleP99Ms)],
    posted: [of(({ postedP50Ms }) => postedP50Ms), of(({ postedP99Ms }) => postedP99Ms)]
  }
}

/** The indices of values with a break on both sides: a line alone doesn't show them. */
export const isolatedIn = (values: ReadonlyArray<number | null | undefined>): Array<number> =>
  values.flatMap((value, at) => (value != null && values[at - 1] == null && values[at + 1] == null ? [at] : []))

/** In seconds: while there is little history, it isn't squeezed into the edge of the chart. */
const shortest = 600

/** Where a chart that ends at `to` begins: at most `seconds` earlier, and later if the history begins later. All in seconds. */
export const beginOf = (times: ReadonlyArray<number>, to: number, seconds: number): number =>
  Math.max(to - seconds, Math.min(times[0] ?? to, to - shortest))

const marks = (steps: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from({ length: 12 }, (_, at) => 10 ** (at - 3)).flatMap((power) =>
    steps.map((step) => Number((step * power).toPrecision(1)))
  )

/** Where a logarithmic scale of these values begins and ends: at one, two or five times a power of ten. */
export const bounds = (min: number | null, max: number | null): readonly [from: number, to: number] => {
  const [least, most] = [Math.max(0.1, min ?? 1), Math.max(0.1, max ?? 1)]
  const all = marks([1, 2, 5])
  const from = all.findLast((mark) => mark <= least) ?? least
  const to = all.find((mark) => mark >= most) ?? most
  return from < to ? [from, to] : [from, from * 10]
}

/** The labels of a logarithmic axis: each power of ten and, if those are few, also twice and five times each. */
export const marksBetween = (from: number, to: number): ReadonlyArray<number> =>
  marks(to / from >= 100 ? [1] : [1, 2, 5]).filter((mark) => mark >= from && mark <= to)

/** The last and the greatest value of a line, for readers who can't see it. */
export const summaryOf = (name: string, values: Values, write: (value: number) => string): string => {
  const known = values.filter((value) => value !== null)
  const last = known.at(-1)
  return last === undefined
    ? `${name}: nothing yet`
    : `${name}: last ${write(last)}, at most ${write(known.reduce((a, b) => Math.max(a, b)))}`
}
