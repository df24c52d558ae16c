/**
 * How far the copy of each list is: its walk as a bar, when it should be proven, and how sure it is. The least sure
 * lists come first. Each list links to its past walks.
 */
import { useState } from "preact/hooks"
import type { StatusReport } from "../../Api.ts"
import { count, counted } from "../../Format.ts"
import { isSure, Proof, proofs } from "../../parts/Proof.tsx"
import { type Column, Table } from "../../parts/Table.tsx"
import { Ahead, At } from "../../parts/Time.tsx"
import { to } from "../../Router.ts"

type Walk = StatusReport["backfill"][string]
type Named = Walk & { readonly name: string }

const order = Object.keys(proofs)

const sorted = (backfill: StatusReport["backfill"]): ReadonlyArray<Named> =>
  Object.entries(backfill)
    .map(([name, walk]) => ({ name, ...walk }))
    .toSorted((a, b) => order.indexOf(a.proof) - order.indexOf(b.proof) || a.name.localeCompare(b.name))

const Bar = ({ walk: { name, pagesDone, pagesTotal } }: { readonly walk: Named }) => (
  <span class="walked">
    <progress max={Math.max(1, pagesTotal)} value={Math.min(pagesDone, pagesTotal)} aria-label={`Pages of ${name}`} />
    <span>
      {count(pagesDone)} of {count(pagesTotal)}
    </span>
  </span>
)

const Expected = ({ walk: { nextProofAt, proof, requestsLeft } }: { readonly walk: Named }) => {
  if (nextProofAt === null) return <span class="soft">{isSure(proof) ? "–" : "not known yet"}</span>
  return (
    <span class="whole">
      <Ahead at={nextProofAt} />
      {requestsLeft === null ? null : <span class="soft">, {counted(requestsLeft, "request")}</span>}
    </span>
  )
}

const columns: ReadonlyArray<Column<Named>> = [
  {
    title: "List",
    cell: ({ name }) => (
      <a href={to.walksOf(name)}>
        <b>{name}</b>
      </a>
    )
  },
  {
    title: "Rows",
    kind: "number",
    cell: ({ quarantined, rows }) => (
      <>
        {count(rows)}
        {quarantined === 0 ? null : <span class="wait-text"> ({count(quarantined)} in quarantine)</span>}
      </>
    )
  },
  { title: "Pages", cell: (walk) => <Bar walk={walk} /> },
  { title: "Expected end", cell: (walk) => <Expected walk={walk} /> },
  { title: "How sure", cell: ({ parents, proof }) => <Proof proof={proof} parents={parents} /> },
  { title: "As of", cell: ({ at, changedAt }) => <At at={changedAt ?? at} never="not yet" /> }
]

const fewest = 12

const summary = (walks: ReadonlyArray<Named>): string =>
  [...Map.groupBy(walks, ({ proof }) => proof)]
    .map(([proof, those]) => `${those.length} ${proofs[proof].words}`)
    .join(", ")

export const Walks = ({ status }: { readonly status: StatusReport }) => {
  const [isWhole, setWhole] = useState(false)
  const walks = sorted(status.backfill)
  if (walks.length === 0) return null
  const shown = isWhole ? walks : walks.slice(0, fewest)
  return (
    <section aria-labelledby="walks">
      <h2 id="walks">
        Lists <small>{summary(walks)}</small>
      </h2>
      <Table caption="The lists that are copied" columns={columns} rows={shown} keyOf={({ name }) => name} />
      {shown.length === walks.length ? null : (
        <p>
          <button type="button" onClick={() => setWhole(true)}>
            Show all {walks.length} lists
          </button>
        </p>
      )}
    </section>
  )
}
