/**
 * The past walks, newest first: when each pass ended, what it proved, and what it found. For one list or for all; the
 * list is in the address.
 */
import { useState } from "preact/hooks"
import type { Answer } from "../Api.ts"
import { useCell } from "../Cell.ts"
import { count, took } from "../Format.ts"
import { Empty, Loaded, useAsked, useCalm } from "../parts/Asked.tsx"
import { Proof } from "../parts/Proof.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Prose } from "../parts/Text.tsx"
import { At } from "../parts/Time.tsx"
import { to } from "../Router.ts"
import { live } from "../Stream.ts"

type Walk = Answer<"walks">["walks"][number]

const listColumn: Column<Walk> = { title: "List", cell: ({ list }) => <a href={to.walksOf(list)}>{list}</a> }

/** The number of rows, with the total that the service reports if it differs. */
const Rows = ({ walk: { rows, total } }: { readonly walk: Walk }) => (
  <>
    {count(rows)}
    {rows === total ? null : <span class="wait-text"> of {count(total)}</span>}
  </>
)

const columns: ReadonlyArray<Column<Walk>> = [
  { title: "Ended", cell: ({ endedAt }) => <At at={endedAt} /> },
  {
    title: "Took",
    kind: "number",
    cell: ({ endedAt, startedAt }) => took(Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)))
  },
  { title: "How sure", cell: ({ parents, proof }) => <Proof proof={proof} parents={parents} /> },
  { title: "Rows", kind: "number", cell: (walk) => <Rows walk={walk} /> },
  { title: "Pages", kind: "number", cell: ({ pages }) => count(pages) },
  {
    title: "Found deleted",
    kind: "number",
    cell: ({ deleted }) => (deleted === 0 ? <span class="soft">–</span> : count(deleted))
  },
  {
    title: "What was wrong",
    kind: "wide",
    cell: ({ disturbance }) => (disturbance === null ? <span class="soft">nothing</span> : <Prose>{disturbance}</Prose>)
  }
]

const usual = 50
/** As many as are kept for each list. */
const mostShown = 500
const calmMs = 2000

export const Walks = ({ list }: { readonly list: string | undefined }) => {
  const [last, setLast] = useState(usual)
  /** Changes when a pass ends. */
  const ended = useCalm(
    useCell(live, ({ status }) => {
      const walks = Object.entries(status?.backfill ?? {}).filter(([name]) => name === (list ?? name))
      return walks.map(([name, { at }]) => `${name} ${at}`).join()
    }),
    calmMs
  )
  const asked = useAsked("walks", { last, ...(list === undefined ? {} : { list }) }, ended)
  return (
    <>
      <p class="trail">
        <a href={to.now}>Now</a>
        {list === undefined ? null : (
          <>
            {" "}
            / <a href={to.walks}>Walks of all lists</a>
          </>
        )}
      </p>
      <h1>{list === undefined ? "Walks of all lists" : `Walks of ${list}`}</h1>
      <Loaded asked={asked}>
        {({ next, walks }) =>
          walks.length === 0 ? (
            <Empty>No pass has been completed yet. The first one appears here when it is.</Empty>
          ) : (
            <>
              <Table
                caption="Completed passes, the newest first"
                columns={list === undefined ? [listColumn, ...columns] : columns}
                rows={walks}
                keyOf={(walk) => `${walk.endedAt} ${walk.list}`}
              />
              {next === null ? null : last >= mostShown && !asked.isAsking ? (
                <p class="soft">These are the newest {mostShown}: a list's own page has older ones.</p>
              ) : (
                <p>
                  <button
                    type="button"
                    disabled={asked.isAsking}
                    onClick={() => setLast(Math.min(mostShown, last * 3))}
                  >
                    Show more
                  </button>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </>
  )
}
