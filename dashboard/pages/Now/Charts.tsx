/**
 * The last hour, or the last day, as four charts: deliveries, how soon they are visible and posted, and the requests
 * that the plan allows. The range is in the address.
 */
import { useMemo } from "preact/hooks"
import type { Answer } from "../../Api.ts"
import { useCell } from "../../Cell.ts"
import { count, took } from "../../Format.ts"
import { Empty, Loaded, useAsked } from "../../parts/Asked.tsx"
import { Chart, type Line } from "../../parts/Chart.tsx"
import { useTicking } from "../../parts/Time.tsx"
import { place, withFilters } from "../../Router.ts"
import { beginOf, columnsOf, type Values } from "../../Series.ts"

const ranges = { hour: { words: "Last hour", seconds: 3600 }, day: { words: "Last day", seconds: 86_400 } } as const
type Range = keyof typeof ranges

const number = (value: number): string => count(Math.round(value * 10) / 10)

const percentiles = ([p50, p99]: readonly [Values, Values]): ReadonlyArray<Line> => [
  { name: "half within", values: p50, colour: "accent" },
  { name: "99 % within", values: p99, colour: "wait" }
]

const Drawn = ({
  history,
  now,
  range
}: {
  readonly history: Answer<"history">
  readonly now: number
  readonly range: Range
}) => {
  const { deliveries, limit, posted, requests, times, visible } = useMemo(() => columnsOf(history, now), [history, now])
  const to = Math.round(now / 1000)
  const shared = { times, from: beginOf(times, to, ranges[range].seconds), to }
  return (
    <div class="charts">
      <Chart
        {...shared}
        title="Deliveries per minute"
        lines={[{ name: "deliveries", values: deliveries, colour: "accent", isFilled: true }]}
        write={number}
      />
      <Chart
        {...shared}
        title="Requests per minute"
        lines={[
          { name: "used", values: requests, colour: "accent", isFilled: true },
          { name: "in the plan", values: limit, colour: "edge", isDashed: true }
        ]}
        write={number}
      />
      <Chart {...shared} title="From received to visible" isLogarithmic lines={percentiles(visible)} write={took} />
      <Chart {...shared} title="From received to posted" isLogarithmic lines={percentiles(posted)} write={took} />
    </div>
  )
}

export const Charts = () => {
  const range = useCell(place, ({ query }): Range => (query.get("range") === "day" ? "day" : "hour"))
  // Requested again every minute.
  const minute = useTicking((now) => String(Math.floor(now / 60_000)))
  const asked = useAsked("history", { range }, minute)
  const now = useMemo(() => Date.now(), [asked.answer])
  return (
    <section aria-labelledby="history">
      <div class="titled">
        <h2 id="history">History</h2>
        <nav class="choice" aria-label="Range of the charts">
          {(Object.keys(ranges) as ReadonlyArray<Range>).map((each) => (
            <a
              key={each}
              href={withFilters({ range: each === "hour" ? undefined : each })}
              {...(each === range ? { "aria-current": "true" as const } : {})}
            >
              {ranges[each].words}
            </a>
          ))}
        </nav>
      </div>
      <div class="charted">
        <Loaded asked={asked}>
          {(history) =>
            history.points.length === 0 ? (
              <Empty>Nothing is recorded yet. The first minute appears when it has ended.</Empty>
            ) : (
              <Drawn key={range} history={history} now={now} range={range} />
            )
          }
        </Loaded>
      </div>
    </section>
  )
}
