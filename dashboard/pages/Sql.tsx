/**
 * SQL on the published copy: an editor, the answer as a table and, if it has a label and a number, as bars; plus some
 * questions to start with. The statement is in the address, so that it can be sent to a colleague; it runs when a
 * person asks for it.
 */
import { useState } from "preact/hooks"
import { ask, parquetOf, sentenceOf } from "../Api.ts"
import { useCell } from "../Cell.ts"
import { count, counted, took } from "../Format.ts"
import { barsOf, type Found } from "../Found.ts"
import { Empty } from "../parts/Asked.tsx"
import { Download, MakeFile, saveAs } from "../parts/Download.tsx"
import { Age } from "../parts/Time.tsx"
import { go, place, withFilters } from "../Router.ts"
import { live } from "../Stream.ts"
import { Bars } from "./Sql/Bars.tsx"
import { examples } from "./Sql/Examples.ts"
import { Offered } from "./Sql/Offered.tsx"
import { Rows } from "./Sql/Rows.tsx"

interface State {
  readonly found?: Found
  /** The statement that found it. */
  readonly by?: string
  readonly ms?: number
  readonly sentence?: string
  readonly isBusy: boolean
}

interface Result {
  readonly found: Found
  readonly ms: number
  /** The statement that was answered, even if the editor has changed since. */
  readonly sql: string
}

const Result = ({ found, ms, sql }: Result) => {
  const bars = barsOf(found)
  const [isChart, setChart] = useState(false)
  if (found.isPlan) return <pre tabIndex={0}>{found.rows.map((row) => String(row.at(-1))).join("\n")}</pre>
  return (
    <section aria-label="Answer">
      <div class="tools">
        <span role="status">
          {found.isCut
            ? `The first ${count(found.rows.length)} rows; there are more`
            : counted(found.rows.length, "row")}{" "}
          <span class="soft">in {took(ms)}</span>
        </span>
        {bars === undefined ? null : (
          <button type="button" class="quiet" aria-pressed={isChart} onClick={() => setChart(!isChart)}>
            {isChart ? "As a table" : "As a chart"}
          </button>
        )}
        <Download found={found} as="siteledger" />
        <MakeFile
          make={async () => saveAs("siteledger.parquet", "application/vnd.apache.parquet", [await parquetOf(sql)])}
        >
          Download all rows as Parquet
        </MakeFile>
      </div>
      {found.rows.length === 0 ? (
        <Empty>No row matches.</Empty>
      ) : isChart && bars !== undefined ? (
        <Bars of={bars} />
      ) : (
        <Rows found={found} />
      )}
    </section>
  )
}

interface Editor {
  readonly sql: string
  readonly isBusy: boolean
  readonly onChange: (sql: string) => void
  readonly onRun: () => void
}

const Editor = ({ isBusy, onChange, onRun, sql }: Editor) => {
  const submit = (event: Event): void => {
    event.preventDefault()
    onRun()
  }
  const onKey = (key: KeyboardEvent): void => {
    if (key.key === "Enter" && (key.ctrlKey || key.metaKey)) submit(key)
  }
  return (
    <form class="sql" onSubmit={submit}>
      <label for="sql">Statement</label>
      <textarea
        id="sql"
        rows={7}
        spellcheck={false}
        value={sql}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <div class="actions">
        <button type="submit" class="primary" disabled={isBusy || sql.trim() === ""}>
          {isBusy ? "Running…" : "Run"}
        </button>
        <label for="example" class="hidden">
          Begin with a question
        </label>
        <select id="example" value="" onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">Begin with a question …</option>
          {examples.map(({ asks, sql: text }) => (
            <option key={asks} value={text}>
              {asks}
            </option>
          ))}
        </select>
        <span class="note">Ctrl-Enter runs it, too.</span>
      </div>
    </form>
  )
}

export const Sql = () => {
  const asked = useCell(place, ({ query }) => query.get("q") ?? "")
  const published = useCell(live, ({ status }) => status?.published.at ?? null)
  const [sql, setSql] = useState(asked)
  const [{ by = "", found, isBusy, ms = 0, sentence }, setState] = useState<State>({ isBusy: false })
  const choose = (text: string): void => {
    setSql(text)
    document.getElementById("sql")?.focus()
  }
  const run = async (): Promise<void> => {
    if (sql.trim() === "" || isBusy) return
    go(withFilters({ q: sql }), true)
    setState({ isBusy: true })
    const from = performance.now()
    try {
      const answer = await ask("query", { sql })
      setState({ found: answer, by: sql, ms: performance.now() - from, isBusy: false })
    } catch (cause) {
      setState({ sentence: sentenceOf(cause), isBusy: false })
    }
  }
  return (
    <>
      <h1>SQL</h1>
      <p class="lead">
        On the copy for analysts, made <Age at={published} />. Statements can read only.
      </p>
      <Editor sql={sql} isBusy={isBusy} onChange={setSql} onRun={() => void run()} />
      <Offered onChoose={choose} />
      {sentence === undefined ? null : (
        <pre class="notice bad" role="alert">
          {sentence}
        </pre>
      )}
      {found === undefined ? null : <Result found={found} ms={ms} sql={by} />}
    </>
  )
}
