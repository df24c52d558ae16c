/**
 * A chart of lines over time, by uPlot. The values at the pointer, or the last ones, are above it; a screen reader gets
 * the same as a sentence. All charts of a view show their values for the same time.
 *
 * The colours are those of the style sheet, so the chart is made again when the reader's system switches between light
 * and dark.
 */
import { useEffect, useRef, useState } from "preact/hooks"
import uPlot from "uplot"
import { fullTime } from "../Format.ts"
import { bounds, isolatedIn, marksBetween, summaryOf, type Values } from "../Series.ts"

export interface Line {
  readonly name: string
  readonly values: Values
  /** A colour of the style sheet. */
  readonly colour: "accent" | "wait" | "edge"
  readonly isFilled?: boolean
  readonly isDashed?: boolean
}

interface Chart {
  readonly title: string
  readonly times: ReadonlyArray<number>
  readonly lines: ReadonlyArray<Line>
  readonly write: (value: number) => string
  /** For values that differ by powers of ten. */
  readonly isLogarithmic?: boolean
  /** In seconds since 1970. */
  readonly from: number
  readonly to: number
}

const height = 150

/** As `#rrggbb`. */
const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

const two = (number: number): string => String(number).padStart(2, "0")

/** Hours and minutes, in the reader's zone. */
const clock = (seconds: number): string => {
  const at = new Date(seconds * 1000)
  return `${two(at.getHours())}:${two(at.getMinutes())}`
}

const axesOf = ({ isLogarithmic, write }: Chart): Array<uPlot.Axis> => {
  const [text, line] = [colourOf("soft"), colourOf("line")]
  const font = "11px system-ui, sans-serif"
  const look = { stroke: text, font, ticks: { show: false }, grid: { stroke: line, width: 1 } }
  return [
    { ...look, grid: { show: false }, size: 24, gap: 4, space: 64, values: (_plot, at) => at.map(clock) },
    {
      ...look,
      size: 58,
      gap: 6,
      space: 34,
      values: (_plot, at) => at.map(write),
      // By default uPlot would omit the labels between powers of ten, and their ticks would then mean nothing.
      ...(isLogarithmic === true
        ? { splits: (_plot, _axis, from, to) => [...marksBetween(from, to)], filter: (_plot, marks) => marks }
        : {})
    }
  ]
}

const seriesOf = ({ colour, isDashed, isFilled, name }: Line): uPlot.Series => {
  const stroke = colourOf(colour)
  return {
    label: name,
    stroke,
    width: 1.5,
    points: { show: true, size: 5, fill: stroke, filter: (plot, series) => isolatedIn([...plot.data[series]!]) },
    ...(isDashed === true ? { dash: [4, 4] } : {}),
    ...(isFilled === true ? { fill: `${stroke}22` } : {})
  }
}

const dataOf = (times: Chart["times"], lines: Chart["lines"]): uPlot.AlignedData => [
  [...times],
  ...lines.map(({ values }) => [...values])
]

const scaleOf = ({ isLogarithmic }: Chart): uPlot.Scale =>
  isLogarithmic === true
    ? { distr: 3, range: (_plot, min, max) => [...bounds(min, max)] }
    : { range: (_plot, _min, max) => [0, (max || 1) * 1.1] }

type Span = readonly [from: number, to: number]

const plotIn = (
  box: HTMLElement,
  chart: Chart,
  span: { readonly current: Span },
  onPoint: (at: number | null) => void
): uPlot =>
  new uPlot(
    {
      width: Math.max(200, box.clientWidth),
      height,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { setScale: false, x: false }, sync: { key: "now" }, points: { size: 6 } },
      scales: {
        x: { time: true, range: () => [...span.current] },
        y: scaleOf(chart)
      },
      axes: axesOf(chart),
      series: [{}, ...chart.lines.map(seriesOf)],
      hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] }
    },
    dataOf(chart.times, chart.lines),
    box
  )

/** Follows the reader's system. */
const useScheme = (): boolean => {
  const dark = matchMedia("(prefers-color-scheme: dark)")
  const [isDark, setDark] = useState(dark.matches)
  useEffect(() => {
    const turned = (): void => setDark(dark.matches)
    dark.addEventListener("change", turned)
    return () => dark.removeEventListener("change", turned)
  }, [])
  return isDark
}

const lastOf = (values: Values): number | undefined => values.findLast((value) => value !== null) ?? undefined

const Read = ({ at, chart: { lines, times, write } }: { readonly at: number | null; readonly chart: Chart }) => {
  const time = at === null ? undefined : times[at]
  return (
    <p class="values" aria-hidden="true">
      {lines.map(({ colour, isDashed, name, values }) => {
        const value = at === null ? lastOf(values) : values[at]
        return (
          <span key={name} class={`key ${colour} ${isDashed === true ? "dashed" : ""}`}>
            {name} <b>{value == null ? "–" : write(value)}</b>
          </span>
        )
      })}
      <span class="soft at">{time === undefined ? "" : fullTime(time * 1000).slice(11, 16)}</span>
    </p>
  )
}

export const Chart = (chart: Chart) => {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const span = useRef<Span>([0, 1])
  const [at, setAt] = useState<number | null>(null)
  const isDark = useScheme()
  const { from, lines, times, title, to, write } = chart
  span.current = [from, to]
  useEffect(() => {
    const place = box.current
    if (place === null) return
    const made = plotIn(place, chart, span, setAt)
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: Math.max(200, place.clientWidth), height }))
    observer.observe(place)
    return () => {
      observer.disconnect()
      made.destroy()
    }
    // All other changes are applied to the same chart.
  }, [isDark])
  useEffect(() => {
    plot.current?.setData(dataOf(times, lines))
  }, [times, from, to])
  const told = lines.map(({ name, values }) => summaryOf(name, values, write)).join("; ")
  return (
    <figure class="chart">
      <figcaption>
        {title} {chart.isLogarithmic === true ? <small>logarithmic</small> : null}
      </figcaption>
      <Read at={at} chart={chart} />
      <div ref={box} role="img" aria-label={`${title}. ${told}.`} />
    </figure>
  )
}
