/**
 * The worker's configuration: its settings without any secret, the webhook secrets (`Secrets`), and a check of
 * everything on demand.
 */
import { useState } from "preact/hooks"
import { type Answer, ask, sentenceOf } from "../Api.ts"
import { Loaded, useAsked } from "../parts/Asked.tsx"
import { type Column, Table } from "../parts/Table.tsx"
import { Pill, Prose, type Tone } from "../parts/Text.tsx"
import { useMay } from "../Session.ts"
import { Secrets } from "./Setup/Secrets.tsx"

type Setting = Answer<"settings">["settings"][number]
type Finding = Answer<"doctor">["findings"][number]

const Value = ({ isSecret, problem, state, value }: Setting) => {
  if (state === "bad") return <span class="wait-text">{problem}</span>
  if (isSecret) return <span class="soft">{state === "set" ? "set, and secret" : "not set"}</span>
  if (value === null) return <span class="soft">not set</span>
  return (
    <>
      <code>{value}</code> {state === "default" ? <span class="soft">by default</span> : null}
    </>
  )
}

const settingColumns: ReadonlyArray<Column<Setting>> = [
  { title: "Variable", cell: ({ name }) => <code class="whole">{name}</code> },
  { title: "Value", kind: "wide", cell: (setting) => <Value {...setting} /> },
  { title: "What it is", kind: "wide", cell: ({ meaning }) => <Prose>{meaning}</Prose> }
]

const verdicts: Readonly<Record<Finding["verdict"], Tone>> = { ok: "good", warn: "wait", fail: "bad" }

const findingColumns: ReadonlyArray<Column<Finding>> = [
  { title: "Check", cell: ({ check }) => <b>{check}</b> },
  { title: "Verdict", cell: ({ verdict }) => <Pill tone={verdicts[verdict]}>{verdict}</Pill> },
  { title: "Found", kind: "wide", cell: ({ sentence }) => <Prose>{sentence}</Prose> },
  { title: "What to do", kind: "wide", cell: ({ advice }) => <Prose>{advice ?? ""}</Prose> }
]

interface Checked {
  readonly answer?: Answer<"doctor">
  readonly sentence?: string
  readonly isBusy: boolean
}

const Doctor = () => {
  const [{ answer, isBusy, sentence }, setChecked] = useState<Checked>({ isBusy: false })
  const check = (): void => {
    setChecked({ isBusy: true })
    ask("doctor", {}).then(
      (found) => setChecked({ answer: found, isBusy: false }),
      (cause: unknown) => setChecked({ sentence: sentenceOf(cause), isBusy: false })
    )
  }
  return (
    <section aria-labelledby="doctor">
      <h2 id="doctor">Check everything</h2>
      <p class="note">
        The same checks as <code>siteledger doctor</code> on the worker's machine; nothing is changed.
      </p>
      <p>
        <button type="button" disabled={isBusy} onClick={check}>
          {isBusy ? "Checking…" : "Check now"}
        </button>
      </p>
      {sentence === undefined ? null : <p class="notice bad">{sentence}</p>}
      <div aria-live="polite">
        {answer === undefined ? null : (
          <>
            <p class={`notice ${answer.ok ? "good" : "bad"}`}>{answer.ok ? "Nothing failed." : "Something failed."}</p>
            <Table
              caption="What was found"
              columns={findingColumns}
              rows={answer.findings}
              keyOf={({ check: name, sentence: found }) => `${name} ${found}`}
            />
          </>
        )}
      </div>
    </section>
  )
}

const Settings = () => {
  const asked = useAsked("settings", {})
  return (
    <Loaded asked={asked}>
      {({ settings }) => (
        <>
          {[...Map.groupBy(settings, ({ section }) => section)].map(([section, those], at) => (
            <section key={section} aria-labelledby={`section-${at}`}>
              <h2 id={`section-${at}`}>{section}</h2>
              <Table caption={section} columns={settingColumns} rows={those} keyOf={({ name }) => name} />
            </section>
          ))}
        </>
      )}
    </Loaded>
  )
}

export const Setup = () => (
  <>
    <h1>Set-up</h1>
    {useMay("operate") ? <Doctor /> : null}
    <Secrets />
    <Settings />
  </>
)
