/**
 * How the worker is doing, on one page: first what needs a person, then figures, charts, and how far the copy of each
 * list is. Everything except the charts comes through the stream.
 */
import type { StatusReport } from "../Api.ts"
import { useCell } from "../Cell.ts"
import { Waiting } from "../parts/Asked.tsx"
import { live } from "../Stream.ts"
import { Charts } from "./Now/Charts.tsx"
import { Figures } from "./Now/Figures.tsx"
import { Gaps } from "./Now/Gaps.tsx"
import { Surroundings, Tasks, Workers } from "./Now/Parts.tsx"
import { Phase, Reasons } from "./Now/Reasons.tsx"
import { Walks } from "./Now/Walks.tsx"

const Report = ({ status }: { readonly status: StatusReport }) => (
  <>
    <Reasons status={status} />
    <Tasks status={status} />
    <Figures status={status} />
    <Charts />
    <Walks status={status} />
    <Gaps status={status} />
    <Workers status={status} />
    <Surroundings status={status} />
  </>
)

export const Now = () => {
  const status = useCell(live, (now) => now.status)
  return (
    <>
      <h1>Now {status === undefined ? null : <Phase phase={status.phase} />}</h1>
      {status === undefined ? <Waiting lines={8} /> : <Report status={status} />}
    </>
  )
}
