/**
 * What a check of an export has found, table by table.
 */
import type { Answer } from "../../Api.ts"
import { count, size } from "../../Format.ts"
import { type Column, Table } from "../../parts/Table.tsx"
import { Pill } from "../../parts/Text.tsx"
import { At } from "../../parts/Time.tsx"

type Verified = Answer<"lake-verify">
type Checked = Verified["checked"][number]

const columns: ReadonlyArray<Column<Checked>> = [
  { title: "Table", cell: ({ name }) => <b>{name}</b> },
  {
    title: "Found",
    kind: "wide",
    cell: ({ faults }) => (faults.length === 0 ? <Pill tone="good">as its manifest says</Pill> : faults.join(" "))
  },
  { title: "Rows", kind: "number", cell: ({ rows }) => count(rows) },
  { title: "Files", kind: "number", cell: ({ files }) => count(files) },
  { title: "Size", kind: "number", cell: ({ bytes }) => size(bytes) }
]

export const Verified = ({ verified: { asOf, checked, faults, ok, run } }: { readonly verified: Verified }) => (
  <section aria-labelledby="verified" aria-live="polite" class={`notice ${ok ? "good" : "bad"}`}>
    <h2 id="verified">{ok ? "Every count and hash matches" : "Something differs from the manifest"}</h2>
    <p>
      Export <code>{run}</code>, as of <At at={asOf.at} />, was read back from the lake.
    </p>
    {faults.map((fault) => (
      <p key={fault}>{fault}</p>
    ))}
    <Table caption="What was read" columns={columns} rows={checked} keyOf={({ name }) => name} />
  </section>
)
