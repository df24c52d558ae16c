/**
 * Records of one table, a page at a time, with a filter on one column. Filter, order and page are in the address.
 */
import type { Answer, Payload } from "../Api.ts"
import { useCell } from "../Cell.ts"
import { count } from "../Format.ts"
import { Empty, Loaded, useAsked } from "../parts/Asked.tsx"
import { Filter, Filters } from "../parts/Filters.tsx"
import { place, to, withFilters } from "../Router.ts"
import { Cell } from "./Records/Cell.tsx"

type Page = Answer<"records">
type Condition = NonNullable<Payload<"records">["where"]>[number]

const equal = "is"

const ways: Readonly<Record<Condition["is"], string>> = {
  equals: equal,
  contains: "contains",
  begins: "begins with",
  less: "is less than",
  more: "is more than",
  null: "is empty",
  "not-null": "isn't empty"
}

const { equals: _equals, ...others } = ways

const isWay = (text: string | null): text is Condition["is"] => text !== null && Object.hasOwn(ways, text)

const whereIn = (query: URLSearchParams): ReadonlyArray<Condition> => {
  const column = query.get("column")
  const given = query.get("is")
  const is = isWay(given) ? given : "equals"
  const value = query.get("value")
  if (column === null) return []
  if (is === "null" || is === "not-null") return [{ column, is }]
  return value === null ? [] : [{ column, is, value }]
}

const payloadOf = (table: string, query: URLSearchParams): Payload<"records"> => {
  const where = whereIn(query)
  const after = query.get("after")
  return {
    table,
    ...(where.length === 0 ? {} : { where }),
    ...(after === null ? {} : { after }),
    ...(query.get("order") === "changed" ? { order: "changed" } : {})
  }
}

const Rows = ({ found: { columns, key, rows }, table }: { readonly found: Page; readonly table: string }) => {
  const keyAt = columns.findIndex(({ name }) => name === key)
  return (
    <div class="wide-table" tabIndex={0} role="region" aria-label={`Records of ${table}`}>
      <table class="answer">
        <caption>Records of {table}</caption>
        <thead>
          <tr>
            {columns.map(({ name, type }) => (
              <th key={name} scope="col" title={type}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row[keyAt] ?? ""}>
              {row.map((value, at) => (
                <td key={columns[at]?.name} title={value ?? ""}>
                  {at === keyAt && value !== null ? (
                    <a href={to.record(table, value)}>{value}</a>
                  ) : (
                    <Cell type={columns[at]?.type ?? ""} value={value} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Found = ({ found, table }: { readonly found: Page; readonly table: string }) => {
  const isFirst = useCell(place, ({ query }) => !query.has("after"))
  return (
    <>
      {found.rows.length === 0 ? <Empty>No record is like that.</Empty> : <Rows found={found} table={table} />}
      {found.stoppedAfter === null ? null : (
        <p class="notice wait">
          Only the first {count(found.stoppedAfter)} rows were searched: there may be more after them.
        </p>
      )}
      <p class="tools">
        {isFirst ? null : <a href={withFilters({ after: undefined })}>To the first page</a>}
        {found.next === null ? null : <a href={withFilters({ after: found.next })}>Next page</a>}
      </p>
    </>
  )
}

export const Records = ({ table }: { readonly table: string }) => {
  const query = useCell(place, (now) => now.query)
  const asked = useAsked("records", payloadOf(table, query))
  const described = useAsked("tables", { name: table })
  const [about] = described.answer?.tables ?? []
  const names = about?.columns.map(({ name }) => name).filter((name) => !name.startsWith("_clocks")) ?? []
  return (
    <>
      <p class="trail">
        <a href={to.tables}>Records</a>
      </p>
      <h1>{table}</h1>
      <p class="lead">{about?.says ?? ""}</p>
      <Filters isAsking={asked.isAsking}>
        <Filter name="column" label="Column" choices={Object.fromEntries(names.map((name) => [name, name]))} />
        <Filter name="is" label="Its value" choices={others} otherwise={equal} />
        <Filter name="value" label="What" placeholder="like paid" />
        <Filter name="order" label="Order" choices={{ changed: "newest changes first" }} otherwise="by their key" />
      </Filters>
      <Loaded asked={asked}>{(found) => <Found found={found} table={table} />}</Loaded>
    </>
  )
}
