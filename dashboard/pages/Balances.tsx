/**
 * Reports for bookkeepers, as of the end of a day; the report and the day are in the address. A report reads all the
 * books, so it is made when a person asks for it, not with every entry that is posted.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useCell } from "../Cell.ts"
import { count } from "../Format.ts"
import { Empty, Loaded, useAsked } from "../parts/Asked.tsx"
import { Tabs } from "../parts/Books.tsx"
import { Download } from "../parts/Download.tsx"
import { Filter, Filters } from "../parts/Filters.tsx"
import { More } from "../parts/More.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Amount } from "../parts/Text.tsx"
import { At } from "../parts/Time.tsx"
import { titleOf as questionOf } from "../Questions.ts"
import {
  foundIn,
  isDay,
  kindOf,
  type Narrowing,
  narrowings,
  type Only,
  onlyIn,
  type Report,
  reportIn,
  type ReportName,
  reports,
  shownOf,
  titleOf
} from "../Reported.ts"
import { go, place, to, withFilters } from "../Router.ts"
import { type Row, textIn } from "../Rows.ts"

const cellOf = (name: string, row: Row): ComponentChildren => {
  const value = textIn(row, name)
  if (kindOf(name) === "amount") return <Amount amount={value} currency={textIn(row, "currency")} />
  if (value === null) return <span class="soft">–</span>
  if (kindOf(name) === "number") return count(Number(value))
  if (name === "ipc") return <a href={to.ipc(value)}>{value}</a>
  if (name === "reason") return <a href={to.holds}>{questionOf(value)}</a>
  if (name === "project") return <a href={withFilters({ report: "balances", project: value })}>{value}</a>
  return name === "oldest" ? <At at={value} /> : value
}

const columnOf = (name: string): Column<Row> => {
  const kind = kindOf(name)
  return {
    title: titleOf(name),
    ...(kind === "text" ? {} : { kind }),
    cell: (row) => cellOf(name, row)
  }
}

const usual = 300

/** Shows only the first of many rows, because a browser takes long to lay out thousands. */
const Shown = ({ name, report }: { readonly name: ReportName; readonly report: Report }) => {
  const [most, setMost] = useState(usual)
  const rows = report.rows.slice(0, most)
  return report.rows.length === 0 ? (
    <Empty>{reports[name].none}</Empty>
  ) : (
    <>
      <div class="wide-table" tabIndex={0} role="region" aria-label={`${reports[name].words} as a table`}>
        <Table
          caption={reports[name].says}
          class="report"
          columns={shownOf(report).map(columnOf)}
          rows={rows}
          keyOf={(row) => JSON.stringify(row)}
        />
      </div>
      <More shown={rows.length} total={report.rows.length} nouns={["row", "rows"]} onMore={() => setMost(most * 3)} />
    </>
  )
}

interface Made {
  readonly name: ReportName
  readonly day: string | undefined
  readonly only: Only
}

const fileOf = ({ day, name, only }: Made): string =>
  ["siteledger", name, ...Object.values(only), ...(day === undefined ? [] : [day])].join("-")

const Made = ({ day, name, only }: Made) => {
  const asked = useAsked("report", { name, ...(day === undefined ? {} : { asOf: day }), ...only })
  return (
    <>
      {name === "balances" ? <Narrowed isAsking={asked.isAsking} rows={asked.answer?.rows ?? []} /> : null}
      <div class="tools">
        <span class="note">{reports[name].says}</span>
        <button type="button" class="quiet" disabled={asked.isAsking} onClick={asked.again}>
          {asked.isAsking ? "Reading the books…" : "Make it again"}
        </button>
        {asked.answer === undefined ? null : (
          <Download found={foundIn(asked.answer)} as={fileOf({ name, day, only })} />
        )}
      </div>
      <Loaded asked={asked}>{(report) => <Shown name={name} report={report} />}</Loaded>
    </>
  )
}

/** Offers the values that the report contains. */
const Narrowed = ({ isAsking, rows }: { readonly isAsking: boolean; readonly rows: ReadonlyArray<Row> }) => (
  <Filters isAsking={isAsking}>
    {(Object.keys(narrowings) as ReadonlyArray<Narrowing>).map((name) => (
      <Filter
        key={name}
        name={name}
        label={narrowings[name]}
        placeholder="all"
        offers={[...new Set(rows.flatMap((row) => textIn(row, name) ?? []))].toSorted()}
      />
    ))}
  </Filters>
)

const Day = ({ day }: { readonly day: string | undefined }) => {
  const [typed, setTyped] = useState(day ?? "")
  useEffect(() => setTyped(day ?? ""), [day])
  const settle = (value: string): void => {
    setTyped(value)
    if (value === "" || isDay(value)) go(withFilters({ day: value }))
  }
  return (
    <label for="day">
      <span>By the end of the day</span>
      <input id="day" type="date" value={typed} onInput={(event) => settle(event.currentTarget.value)} />
    </label>
  )
}

export const Balances = () => {
  const name = useCell(place, ({ query }) => reportIn(query.get("report")))
  const day = useCell(place, ({ query }) => query.get("day") ?? undefined)
  const query = useCell(place, (now) => now.query)
  const only = onlyIn(name, query)
  return (
    <>
      <h1>Ledger</h1>
      <Tabs />
      <form class="filters" aria-label="Which report" onSubmit={(event) => event.preventDefault()}>
        <nav class="choice" aria-label="Reports">
          {(Object.keys(reports) as ReadonlyArray<ReportName>).map((each) => (
            <a
              key={each}
              href={withFilters({ report: each })}
              {...(each === name ? { "aria-current": "true" as const } : {})}
            >
              {reports[each].words}
            </a>
          ))}
        </nav>
        <Day day={day} />
        <span class="note">
          {day === undefined ? (
            "Without a day: today, in the books' time zone."
          ) : (
            <a href={withFilters({ day: undefined })}>As of today</a>
          )}
        </span>
      </form>
      <Made key={`${name} ${day ?? ""}`} name={name} day={day} only={only} />
    </>
  )
}
