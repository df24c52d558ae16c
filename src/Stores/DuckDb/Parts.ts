/**
 * Splits work on many tables into parts with a limited number of columns, so that what DuckDB keeps in memory until the
 * end of a transaction stays small. A table with more columns is a part of its own. Pure.
 */
export const partsOf = <A>(
  tables: ReadonlyArray<A>,
  columnsOf: (table: A) => number,
  columnsAtOnce: number
): ReadonlyArray<ReadonlyArray<A>> => {
  const parts: Array<Array<A>> = []
  let columns = 0
  for (const table of tables) {
    columns += columnsOf(table)
    if (parts.length === 0 || columns > columnsAtOnce) {
      parts.push([])
      columns = columnsOf(table)
    }
    parts.at(-1)!.push(table)
  }
  return parts
}
