/**
 * Learned columns that are empty in all records that the list still shows: the service no longer has the field, or has
 * renamed it. The column stays, and the manifest says that it is empty.
 *
 * A column is called empty only if it is empty in all files of the table. For a file that is kept, this is known if the
 * column was empty in the whole table before, or has no value at all in that file. Otherwise nothing is said until the
 * file is written again.
 */
import { Effect, Option } from "effect"
import * as LearnedColumns from "../Stores/LearnedColumns.ts"
import type { Store } from "../Stores/Store.ts"
import type { Snapshot } from "../Stores/Warehouse.ts"
import type { Manifest } from "./Manifest.ts"
import type { Parquet } from "./Parquet.ts"
import type { Staged } from "./Staging.ts"

/** By table. */
export type Unfilled = ReadonlyMap<string, ReadonlySet<string>>

export const unfilled = Effect.fnUntraced(function* (
  store: Store["Service"],
  {
    before,
    parquet,
    snapshot,
    staged
  }: {
    readonly before: Option.Option<Manifest>
    readonly parquet: Parquet
    readonly snapshot: Snapshot
    readonly staged: ReadonlyArray<Staged>
  }
) {
  const learned = Map.groupBy(yield* store.run(LearnedColumns.all), ({ resource }) => resource)
  const found = new Map<string, ReadonlySet<string>>()
  for (const { file, localFile, table } of staged) {
    const names = new Set(learned.get(table)?.map(({ name }) => name))
    // A column may have been added after the snapshot.
    const columns =
      snapshot.tables.find(({ name }) => name === table)?.columns.filter(({ name }) => names.has(name)) ?? []
    if (columns.length === 0) continue
    const here =
      localFile === undefined
        ? new Set([...saidOf(before, table), ...withoutValues(file).filter((name) => names.has(name))])
        : new Set(yield* parquet.unfilled({ path: localFile, columns }))
    found.set(table, new Set([...here].filter((name) => found.get(table)?.has(name) !== false)))
  }
  return found satisfies Unfilled
})

const withoutValues = ({ nulls = {}, rows }: Staged["file"]): ReadonlyArray<string> =>
  Object.keys(nulls).filter((column) => nulls[column] === rows)

/** The same rows have the same empty columns. */
const saidOf = (before: Option.Option<Manifest>, table: string): ReadonlySet<string> =>
  new Set(
    Option.match(before, {
      onNone: () => [],
      onSome: ({ tables }) =>
        (tables[table]?.columns ?? []).flatMap(({ empty, name }) => (empty === true ? [name] : []))
    })
  )
