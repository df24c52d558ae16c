/**
 * The exports on the lake: what each holds and until when it is kept, a check of one down to the last value, and how to
 * read the newest with the tools that analysts have.
 */
import { useState } from "preact/hooks"
import { type Answer, ask, sentenceOf } from "../Api.ts"
import { useCell } from "../Cell.ts"
import { count, counted, size } from "../Format.ts"
import { Empty, Loaded, useAsked } from "../parts/Asked.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Pill } from "../parts/Text.tsx"
import { At } from "../parts/Time.tsx"
import { useMay } from "../Session.ts"
import { live } from "../Stream.ts"
import { Reading } from "./Lake/Reading.tsx"
import { Verified } from "./Lake/Verified.tsx"

type Run = Answer<"lake-list">["runs"][number]

const columns: ReadonlyArray<Column<Run>> = [
  {
    title: "Export",
    cell: ({ isNewest, run }) => (
      <>
        <code>{run}</code> {isNewest ? <Pill tone="good">readers see this</Pill> : null}
      </>
    )
  },
  { title: "As of", cell: ({ asOf }) => <At at={asOf} never="its manifest can't be read" /> },
  { title: "Tables", kind: "number", cell: ({ tables }) => count(tables) },
  { title: "Rows", kind: "number", cell: ({ rows }) => count(rows) },
  { title: "Files", kind: "number", cell: ({ files }) => count(files) },
  { title: "Size", kind: "number", cell: ({ bytes }) => size(bytes) },
  {
    title: "Safe until",
    cell: ({ isNewest, safeUntil }) => <At at={safeUntil} never={isNewest ? "another replaces it" : "it is replaced"} />
  }
]

interface Work {
  /** What is being done, or why it failed. */
  readonly sentence: string
  readonly isBusy: boolean
}

/** Work that a person has asked for here; one thing at a time. */
const useWork = () => {
  const [work, setWork] = useState<Work>()
  const begin = (what: string, act: () => Promise<void>): void => {
    setWork({ sentence: `${what}: this may take minutes.`, isBusy: true })
    act().then(
      () => setWork(undefined),
      (cause: unknown) => setWork({ sentence: sentenceOf(cause), isBusy: false })
    )
  }
  return { work, isBusy: work?.isBusy ?? false, begin }
}

interface Runs {
  readonly listed: Answer<"lake-list">
  readonly isBusy: boolean
  readonly onVerify: (run: string) => void
}

const Runs = ({ isBusy, listed: { fault, lake, runs }, onVerify }: Runs) => {
  const action: Column<Run> = {
    title: "Verify",
    kind: "action",
    cell: ({ run }) => (
      <button type="button" class="small" disabled={isBusy} aria-label={`Verify ${run}`} onClick={() => onVerify(run)}>
        Verify
      </button>
    )
  }
  return (
    <>
      {fault === null ? null : <p class="notice bad">{fault}</p>}
      {runs.length === 0 ? (
        <Empty>There is no export on {lake} yet.</Empty>
      ) : (
        <>
          <Table
            caption="Exports, the newest first"
            columns={[...columns, action]}
            rows={runs}
            keyOf={({ run }) => run}
          />
          <p class="note">
            {counted(runs.length, "export")} on <code>{lake}</code>.
          </p>
        </>
      )}
      <Reading lake={lake} />
    </>
  )
}

export const Lake = () => {
  const lastAt = useCell(live, ({ status }) => status?.export.lastAt ?? "")
  const nextAt = useCell(live, ({ status }) => status?.export.nextAt ?? null)
  const asked = useAsked("lake-list", {}, lastAt)
  const mayOperate = useMay("operate")
  const { begin, isBusy, work } = useWork()
  const [verified, setVerified] = useState<Answer<"lake-verify">>()
  const verify = (run: string): void =>
    begin(`Export ${run} is read back`, async () => setVerified(await ask("lake-verify", { run })))
  const exportNow = (): void =>
    begin("An export is being written", async () => {
      await ask("export", {})
      asked.again()
    })
  return (
    <>
      <h1>Lake</h1>
      <p class="lead">
        Parquet for Spark, DuckDB, pandas and others; the next export is due <At at={nextAt} never="at no time" />.
      </p>
      {mayOperate ? (
        <p>
          <button type="button" disabled={isBusy} onClick={exportNow}>
            Export now
          </button>
        </p>
      ) : null}
      {work === undefined ? null : (
        <p class={`notice ${work.isBusy ? "wait" : "bad"}`} role="status">
          {work.sentence}
        </p>
      )}
      {verified === undefined ? null : <Verified verified={verified} />}
      <Loaded asked={asked}>{(listed) => <Runs listed={listed} isBusy={isBusy} onVerify={verify} />}</Loaded>
    </>
  )
}
