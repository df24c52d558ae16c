/**
 * What was discovered, as lines for a person: a table that fits the terminal, what can't be synced and why, and what a
 * walk costs. Names come from a foreign document, so their control characters are escaped.
 */
import type { Difference } from "../../src/Discovery/Compare.ts"
import { order, type Verdict } from "../../src/Discovery/Compare.ts"
import { assumed } from "../../src/Discovery/Cost.ts"
import type { Discovered, Found } from "../../src/Discovery/Discovery.ts"
import { kinds, type List, type Review } from "../../src/Discovery/Review.ts"
import * as Text from "../../src/Query/Text.ts"

const usualWidth = 80

interface Column {
  readonly name: string
  readonly of: (list: List) => string
  /** Undefined for as wide as needed, within what is left. */
  readonly width?: number
  readonly isNumber?: boolean
}

const kindOf = ({ kind }: List): string => (kind === "child list" ? "child" : kind === "list" ? "list" : "no")

/** `1234567` as `1.2M`. */
const short = (count: number): string => {
  if (count < 100_000) return String(count)
  return count < 1e6
    ? `${Math.round(count / 1000)}k`
    : `${(count / 1e6).toPrecision(3)}M`.replace(/^(\d{5,}).*/, "much")
}

const minutes = (value: number): string =>
  value < 0.1 ? "<0.1" : value < 10 ? value.toFixed(1) : short(Math.round(value))

const columns: ReadonlyArray<Column> = [
  { name: "list", of: ({ read }) => read.replace(/^GET /, "").replace(/\{[^{}]*\}/g, "{}") },
  { name: "kind", width: 5, of: kindOf },
  { name: "table", of: ({ table }) => table },
  { name: "key", of: ({ key }) => key.join("+") },
  { name: "paging", width: 6, of: ({ paging }) => paging.style },
  { name: "requests", width: 8, isNumber: true, of: ({ walk }) => short(walk.requests) },
  { name: "min", width: 4, isNumber: true, of: ({ walk }) => minutes(walk.minutes) },
  { name: "sure", width: 6, of: ({ confidence }) => confidence }
]

/** Shares of what is left, for the three columns without a fixed width. */
const shares: Readonly<Record<string, number>> = { list: 0.45, table: 0.33, key: 0.22 }

const tableOf = (lists: ReadonlyArray<List>, width: number): ReadonlyArray<string> => {
  const fixed = columns.reduce((sum, column) => sum + (column.width ?? 0) + 1, -1)
  const left = width - fixed
  const wanted = columns.map(({ name, of }) =>
    Math.max(name.length, ...lists.map((list) => Text.width(Text.visible(of(list)))))
  )
  const widths = columns.map(({ name, width: own }, index) => {
    const most = own ?? Math.max(name.length, Math.floor(left * (shares[name] ?? 0)))
    return Math.min(most, wanted[index] ?? most)
  })
  const line = (cells: ReadonlyArray<string>): string =>
    cells
      .map((cell, index) => {
        const most = widths[index] ?? 0
        const shown = Text.cut(Text.visible(cell), most)
        const space = " ".repeat(Math.max(0, most - Text.width(shown)))
        return columns[index]?.isNumber === true ? space + shown : shown + space
      })
      .join(" ")
      .trimEnd()
  return [columns.map(({ name }) => name), ...lists.map((list) => columns.map(({ of }) => of(list)))].map(line)
}

const usual = 30

const rank = (list: List): number => (list.on ? 0 : list.kind === "list" ? 1 : 2)

const walkable = ({ lists }: Review): ReadonlyArray<List> =>
  lists.filter(({ kind }) => kind !== "not syncable").toSorted((a, b) => rank(a) - rank(b))

export interface Shown {
  readonly width: number | undefined
  readonly all: boolean
}

export const describe = (
  { notes, operations }: Discovered,
  review: Review,
  { all, width }: Shown
): ReadonlyArray<string> => {
  const lists = walkable(review)
  const shown = all ? lists : lists.slice(0, usual)
  const rest = lists.length - shown.length
  return [
    ...(shown.length === 0 ? [] : tableOf(shown, Math.max(60, width ?? usualWidth))),
    ...(rest === 0 ? [] : [`… and ${rest} more: --all shows all.`]),
    ...(shown.length === 0 ? [] : [""]),
    ...summaryOf(operations),
    ...costOf(review),
    ...notes
  ].map(Text.visible)
}

const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

const summaryOf = (operations: ReadonlyArray<Found>): ReadonlyArray<string> => {
  const counted = new Map(kinds.map((kind) => [kind, operations.filter((found) => found.kind === kind)]))
  const of = (kind: (typeof kinds)[number]) => counted.get(kind)?.length ?? 0
  const parts = [
    plural(of("list"), "list"),
    plural(of("child list"), "child list"),
    plural(of("detail"), "detail"),
    plural(of("action"), "action")
  ]
  const unsyncable = counted.get("not syncable") ?? []
  return [
    `${plural(operations.length, "operation")}: ${parts.join(", ")}.`,
    ...(unsyncable.length === 0 ? [] : [`${unsyncable.length} can't be synced:`]),
    ...grouped(unsyncable).map(([why, count]) => `  ${String(count).padStart(4)}  ${why}`)
  ]
}

const mostReasons = 6

/** The reasons, without the parts that differ from one to the next. */
const grouped = (found: ReadonlyArray<Found>): ReadonlyArray<readonly [string, number]> => {
  const counts = new Map<string, number>()
  for (const { reasons } of found) {
    const [first = ""] = (reasons[0] ?? "").split(/(?<=[^.])\. |: /)
    const why = first
      .replace(/ ?\([^)]*\)/g, "")
      .replace(/\{[^{}]*\}/g, "{…}")
      .replace(/[\w.+-]+\/[\w.+-]+(?=, not JSON)/, "a file")
      .replace(/"[^"]*"/g, '"…"')
      .replace(/\.$/, "")
    counts.set(why, (counts.get(why) ?? 0) + 1)
  }
  const sorted = [...counts].toSorted((a, b) => b[1] - a[1])
  const rest = sorted.slice(mostReasons).reduce((sum, [, count]) => sum + count, 0)
  return [
    ...sorted.slice(0, mostReasons),
    ...(rest === 0 ? [] : [["For other reasons: --json has all", rest] as const])
  ]
}

const costOf = ({ lists, plan }: Review): ReadonlyArray<string> => {
  if (lists.length === 0) return []
  const on = lists.filter((list) => list.on)
  const possible = lists.filter(({ kind }) => kind !== "not syncable")
  const takes = (those: ReadonlyArray<List>): string => {
    const requests = those.reduce((total, { walk }) => total + walk.requests, 0)
    return `${requests === 1 ? "1 request" : `${short(requests)} requests`}, ${minutes(requests / plan.requestsPerMinute)} min`
  }
  const waiting = lists.filter(({ needs }) => needs !== undefined).length
  const isKnown = lists.every(({ records }) => records !== undefined)
  return [
    `At ${plan.requestsPerMinute} requests a minute, one walk of all ${possible.length} takes ${takes(possible)};`,
    `a walk of those that are on (${plural(on.length, "list")}): ${takes(on)}.`,
    ...(isKnown
      ? []
      : [`Assumed: ${assumed.list} records, ${assumed.child} for each parent. Set \`records\` where you know better.`]),
    ...(waiting === 0 ? [] : [`${plural(waiting, "list")} can't be on before you give a value: see \`needs\`.`])
  ]
}

const heads: Readonly<Record<Verdict, string>> = {
  unsafe: "Unsafe: a table or a walk would have to change",
  gone: "Gone",
  new: "New",
  safe: "Safe"
}

export const describeChanges = (changes: ReadonlyArray<Difference>): ReadonlyArray<string> => {
  if (changes.length === 0) return ["Nothing that matters for syncing has changed."]
  return order
    .flatMap((verdict) => {
      const those = changes.filter((change) => change.verdict === verdict)
      return those.length === 0
        ? []
        : [`${heads[verdict]} (${those.length}):`, ...those.map(({ of, what }) => `  ${of}: ${what}`)]
    })
    .map(Text.visible)
}
