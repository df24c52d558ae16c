/**
 * Counts what arrived, in the published copy: how often each column has a value, and which fields have no column.
 */
import { existsSync } from "node:fs"
import { Duration, Effect, Schema, Stream } from "effect"
import type { List } from "../../src/Discovery/Review.ts"
import type { Seen } from "../../src/Discovery/Seen.ts"
import * as Literal from "../../src/Domain/Literal.ts"
import * as Frames from "../../src/Query/Frames.ts"
import { defaultLimits } from "../../src/Query/Query.ts"
import { QueryError, start } from "../../src/Query/Running.ts"
import { quoted } from "../../src/Stores/Ddl.ts"

export class NothingSeen extends Schema.TaggedError<NothingSeen>()("NothingSeen", { message: Schema.String }) {}

type Rows = ReadonlyArray<ReadonlyArray<unknown>>

const rowsOf = (file: string, sql: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { memoryMb, rows, time } = defaultLimits
      const running = yield* start({ file, sql, rows, memoryMb, millis: Duration.toMillis(time), folder: null })
      const frames = yield* Stream.runCollect(Stream.takeUntil(running.frames, Frames.isEnding))
      const ending = frames.find(Frames.isEnding)
      if (ending === undefined) return yield* running.died
      if (ending.ended === "failed") return yield* new QueryError({ message: ending.message })
      return frames.filter(Frames.isRow) as Rows
    })
  )

const tablesSql =
  "select table_name, column_name from information_schema.columns where table_schema = 'construction' order by ordinal_position"

/** The most fields without a column, per table. */
const mostFields = 1000

const countsOf = (table: string, columns: ReadonlyArray<string>): string => {
  const from = `construction.${quoted(table)}`
  const counts = columns.map(
    (name) => `select ${Literal.text(table)}, 'column', ${Literal.text(name)}, '', count(${quoted(name)}) from ${from}`
  )
  const extra = `select * from (select ${Literal.text(table)}, 'extra', field.key, field.type, count(*)
    from ${from} as rows, json_each(rows._extra) as field group by all order by 5 desc limit ${mostFields})`
  return [
    `select ${Literal.text(table)}, 'rows', '', '', count(*) from ${from}`,
    ...counts,
    ...(columns.includes("_extra") ? [extra] : [])
  ].join("\nunion all ")
}

/** By table, for those lists whose table exists. */
export const seenIn = Effect.fnUntraced(function* (file: string, lists: ReadonlyArray<List>) {
  if (!existsSync(file)) {
    return yield* new NothingSeen({
      message: `There is no data to compare with yet: ${file} appears when the worker first goes live.`
    })
  }
  const tables = Map.groupBy(yield* rowsOf(file, tablesSql), ([table]) => String(table))
  const known = lists.flatMap(({ table }) => {
    const columns = tables.get(table)
    return columns === undefined
      ? []
      : [
          countsOf(
            table,
            columns.map(([, column]) => String(column))
          )
        ]
  })
  const counts = known.length === 0 ? [] : yield* rowsOf(file, known.join("\nunion all "))
  return new Map([...Map.groupBy(counts, ([table]) => String(table))].map(([table, rows]) => [table, seenOf(rows)]))
})

const seenOf = (rows: Rows): Seen => {
  const extra = new Map<string, { rows: number; types: Array<string> }>()
  const filled = new Map<string, number>()
  let total = 0
  for (const [, what, name, type, count] of rows) {
    if (what === "rows") total = Number(count)
    else if (what === "column") filled.set(String(name), Number(count))
    else {
      const known = extra.get(String(name)) ?? { rows: 0, types: [] }
      extra.set(String(name), { rows: known.rows + Number(count), types: [...known.types, String(type).toLowerCase()] })
    }
  }
  return { rows: total, filled, extra }
}
